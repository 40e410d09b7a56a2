// Tensors of DLPack 1.3 (dlpack/dlpack.h, declared anew), as functions of
// TVM-FFI take and return them.
//
// Tested by tools/native_test.sh, tests/native/jaxlib.
#ifndef EYRIE_ABI_NATIVE_XLA_PACKED_TENSOR_H_
#define EYRIE_ABI_NATIVE_XLA_PACKED_TENSOR_H_

#include <atomic>
#include <cstdint>

#include "abi/native/tensor_layout.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "eyrie/xla_ffi.h"

namespace eyrie::native {

struct DlTensor {
  void* data;
  int32_t device;
  int32_t device_id;
  int32_t rank;
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
  int64_t* shape;
  int64_t* strides;  // in elements; null before DLPack 1.2: row-major
  uint64_t offset;   // of the first element from `data`, in bytes
};

struct DlManagedTensor {
  uint32_t major;
  uint32_t minor;
  void* owner;
  void (*deleter)(DlManagedTensor* self);
  uint64_t flags;
  DlTensor tensor;
};

// An argument or a result of one call. The call owns it, together with the
// library if that has made an object of it. The elements are the call's.
class PassedTensor {
 public:
  // The layout must fit the rank. Release must be called. UNIMPLEMENTED:
  // TVM-FFI lacks the type, or stores it differently.
  static absl::StatusOr<PassedTensor*> Create(const eyrie_ffi_buffer_t& buffer,
                                              const TensorLayout& layout);
  PassedTensor(const PassedTensor&) = delete;
  PassedTensor& operator=(const PassedTensor&) = delete;

  DlTensor& tensor() { return managed_.tensor; }
  // Adds an owner, which calls the deleter of the returned struct.
  DlManagedTensor* Share();
  // Removes an owner. Returns true if it was the last; the tensor is deleted.
  bool Release();

 private:
  PassedTensor() = default;

  DlManagedTensor managed_ = {};
  TensorLayout::Strides dims_;
  TensorLayout::Strides strides_;
  std::atomic<int> owners_{1};
};

// Copies the elements of a tensor that a function has returned to a result's
// buffer with a layout. INVALID_ARGUMENT: their types or shapes differ, or the
// tensor is not on the host. Returns the errors of PassedTensor::Create.
absl::Status CopyReturned(const DlTensor& from, const TensorLayout& layout,
                          const eyrie_ffi_buffer_t& to);

}  // namespace eyrie::native

#endif  // EYRIE_ABI_NATIVE_XLA_PACKED_TENSOR_H_
