// The same as order.c with XLA's own C++ headers, which decode call frames;
// order.c shows how that works.
//
// Built by hand, as README.md says, and by tests/native/jaxlib if jaxlib is
// installed.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>

#include "xla/ffi/api/ffi.h"

namespace {

namespace ffi = xla::ffi;

ffi::Error Sort(ffi::BufferR1<ffi::F32> keys,
                ffi::ResultBufferR1<ffi::S32> indices, bool descending) {
  int32_t* const out = indices->typed_data();
  std::iota(out, out + keys.element_count(), 0);
  std::stable_sort(out, out + keys.element_count(), [&](int32_t a, int32_t b) {
    const float x = keys.typed_data()[a];
    const float y = keys.typed_data()[b];
    if (std::isnan(x) || std::isnan(y)) return !std::isnan(x) && std::isnan(y);
    return descending ? x > y : x < y;
  });
  return ffi::Error::Success();
}

}  // namespace

XLA_FFI_DEFINE_HANDLER_SYMBOL(ArgSort, Sort,
                              ffi::Ffi::Bind()
                                  .Arg<ffi::BufferR1<ffi::F32>>()
                                  .Ret<ffi::BufferR1<ffi::S32>>()
                                  .Attr<bool>("descending"));
