// The language that the C++ API is written in: C++20.
//
// Included first, so that a compiler of an older language says so, and not what
// it makes of the rest.
#ifndef EYRIE_LANGUAGE_H_
#define EYRIE_LANGUAGE_H_

#if __cplusplus <= 201703L
#error "Eyrie's C++ headers are C++20 (-std=c++20); eyrie/c.h is C and C++17."
#endif

#endif  // EYRIE_LANGUAGE_H_
