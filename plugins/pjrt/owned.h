// Pointers that own objects of the C API.
// Tested by pjrt_test.cc.
#ifndef EYRIE_PLUGINS_PJRT_OWNED_H_
#define EYRIE_PLUGINS_PJRT_OWNED_H_

#include <memory>

namespace eyrie::pjrt {

template <typename T, void (*kFree)(T*)>
struct Freed {
  void operator()(T* object) const { kFree(object); }
};

// A pointer that `kFree` frees.
template <typename T, void (*kFree)(T*)>
using Owned = std::unique_ptr<T, Freed<T, kFree>>;

}  // namespace eyrie::pjrt

#endif  // EYRIE_PLUGINS_PJRT_OWNED_H_
