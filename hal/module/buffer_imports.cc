// Allocators and buffers: hal.allocator.* and hal.buffer.*.
//
// Modules do write to imported constants, so read-only bytes are never imported
// directly: they become a private copy, page by page if the file is mapped.
// Tested by hal_module_test.cc.
#include <cstring>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "hal/module/arguments.h"
#include "hal/module/file_image.h"
#include "hal/module/imports.h"

namespace eyrie::hal {
namespace {

absl::StatusOr<Ref<Buffer>> ImportMutable(HalModuleState&, Allocator& allocator,
                                          BufferParams params,
                                          vm::Buffer& source, uint64_t offset,
                                          uint64_t length) {
  ASSIGN_OR_RETURN(std::span<uint8_t> bytes,
                   source.MutableRange(offset, length));
  return allocator.ImportHost(params, bytes,
                              [keep = Ref<vm::Buffer>::Share(&source)] {});
}

// Imports read-only bytes as a private mapping or a copy.
absl::StatusOr<Ref<Buffer>> ImportConstant(HalModuleState& state,
                                           Allocator& allocator,
                                           BufferParams params,
                                           vm::Buffer& source, uint64_t offset,
                                           uint64_t length) {
  ASSIGN_OR_RETURN(std::span<const uint8_t> bytes,
                   source.Range(offset, length));
  ASSIGN_OR_RETURN(Ref<Buffer> image,
                   CreateFileImage(state, allocator, params, source.file(),
                                   bytes, "an image of a constant"));
  if (image) return image;
  return state.AllocateCopy(allocator, params, bytes);
}

// Returns why a buffer fails a module's assertion.
absl::Status BufferDifference(const Buffer& buffer, uint64_t minimum,
                              int32_t memory_types, int32_t buffer_usage) {
  if (buffer.byte_length() < minimum) {
    return absl::InvalidArgumentError(
        absl::StrCat("the buffer's length (", buffer.byte_length(),
                     " bytes) is less than expected (", minimum, " bytes)."));
  }
  RETURN_IF_ERROR(
      buffer.CheckMemoryType(static_cast<MemoryType>(memory_types)));
  return buffer.CheckUsage(static_cast<BufferUsage>(buffer_usage));
}

absl::StatusOr<uint32_t> ReadWidth(int32_t length) {
  if (length < 1 || length > 4) {
    return absl::InvalidArgumentError(absl::StrCat(
        "The width of the value (", length, " bytes) is not 1 to 4."));
  }
  return static_cast<uint32_t>(length);
}

[[gnu::noinline]] absl::Status BufferDiffers(const Buffer& buffer,
                                             const vm::Buffer& message,
                                             int64_t minimum_length,
                                             int32_t memory_types,
                                             int32_t buffer_usage) {
  ASSIGN_OR_RETURN(const uint64_t minimum,
                   ReadSize("minimum length", minimum_length));
  const absl::Status difference =
      BufferDifference(buffer, minimum, memory_types, buffer_usage);
  return absl::Status(difference.code(), absl::StrCat(TextOf(message), ": ",
                                                      difference.message()));
}

}  // namespace

absl::StatusOr<Ref<Buffer>> AllocatorAllocate(
    HalModuleState& state, Allocator& allocator, int64_t queue_affinity,
    int32_t memory_types, int32_t buffer_usage, int64_t size) {
  ASSIGN_OR_RETURN(uint64_t bytes, ReadSize("allocation size", size));
  return state.Allocate(
      allocator,
      state.CreateParams(allocator, memory_types, buffer_usage, queue_affinity),
      bytes);
}

absl::StatusOr<Ref<Buffer>> AllocatorImport(
    HalModuleState& state, Allocator& allocator, int32_t is_try,
    int64_t queue_affinity, int32_t memory_types, int32_t buffer_usage,
    vm::Buffer& source, int64_t offset, int64_t length) {
  ASSIGN_OR_RETURN(std::span<const uint8_t> range,
                   ReadHostRange(source, offset, length));
  const BufferParams params =
      state.CreateParams(allocator, memory_types, buffer_usage, queue_affinity);
  auto import = source.is_mutable() ? ImportMutable : ImportConstant;
  absl::StatusOr<Ref<Buffer>> imported =
      import(state, allocator, params, source, static_cast<uint64_t>(offset),
             range.size());
  // A module that sets `is_try` then allocates and copies.
  if (!imported.ok() && is_try != 0) return Ref<Buffer>();
  return imported;
}

absl::StatusOr<std::tuple<Ref<Device>, int64_t>> AllocatorSelect(
    HalModuleState& state, int32_t memory_types, int32_t buffer_usage, int64_t,
    vm::Spread<Device*, int64_t> from) {
  if (from.empty()) {
    return absl::InvalidArgumentError(
        "The list of devices to select from is empty.");
  }
  absl::InlinedVector<Device*, 8> devices;
  for (size_t i = 0; i < from.size(); ++i) {
    devices.push_back(from.get<0>(i));
    if (devices[i] != nullptr) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("Device ", i, " of those to select from is null."));
  }
  BufferParams params;
  params.type = static_cast<MemoryType>(memory_types);
  params.usage = static_cast<BufferUsage>(buffer_usage);
  const size_t selected = state.group().Select(devices, params);
  return std::tuple(Ref<Device>::Share(devices[selected]),
                    from.get<1>(selected));
}

