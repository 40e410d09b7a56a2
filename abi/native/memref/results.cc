// Tested by call_test.cc.
#include "abi/native/memref/results.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "abi/native/memref/strided.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/checked_math.h"
#include "base/status_macros.h"

namespace eyrie::native {
namespace {

// The allocation of memrefs in the library itself.
constexpr uintptr_t kStatic = 0xdeadbeef;
// Of a tensor: kernels take no binding that begins elsewhere.
constexpr uintptr_t kAlignment = 64;

// Of an i1 only bit 0 counts; of a boolean tensor's, all.
void CleanBooleans(std::span<uint8_t> bytes) {
  for (uint8_t& byte : bytes) byte &= 1;
}

absl::Status BadShape(const MemrefShape& shape, absl::string_view why) {
  return absl::InternalError(
      absl::StrCat("The function returns a memref of the sizes [",
                   absl::StrJoin(shape.dims(), ", "), "]", why, "."));
}

}  // namespace

const LentMemory* MemrefResults::FindLent(const void* allocated) const {
  for (const LentMemory& lent : lent_) {
    if (lent.allocated == allocated) return &lent;
  }
  return nullptr;
}

MemrefResults::Owner MemrefResults::FindOwner(const void* allocated) const {
  for (const auto& [at, owner] : owners_) {
    if (at == allocated) return owner;
  }
  return nullptr;
}

void MemrefResults::Adopt(const MemrefDescriptor& descriptor) {
  void* const at = descriptor.allocated;
  if (at == nullptr || reinterpret_cast<uintptr_t>(at) == kStatic ||
      FindLent(at) != nullptr || FindOwner(at) != nullptr) {
    return;
  }
  owners_.emplace_back(at, Owner(at, parts_.free));
}

absl::StatusOr<Ref<hal::Buffer>> MemrefResults::Share(const LentMemory& lent,
                                                      const uint8_t* data,
                                                      uint64_t bytes) {
  if (lent.view == nullptr ||
      reinterpret_cast<uintptr_t>(data) % kAlignment != 0) {
    return Ref<hal::Buffer>();
  }
  const Ref<hal::Buffer>& buffer = lent.view->buffer();
  const uint64_t offset = reinterpret_cast<uintptr_t>(data) -
                          reinterpret_cast<uintptr_t>(buffer->host_data());
  // Past the end, too, of what lies before the begin.
  if (!RangeFits(offset, bytes, buffer->byte_length())) {
    return Ref<hal::Buffer>();
  }
  return hal::Buffer::Subspan(buffer, offset, bytes);
}

absl::StatusOr<Ref<hal::Buffer>> MemrefResults::Import(Owner owner,
                                                       uint8_t* data,
                                                       uint64_t bytes) {
  ASSIGN_OR_RETURN(MemoryCharge charge,
                   MemoryCharge::Take(parts_.memory, bytes, "a result"));
  auto imported = parts_.device->allocator().ImportHost(
      parts_.params, {data, bytes}, [owner = std::move(owner)] {});
  if (absl::IsUnavailable(imported.status())) return Ref<hal::Buffer>();
  if (imported.ok()) (*imported)->Hold(std::move(charge));
  return imported;
}

absl::StatusOr<Ref<hal::BufferView>> MemrefResults::Copy(
    const MemrefDescriptor& descriptor, hal::ElementType element,
    uint64_t bytes) {
  ASSIGN_OR_RETURN(Ref<hal::Buffer> buffer,
                   parts_.device->allocator().AllocateCharged(
                       parts_.memory, "a result", parts_.params, bytes));
  const size_t width = hal::BitCount(element) / 8;
  MemrefShape dense = descriptor.shape;
  SetDenseStrides(dense);
  if (bytes != 0) {
    CopyStrided(
        descriptor.shape, width,
        descriptor.aligned + descriptor.offset * static_cast<int64_t>(width),
        descriptor.shape.strides, buffer->host_data(), dense.strides);
  }
  if (element == hal::ElementType::kBool8) {
    CleanBooleans({buffer->host_data(), bytes});
  }
  return hal::BufferView::Create(std::move(buffer), dense.dims(), element);
}

absl::StatusOr<Ref<hal::BufferView>> MemrefResults::View(
    const MemrefDescriptor& descriptor, hal::ElementType element) {
  const MemrefShape& shape = descriptor.shape;
  const std::optional<int64_t> count = CountElements(shape);
  const std::optional<uint64_t> bytes =
      count ? hal::DenseByteLength(element, *count) : std::nullopt;
  if (!bytes) return BadShape(shape, ", which no memory has");
  if (*bytes == 0) return Copy(descriptor, element, 0);
  if (descriptor.aligned == nullptr) return BadShape(shape, " at null");
  if (!IsDense(shape)) return Copy(descriptor, element, *bytes);
  const auto width = static_cast<int64_t>(hal::BitCount(element) / 8);
  uint8_t* const data = descriptor.aligned + descriptor.offset * width;
  Ref<hal::Buffer> buffer;
  if (const LentMemory* lent = FindLent(descriptor.allocated)) {
    ASSIGN_OR_RETURN(buffer, Share(*lent, data, *bytes));
  } else if (Owner owner = FindOwner(descriptor.allocated)) {
    ASSIGN_OR_RETURN(buffer, Import(std::move(owner), data, *bytes));
    if (buffer && element == hal::ElementType::kBool8) {
      CleanBooleans({data, *bytes});
    }
  }
  if (!buffer) return Copy(descriptor, element, *bytes);
  return hal::BufferView::Create(std::move(buffer), shape.dims(), element);
}

}  // namespace eyrie::native
