#include "abi/native/memref/results.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <span>

#include "abi/native/memref/descriptor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"

namespace eyrie::native {
namespace {

// The allocation pointer of memrefs in the library's data.
constexpr uintptr_t kStatic = 0xdeadbeef;
// Tensors must be aligned; kernels do not accept other bindings.
constexpr uintptr_t kAlignment = 64;

// Only bit 0 of an i1 is defined, but in a boolean tensor all bits are.
void CleanBooleans(std::span<uint8_t> bytes) {
  for (uint8_t& byte : bytes) byte &= 1;
}

std::span<const int64_t> Strides(const MemrefShape& shape) {
  return {shape.strides.data(), shape.rank};
}

// Reports whether all elements of a non-empty descriptor are in the memory.
bool Holds(const LentMemory& lent, const MemrefDescriptor& descriptor,
           hal::ElementType element) {
  const auto width = static_cast<int64_t>(hal::BitCount(element) / 8);
  // The offset in bytes from the allocation; the function may have moved the
  // aligned pointer.
  const auto aligned =
      static_cast<int64_t>(reinterpret_cast<uintptr_t>(descriptor.aligned) -
                           reinterpret_cast<uintptr_t>(lent.allocated));
  int64_t low = 0;
  bool overflows = __builtin_mul_overflow(descriptor.offset, width, &low) ||
                   __builtin_add_overflow(low, aligned, &low);
  int64_t high = low;
  for (size_t i = 0; i < descriptor.shape.rank; ++i) {
    int64_t reach = 0;
    overflows = overflows ||
                __builtin_mul_overflow(descriptor.shape.sizes[i] - 1,
                                       descriptor.shape.strides[i], &reach) ||
                __builtin_mul_overflow(reach, width, &reach);
    int64_t& end = reach < 0 ? low : high;
    overflows = overflows || __builtin_add_overflow(end, reach, &end);
  }
  return !overflows && low >= 0 &&
         !__builtin_add_overflow(high, width, &high) &&
         static_cast<uint64_t>(high) <= lent.bytes;
}

absl::Status BadShape(const MemrefShape& shape, absl::string_view why) {
  return absl::InternalError(
      absl::StrCat("The function returns a memref of the sizes [",
                   absl::StrJoin(shape.dims(), ", "), "]", why, "."));
}

}  // namespace

bool MemrefResults::IsLent(const void* allocated) const {
  return std::any_of(lent_.begin(), lent_.end(), [&](const LentMemory& lent) {
    return lent.allocated == allocated;
  });
}

absl::StatusOr<const LentMemory*> MemrefResults::FindLent(
    const MemrefDescriptor& descriptor, hal::ElementType element) const {
  const LentMemory* found = nullptr;
  for (const LentMemory& lent : lent_) {
    if (lent.allocated != descriptor.allocated || lent.allocated == nullptr) {
      continue;
    }
    // Two arguments may start at the same address in one buffer.
    if (Holds(lent, descriptor, element)) return &lent;
    if (found == nullptr) found = &lent;
  }
  if (found == nullptr) return found;
  return BadShape(descriptor.shape,
                  absl::StrCat(" and the strides [",
                               absl::StrJoin(Strides(descriptor.shape), ", "),
                               "] that is not within the memory of argument ",
                               found->argument, ", ", found->bytes, " bytes"));
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
      IsLent(at) || FindOwner(at) != nullptr) {
    return;
  }
  owners_.emplace_back(at, Owner(at, free_));
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
  if (!bytes) return BadShape(shape, ", which exceed any memory");
  if (*bytes == 0) return Copy(descriptor, element, 0);
  if (descriptor.aligned == nullptr) return BadShape(shape, " at null");
  ASSIGN_OR_RETURN(const LentMemory* const lent, FindLent(descriptor, element));
  if (!IsDense(shape)) return Copy(descriptor, element, *bytes);
  const auto width = static_cast<int64_t>(hal::BitCount(element) / 8);
  uint8_t* const data = descriptor.aligned + descriptor.offset * width;
  Ref<hal::Buffer> buffer;
  if (lent != nullptr) {
    ASSIGN_OR_RETURN(buffer, Share(*lent, data, *bytes));
  } else if (Owner owner = FindOwner(descriptor.allocated);
             owner.use_count() == 2) {  // here and in owners_: the first result
    ASSIGN_OR_RETURN(buffer, Import(std::move(owner), data, *bytes));
    if (buffer && element == hal::ElementType::kBool8) {
      CleanBooleans({data, *bytes});
    }
  }
  if (!buffer) return Copy(descriptor, element, *bytes);
  return hal::BufferView::Create(std::move(buffer), shape.dims(), element);
}

}  // namespace eyrie::native
