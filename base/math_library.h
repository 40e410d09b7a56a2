// The system's mathematical functions, for libraries that are loaded.
#ifndef EYRIE_BASE_MATH_LIBRARY_H_
#define EYRIE_BASE_MATH_LIBRARY_H_

#include <dlfcn.h>

namespace eyrie {

// Has libm's functions found by every library that the process loads from here
// on: many are linked without it, and a program may not show its own to them.
// Thread-safe.
inline void OfferMathLibrary() {
  static void* const library = dlopen("libm.so.6", RTLD_LAZY | RTLD_GLOBAL);
  static_cast<void>(library);  // without one, who asks for it says so
}

}  // namespace eyrie

#endif  // EYRIE_BASE_MATH_LIBRARY_H_