absl::StatusOr<int32_t> BufferAllocationDiscard(HalModuleState&,
                                                Buffer& buffer) {
  return buffer.allocation().DiscardOwner() ? 1 : 0;
}

absl::StatusOr<int32_t> BufferAllocationIsTerminal(HalModuleState&,
                                                   Buffer& buffer) {
  return buffer.allocation().HasOneOwner() ? 1 : 0;
}

absl::Status BufferAllocationPreserve(HalModuleState&, Buffer& buffer) {
  buffer.allocation().PreserveOwner();
  return absl::OkStatus();
}

absl::Status BufferAssert(HalModuleState&, Buffer& buffer, vm::Buffer& message,
                          Allocator&, int64_t minimum_length,
                          int32_t memory_types, int32_t buffer_usage) {
  const BufferParams& params = buffer.params();
  const uint32_t missing =
      (static_cast<MemoryType>(memory_types) & ~params.type) |
      (static_cast<BufferUsage>(buffer_usage) & ~params.usage);
  if (minimum_length >= 0 && missing == 0 &&
      buffer.byte_length() >= static_cast<uint64_t>(minimum_length)) [[likely]]
    return absl::OkStatus();
  return BufferDiffers(buffer, message, minimum_length, memory_types,
                       buffer_usage);
}

absl::StatusOr<int64_t> BufferLength(HalModuleState&, Buffer& buffer) {
  return static_cast<int64_t>(buffer.byte_length());
}

absl::StatusOr<int32_t> BufferLoadAny(Buffer& source, int64_t offset,
                                      int32_t length) {
  ASSIGN_OR_RETURN(uint64_t begin, ReadSize("source offset", offset));
  ASSIGN_OR_RETURN(uint32_t width, ReadWidth(length));
  uint8_t bytes[4] = {};
  int32_t value;
  RETURN_IF_ERROR(source.Read(begin, std::span<uint8_t>(bytes, width)));
  std::memcpy(&value, bytes, sizeof(value));
  return value;
}

absl::Status BufferStore(HalModuleState&, int32_t value, Buffer& target,
                         int64_t offset, int32_t length) {
  ASSIGN_OR_RETURN(uint64_t begin, ReadSize("target offset", offset));
  ASSIGN_OR_RETURN(uint32_t width, ReadWidth(length));
  uint8_t bytes[4];
  std::memcpy(bytes, &value, sizeof(value));
  return target.Write(begin, std::span<const uint8_t>(bytes, width));
}

absl::StatusOr<Ref<Buffer>> BufferSubspan(HalModuleState& state, Buffer& source,
                                          int64_t offset, int64_t length) {
  ASSIGN_OR_RETURN(uint64_t begin, ReadSize("source offset", offset));
  ASSIGN_OR_RETURN(uint64_t size, ReadLength("source length", length));
  return state.Subspan(source, begin, size);
}

}  // namespace eyrie::hal
