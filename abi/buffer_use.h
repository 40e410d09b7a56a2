// What becomes of the elements that a call is given for a buffer: one answer
// for arguments of every convention.
// Tested by invoker_test.cc, v0/buffer_description_test.cc.
#ifndef EYRIE_ABI_BUFFER_USE_H_
#define EYRIE_ABI_BUFFER_USE_H_

#include <cstdint>

#include "abi/host_value.h"
#include "absl/status/status.h"
#include "hal/element_type.h"

namespace eyrie::abi {

// What is to be done with the elements given for a buffer.
enum class BufferUse : uint8_t {
  kAsIs,     // used in place
  kCopy,     // copied byte by byte
  kPack,     // copied element by element, into the order that is asked for
  kConvert,  // packed, and converted
  kMake,     // there are none yet
};
// How elements of `from` become those of `to`: whether they lie in the order
// that is asked for, and whether the call may use their memory.
BufferUse UseOfElements(hal::ElementType from, hal::ElementType to,
                        bool in_order, bool usable);
// Writes an array's elements, packed, as those of a type. As
// ConvertElements.
absl::Status WriteElements(const HostArray& array, hal::ElementType to,
                           uint8_t* target);

}  // namespace eyrie::abi

#endif  // EYRIE_ABI_BUFFER_USE_H_
