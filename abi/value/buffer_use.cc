#include "abi/value/buffer_use.h"

#include <vector>

#include "abi/tensor/npy.h"
#include "abi/value/convert.h"
#include "hal/packed_elements.h"

namespace eyrie::abi {

using hal::ElementType;

BufferUse UseOfElements(ElementType from, ElementType to, bool in_order,
                        bool usable) {
  if (!SameBits(from, to) || IsByteEach(from, to)) return BufferUse::kConvert;
  if (!in_order) return BufferUse::kPack;
  return usable ? BufferUse::kAsIs : BufferUse::kCopy;
}

bool IsByteEach(ElementType from, ElementType to) {
  return from == ElementType::kOpaque8 && hal::IsBelowByte(to);
}

absl::Status WriteElements(const HostArray& array, ElementType to,
                           uint8_t* target) {
  if (SameBits(array.type(), to) && !IsByteEach(array.type(), to)) {
    array.Pack(target);
    return absl::OkStatus();
  }
  std::vector<uint8_t> packed;
  const uint8_t* source = array.data();
  if (!array.is_dense()) {
    packed.resize(array.byte_length());
    array.Pack(packed.data());
    source = packed.data();
  }
  if (IsByteEach(array.type(), to)) {
    return PackNpyElements(to, {source, array.byte_length()}, target);
  }
  return ConvertElements(source, array.type(), target, to,
                         array.element_count());
}

}  // namespace eyrie::abi
