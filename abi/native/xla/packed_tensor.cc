#include "abi/native/xla/packed_tensor.h"

#include <algorithm>
#include <span>

#include "abi/native/ffi_types.h"
#include "abi/native/tensor_layout.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "hal/packed_elements.h"

namespace eyrie::native {
namespace {

constexpr int32_t kHostDevice = 1;  // DLPack's kDLCPU
constexpr uint32_t kDlPackMajor = 1;
constexpr uint32_t kDlPackMinor = 3;

struct DlType {
  uint8_t code;
  uint8_t bits;
};

// Returns DLPack's type. UNIMPLEMENTED: it has none, or its elements are
// packed.
absl::StatusOr<DlType> DlTypeOf(FfiType type) {
  const FfiTypeInfo& info = InfoOf(type);
  if (hal::IsPacked(info.element)) {
    return absl::UnimplementedError(absl::StrCat(
        "A tensor's elements are ", info.name,
        ". Functions of TVM-FFI expect several elements of this type in a "
        "byte, and native functions get one in each byte."));
  }
  if (info.dlpack < 0) {
    return absl::UnimplementedError(absl::StrCat(
        "A tensor's elements are ", info.name, "; DLPack has no such type."));
  }
  return DlType{static_cast<uint8_t>(info.dlpack),
                static_cast<uint8_t>(hal::BitCount(info.element))};
}

}  // namespace

absl::StatusOr<PassedTensor*> PassedTensor::Create(
    const eyrie_ffi_buffer_t& buffer, const TensorLayout& layout) {
  ASSIGN_OR_RETURN(const DlType type,
                   DlTypeOf(static_cast<FfiType>(buffer.type)));
  const std::span<const int64_t> dims(buffer.dims,
                                      static_cast<size_t>(buffer.rank));
  auto* const made = new PassedTensor;
  // The library may keep the tensor for longer than the call.
  made->dims_.assign(dims.begin(), dims.end());
  made->strides_ = layout.StridesOf(dims);
  made->managed_.major = kDlPackMajor;
  made->managed_.minor = kDlPackMinor;
  made->managed_.owner = made;
  made->managed_.deleter = [](DlManagedTensor* self) {
    static_cast<PassedTensor*>(self->owner)->Release();
  };
  made->managed_.tensor = {buffer.data,
                           kHostDevice,
                           0,
                           static_cast<int32_t>(buffer.rank),
                           type.code,
                           type.bits,
                           1,
                           made->dims_.data(),
                           made->strides_.data(),
                           0};
  return made;
}

DlManagedTensor* PassedTensor::Share() {
  owners_.fetch_add(1, std::memory_order_relaxed);
  return &managed_;
}

bool PassedTensor::Release() {
  if (owners_.fetch_sub(1, std::memory_order_acq_rel) != 1) return false;
  delete this;
  return true;
}

absl::Status CopyReturned(const DlTensor& from, const TensorLayout& layout,
                          const eyrie_ffi_buffer_t& to) {
  ASSIGN_OR_RETURN(const DlType type, DlTypeOf(static_cast<FfiType>(to.type)));
  const std::span<const int64_t> dims(to.dims, static_cast<size_t>(to.rank));
  if (from.rank != to.rank || from.code != type.code ||
      from.bits != type.bits || from.lanes != 1 || from.device != kHostDevice ||
      !std::equal(dims.begin(), dims.end(), from.shape)) {
    return absl::InvalidArgumentError(
        "The function returned a tensor that differs from the declared result "
        "in its type, its shape or its device.");
  }
  TensorLayout::Strides strides = TensorLayout().StridesOf(dims);
  if (from.strides != nullptr) {
    strides.assign(from.strides, from.strides + from.rank);
  }
  CopyStrided(dims, type.bits / 8u,
              static_cast<const uint8_t*>(from.data) + from.offset, strides,
              static_cast<uint8_t*>(to.data), layout.StridesOf(dims));
  return absl::OkStatus();
}

}  // namespace eyrie::native
