// Decides whether the elements that a caller passes for a buffer are used in
// place, copied or converted. All calling conventions share these rules.
// Tested by abi/call/invoker_test.cc, abi/call/buffer_description_test.cc.
#ifndef EYRIE_ABI_VALUE_BUFFER_USE_H_
#define EYRIE_ABI_VALUE_BUFFER_USE_H_

#include <cstdint>

#include "abi/value/host_value.h"
#include "absl/status/status.h"
#include "hal/element_type.h"

namespace eyrie::abi {

// How the elements of an argument get into the call's buffer.
enum class BufferUse : uint8_t {
  kAsIs,     // used in place
  kCopy,     // copied byte by byte
  kPack,     // copied element by element, into the requested order
  kConvert,  // packed, and converted to another type
  kMake,     // no elements are given: allocate the buffer
};
// Returns how elements of `from` become elements of `to`. `in_order` says that
// they already lie in the requested order, `usable` that the call may use their
// memory.
BufferUse UseOfElements(hal::ElementType from, hal::ElementType to,
                        bool in_order, bool usable);
// Reports whether `from` are untyped bytes that may each have one element of
// `to` in their low bits, as .npy files have those of 4 and 6 bits.
bool IsByteEach(hal::ElementType from, hal::ElementType to);
// Writes an array's elements to `target`, packed and converted to type `to`.
// `target` must have room for all of them. Fails as ConvertElements
// and PackNpyElements do.
absl::Status WriteElements(const HostArray& array, hal::ElementType to,
                           uint8_t* target);

}  // namespace eyrie::abi

#endif  // EYRIE_ABI_VALUE_BUFFER_USE_H_
