// Makes the functions of libm available to libraries that are loaded later.
#ifndef EYRIE_BASE_MATH_LIBRARY_H_
#define EYRIE_BASE_MATH_LIBRARY_H_

#include <dlfcn.h>

namespace eyrie {

// Loads libm so that every library loaded afterwards finds its functions. Many
// libraries are not linked with it, and the program's own copy may be hidden
// from them. Thread-safe.
inline void OfferMathLibrary() {
  static void* const library = dlopen("libm.so.6", RTLD_LAZY | RTLD_GLOBAL);
  static_cast<void>(library);  // if it is null, loading those libraries fails
}

}  // namespace eyrie

#endif  // EYRIE_BASE_MATH_LIBRARY_H_
