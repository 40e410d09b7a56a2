// Buffers of programs without a device: hal_inline.*.
//
// Tested by inline_modules_test.cc.
#include "hal/module/inline_imports.h"

#include <bit>
#include <cstring>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "hal/module/arguments.h"
#include "hal/module/imports.h"

namespace eyrie::hal {
namespace {

constexpr MemoryType kInlineMemory =
    memory_type::kHostLocal | memory_type::kDeviceVisible;
constexpr BufferUsage kInlineUsage =
    buffer_usage::kDefault | buffer_usage::kMapping;
// The alignment that every allocator guarantees.
constexpr int32_t kMaxAlignment = 64;

Allocator& AllocatorOf(const HalModuleState& state) {
  return state.devices()[0]->allocator();
}

absl::StatusOr<BufferAndStorage> Allocate(HalModuleState& state,
                                          int32_t minimum_alignment,
                                          uint64_t size) {
  if (minimum_alignment < 0 || minimum_alignment > kMaxAlignment ||
      std::popcount(static_cast<uint32_t>(minimum_alignment)) > 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("The alignment ", minimum_alignment,
                     " is not a power of two up to ", kMaxAlignment, "."));
  }
  Allocator& allocator = AllocatorOf(state);
  ASSIGN_OR_RETURN(
      Ref<Buffer> buffer,
      state.Allocate(allocator,
                     state.CreateParams(allocator, kInlineMemory, kInlineUsage,
                                        static_cast<int64_t>(kAnyQueue)),
                     size));
  ASSIGN_OR_RETURN(Ref<vm::Buffer> storage,
                   InlineBufferStorage(state, *buffer));
  return BufferAndStorage(std::move(buffer), std::move(storage));
}

}  // namespace

absl::StatusOr<BufferAndStorage> InlineBufferAllocate(HalModuleState& state,
                                                      int32_t minimum_alignment,
                                                      int64_t size) {
  ASSIGN_OR_RETURN(const uint64_t bytes, ReadSize("allocation size", size));
  return Allocate(state, minimum_alignment, bytes);
}

absl::StatusOr<BufferAndStorage> InlineBufferAllocateInitialized(
    HalModuleState& state, int32_t minimum_alignment, vm::Buffer& source,
    int64_t offset, int64_t length) {
  ASSIGN_OR_RETURN(const std::span<const uint8_t> bytes,
                   ReadHostRange(source, offset, length));
  ASSIGN_OR_RETURN(BufferAndStorage made,
                   Allocate(state, minimum_alignment, bytes.size()));
  RETURN_IF_ERROR(state.WriteBytes(*std::get<0>(made), bytes));
  return made;
}

absl::StatusOr<Ref<vm::Buffer>> InlineBufferStorage(HalModuleState& state,
                                                    Buffer& buffer) {
  const bool writable = buffer.CheckAccess(memory_access::kWrite).ok();
  ASSIGN_OR_RETURN(
      const std::span<uint8_t> bytes,
      buffer.Map(writable ? memory_access::kRead | memory_access::kWrite
                          : memory_access::kRead,
                 0, kWholeBuffer));
  auto keep = std::make_shared<Ref<Buffer>>(Ref<Buffer>::Share(&buffer));
  return state.Charged<vm::Buffer>(
      writable ? vm::Buffer::BorrowMutable(bytes, std::move(keep))
               : vm::Buffer::Borrow(bytes, std::move(keep)),
      sizeof(vm::Buffer), "a buffer's storage");
}

absl::StatusOr<Ref<Buffer>> InlineBufferWrap(HalModuleState& state,
                                             vm::Buffer& source, int64_t offset,
                                             int64_t length) {
  return AllocatorImport(
      state, AllocatorOf(state), /*is_try=*/0, static_cast<int64_t>(kAnyQueue),
      static_cast<int32_t>(kInlineMemory), static_cast<int32_t>(kInlineUsage),
      source, offset, length);
}

absl::StatusOr<std::tuple<int32_t, int64_t>> InlineDeviceQueryI64(
    HalModuleState& state, vm::Buffer& category, vm::Buffer& key) {
  return DeviceQueryI64(state, *state.devices()[0], category, key);
}

}  // namespace eyrie::hal
