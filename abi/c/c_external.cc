// Memory that Vulkan devices share, in the C API.
//
// Tested by tests/integration/vulkan_sharing_test.cc.
#include "eyrie/c_external.h"

#include <unistd.h>

#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "abi/c/c_handles.h"
#include "abi/c/c_options.h"
#include "abi/value/host_value.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"
#include "hal/allocator.h"
#include "hal/buffer_view.h"

namespace eyrie::abi {
namespace {

using Kind = hal::ExternalMemory::Kind;

constexpr size_t kSizes[] = {sizeof(eyrie_external_memory_t)};
constexpr absl::string_view kMemory = "the external memory";

absl::StatusOr<hal::ExternalMemory> Read(const eyrie_external_memory_t& given) {
  ASSIGN_OR_RETURN(const eyrie_external_memory_t full,
                   FullStruct(&given, kSizes, kMemory));
  RETURN_IF_ERROR(CheckNewer(&given, kMemory));
  return hal::ExternalMemory{static_cast<Kind>(full.kind), full.descriptor,
                             full.memory_type, full.size, full.offset};
}

absl::StatusOr<hal::TensorType> ArraySpecOf(eyrie_dtype_t dtype,
                                            std::span<const int64_t> shape) {
  hal::TensorType spec;
  ASSIGN_OR_RETURN(spec.element, TypeOf(dtype));
  spec.shape.assign(shape.begin(), shape.end());
  return spec;
}

absl::Status NewArray(Ref<hal::Buffer> buffer, const hal::TensorType& spec,
                      eyrie_value_t** out_value) {
  ASSIGN_OR_RETURN(
      Ref<hal::BufferView> view,
      hal::BufferView::Create(std::move(buffer), spec.shape, spec.element));
  ASSIGN_OR_RETURN(std::shared_ptr<const HostArray> array,
                   HostArray::OfTensor(std::move(view)));
  return NewHandle(HostValue(std::move(array)), out_value);
}

absl::Status Export(hal::Device& device, const hal::TensorType& spec,
                    eyrie_external_memory_t& memory,
                    eyrie_value_t** out_value) {
  ASSIGN_OR_RETURN(hal::ExternalMemory external, Read(memory));
  ASSIGN_OR_RETURN(const uint64_t size, spec.ByteLength());
  ASSIGN_OR_RETURN(
      Ref<hal::Buffer> buffer,
      device.allocator().AllocateExternal(TensorParams(), size, external));
  const absl::Status made = NewArray(std::move(buffer), spec, out_value);
  if (!made.ok()) {
    close(external.descriptor);
    return made;
  }
  memory.descriptor = external.descriptor;
  memory.memory_type = external.memory_type;
  memory.size = external.size;
  memory.offset = external.offset;
  return absl::OkStatus();
}

absl::Status Import(hal::Device& device, const hal::TensorType& spec,
                    const eyrie_external_memory_t& memory,
                    eyrie_value_t** out_value) {
  ASSIGN_OR_RETURN(const hal::ExternalMemory external, Read(memory));
  ASSIGN_OR_RETURN(const uint64_t size, spec.ByteLength());
  ASSIGN_OR_RETURN(
      Ref<hal::Buffer> buffer,
      device.allocator().ImportExternal(TensorParams(), size, external));
  RETURN_IF_ERROR(NewArray(std::move(buffer), spec, out_value));
  close(external.descriptor);
  return absl::OkStatus();
}

}  // namespace
}  // namespace eyrie::abi

namespace abi = eyrie::abi;

eyrie_error_t* eyrie_value_new_exported(eyrie_device_t* device,
                                        eyrie_dtype_t dtype, size_t rank,
                                        const int64_t* shape,
                                        eyrie_external_memory_t* memory,
                                        eyrie_value_t** out_value) {
  const auto spec = abi::ArraySpecOf(dtype, {shape, rank});
  if (!spec.ok()) return abi::CreateError(spec.status());
  return abi::CreateError(
      abi::Export(*device->device, *spec, *memory, out_value));
}

eyrie_error_t* eyrie_value_new_imported(eyrie_device_t* device,
                                        eyrie_dtype_t dtype, size_t rank,
                                        const int64_t* shape,
                                        const eyrie_external_memory_t* memory,
                                        eyrie_value_t** out_value) {
  const auto spec = abi::ArraySpecOf(dtype, {shape, rank});
  if (!spec.ok()) return abi::CreateError(spec.status());
  return abi::CreateError(
      abi::Import(*device->device, *spec, *memory, out_value));
}
