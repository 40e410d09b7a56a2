// Checks that the compiler's language is C++20.
//
// Must be included first, so that an older language gives one clear error.
#ifndef EYRIE_LANGUAGE_H_
#define EYRIE_LANGUAGE_H_

#if __cplusplus <= 201703L
#error "Eyrie's C++ headers are C++20 (-std=c++20); eyrie/c.h is C and C++17."
#endif

#endif  // EYRIE_LANGUAGE_H_
