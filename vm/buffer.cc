// Tested by list_buffer_test.cc.
#include "vm/buffer.h"

#include <bit>
#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "base/byte_reader.h"
#include "base/checked_math.h"
#include "base/status_macros.h"
#include "vm/archive.h"

namespace eyrie::vm {
namespace {

// As a program passes lengths and places: those below 0 are errors.
int64_t Signed(uint64_t value) { return static_cast<int64_t>(value); }

absl::Status PastEnd(uint64_t offset, uint64_t length, uint64_t size) {
  return absl::OutOfRangeError(absl::StrCat(
      "The range of ", Signed(length), " bytes at offset ", Signed(offset),
      " exceeds the buffer's size (", size, " bytes)."));
}

// Of a range counted in elements, whose product may not fit.
absl::Status ElementsPastEnd(uint64_t element, uint64_t count, uint64_t width,
                             uint64_t size) {
  return absl::OutOfRangeError(
      absl::StrCat("The range of ", Signed(count), " elements of ", width,
                   " bytes at index ", Signed(element),
                   " exceeds the buffer's size (", size, " bytes)."));
}

absl::Status TooLarge(uint64_t size) {
  return absl::ResourceExhaustedError(absl::StrCat(
      "A buffer of ", Signed(size), " bytes cannot be allocated."));
}

}  // namespace

Buffer::~Buffer() { std::free(storage_); }

absl::StatusOr<Ref<Buffer>> Buffer::Allocate(
    uint64_t size, uint64_t alignment,
    const std::shared_ptr<MemoryMeter>& memory) {
  if (alignment == 0) alignment = kDefaultAlignment;
  if (!std::has_single_bit(alignment) || alignment > kMaxAlignment) {
    return absl::InvalidArgumentError(
        absl::StrCat("Alignment ", Signed(alignment),
                     " is not a power of two up to ", kMaxAlignment, "."));
  }
  if (size > kMaxSize) return TooLarge(size);
  ASSIGN_OR_RETURN(MemoryCharge charge,
                   MemoryCharge::Take(memory, sizeof(Buffer) + alignment + size,
                                      "a buffer"));
  // calloc leaves big zeroed ranges untouched until they are used.
  void* storage = std::calloc(1, size + alignment);
  if (storage == nullptr) return TooLarge(size);
  const auto address = reinterpret_cast<uintptr_t>(storage);
  uint8_t* data = static_cast<uint8_t*>(storage) + (0 - address) % alignment;
  Ref<Buffer> buffer = Ref<Buffer>::Adopt(new Buffer(data, size, true));
  buffer->storage_ = storage;
  buffer->Hold(std::move(charge));
  return buffer;
}

absl::StatusOr<Ref<Buffer>> Buffer::Copy(
    std::span<const uint8_t> bytes, uint64_t alignment,
    const std::shared_ptr<MemoryMeter>& memory) {
  ASSIGN_OR_RETURN(Ref<Buffer> buffer,
                   Allocate(bytes.size(), alignment, memory));
  if (!bytes.empty()) std::memcpy(buffer->data_, bytes.data(), bytes.size());
  return buffer;
}

absl::StatusOr<Ref<Buffer>> Buffer::CopyText(
    absl::string_view text, const std::shared_ptr<MemoryMeter>& memory) {
  return Copy({reinterpret_cast<const uint8_t*>(text.data()), text.size()},
              kDefaultAlignment, memory);
}

Ref<Buffer> Buffer::Borrow(std::span<const uint8_t> bytes,
                           std::shared_ptr<const void> owner,
                           const MappedFile* file) {
  Ref<Buffer> buffer = Ref<Buffer>::Adopt(new Buffer(
      const_cast<uint8_t*>(bytes.data()), bytes.size(), /*is_mutable=*/false));
  buffer->owner_ = std::move(owner);
  buffer->file_ = file;
  return buffer;
}

Ref<Buffer> Buffer::BorrowFrom(std::shared_ptr<const Archive> archive,
                               std::span<const uint8_t> bytes) {
  const Archive* const origin = archive.get();
  Ref<Buffer> buffer = Borrow(bytes, std::move(archive), origin->file());
  buffer->archive_ = origin;
  return buffer;
}

absl::Status Buffer::CheckOrigin() const {
  return archive_ == nullptr ? absl::OkStatus()
                             : archive_->CheckMemberOf(bytes());
}

Ref<Buffer> Buffer::BorrowMutable(std::span<uint8_t> bytes,
                                  std::shared_ptr<const void> owner) {
  Ref<Buffer> buffer =
      Ref<Buffer>::Adopt(new Buffer(bytes.data(), bytes.size(), true));
  buffer->owner_ = std::move(owner);
  return buffer;
}

Ref<Buffer> Buffer::Window() {
  return Ref<Buffer>::Adopt(new Buffer(nullptr, 0, /*is_mutable=*/false));
}

absl::Status Buffer::ReadOnlyError() const {
  return absl::PermissionDeniedError(absl::StrCat(
      "The buffer of ", size_, " bytes is read-only and cannot be written."));
}

absl::StatusOr<std::span<uint8_t>> Buffer::MutableBytes() {
  if (!mutable_) return ReadOnlyError();
  return std::span<uint8_t>(data_, size_);
}

absl::StatusOr<std::span<const uint8_t>> Buffer::Range(uint64_t offset,
                                                       uint64_t length) const {
  if (!RangeFits(offset, length, size_)) return PastEnd(offset, length, size_);
  return std::span<const uint8_t>(data_ + offset, length);
}

absl::StatusOr<std::span<uint8_t>> Buffer::MutableRange(uint64_t offset,
                                                        uint64_t length) {
  if (!mutable_) return ReadOnlyError();
  if (!RangeFits(offset, length, size_)) return PastEnd(offset, length, size_);
  return std::span<uint8_t>(data_ + offset, length);
}

absl::Status Buffer::LoadError(uint64_t element, uint64_t width) const {
  return ElementsPastEnd(element, 1, width, size_);
}

absl::Status Buffer::StoreError(uint64_t element, uint64_t width) const {
  if (!mutable_) return ReadOnlyError();
  return ElementsPastEnd(element, 1, width, size_);
}

absl::Status Buffer::CheckFill(uint64_t element, uint64_t count, uint64_t width,
                               uint8_t*& begin) {
  if (!mutable_) return ReadOnlyError();
  if (!RangeFits(element, count, size_ / width)) {
    return ElementsPastEnd(element, count, width, size_);
  }
  begin = data_ + element * width;
  return absl::OkStatus();
}

absl::Status Buffer::CopyBytes(const Buffer& source, uint64_t source_offset,
                               Buffer& target, uint64_t target_offset,
                               uint64_t length) {
  ASSIGN_OR_RETURN(std::span<const uint8_t> from,
                   source.Range(source_offset, length));
  ASSIGN_OR_RETURN(std::span<uint8_t> to,
                   target.MutableRange(target_offset, length));
  if (length != 0) std::memmove(to.data(), from.data(), length);
  return absl::OkStatus();
}

absl::StatusOr<bool> Buffer::Compare(const Buffer& left, uint64_t left_offset,
                                     const Buffer& right, uint64_t right_offset,
                                     uint64_t length) {
  ASSIGN_OR_RETURN(std::span<const uint8_t> a, left.Range(left_offset, length));
  ASSIGN_OR_RETURN(std::span<const uint8_t> b,
                   right.Range(right_offset, length));
  return length == 0 || std::memcmp(a.data(), b.data(), length) == 0;
}

absl::StatusOr<uint64_t> Buffer::Hash(uint64_t offset, uint64_t length) const {
  ASSIGN_OR_RETURN(std::span<const uint8_t> bytes, Range(offset, length));
  return SipHash24(bytes);
}

uint64_t SipHash24(std::span<const uint8_t> bytes) {
  constexpr uint64_t kKey0 = 0x0706050403020100, kKey1 = 0x0f0e0d0c0b0a0908;
  uint64_t v0 = kKey0 ^ 0x736f6d6570736575, v1 = kKey1 ^ 0x646f72616e646f6d;
  uint64_t v2 = kKey0 ^ 0x6c7967656e657261, v3 = kKey1 ^ 0x7465646279746573;
  auto rounds = [&](int count) {
    for (int i = 0; i < count; ++i) {
      v0 += v1;
      v1 = std::rotl(v1, 13) ^ v0;
      v0 = std::rotl(v0, 32);
      v2 += v3;
      v3 = std::rotl(v3, 16) ^ v2;
      v0 += v3;
      v3 = std::rotl(v3, 21) ^ v0;
      v2 += v1;
      v1 = std::rotl(v1, 17) ^ v2;
      v2 = std::rotl(v2, 32);
    }
  };
  auto absorb = [&](uint64_t word) {
    v3 ^= word;
    rounds(2);
    v0 ^= word;
  };
  size_t i = 0;
  for (; i + 8 <= bytes.size(); i += 8) {
    absorb(LoadLittleEndian<uint64_t>(bytes.data() + i));
  }
  uint64_t last = static_cast<uint64_t>(bytes.size()) << 56;
  for (int shift = 0; i < bytes.size(); ++i, shift += 8) {
    last |= static_cast<uint64_t>(bytes[i]) << shift;
  }
  absorb(last);
  v2 ^= 0xff;
  rounds(4);
  return v0 ^ v1 ^ v2 ^ v3;
}

}  // namespace eyrie::vm
