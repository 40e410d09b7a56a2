#include "vm/object/buffer.h"

#include <bit>
#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "base/byte_reader.h"
#include "base/checked_math.h"
#include "base/status_macros.h"

namespace eyrie::vm {
namespace {

// Programs pass signed lengths and offsets, so show negative ones as such.
int64_t Signed(uint64_t value) { return static_cast<int64_t>(value); }

absl::Status PastEnd(uint64_t offset, uint64_t length, uint64_t size) {
  return absl::OutOfRangeError(absl::StrCat(
      "The range of ", Signed(length), " bytes at offset ", Signed(offset),
      " exceeds the buffer's size (", size, " bytes)."));
}

// The range is counted in elements, whose size in bytes may overflow.
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
    const std::shared_ptr<MemoryMeter>& memory, PayForBytes pay) {
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
  RETURN_IF_ERROR(pay(size));
  // Smaller alignments cost next to nothing.
  if (alignment > kDefaultAlignment) RETURN_IF_ERROR(pay(alignment));
  // calloc does not touch large ranges before they are used.
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
    const std::shared_ptr<MemoryMeter>& memory, PayForBytes pay) {
  ASSIGN_OR_RETURN(Ref<Buffer> buffer,
                   Allocate(bytes.size(), alignment, memory, pay));
  // The bytes were paid for by Allocate; only check for a stop.
  const auto look = [&](uint64_t) { return pay(0); };
  RETURN_IF_ERROR(
      DoInPieces(bytes.size(), look, [&](uint64_t at, uint64_t length) {
        std::memcpy(buffer->data_ + at, bytes.data() + at, length);
      }));
  return buffer;
}

absl::StatusOr<Ref<Buffer>> Buffer::CopyText(
    absl::string_view text, const std::shared_ptr<MemoryMeter>& memory) {
  return Copy({reinterpret_cast<const uint8_t*>(text.data()), text.size()},
              kDefaultAlignment, memory);
}

Ref<Buffer> Buffer::Borrow(std::span<const uint8_t> bytes,
                           std::shared_ptr<const void> owner,
                           const MappedFile* file, CheckBytes check) {
  Ref<Buffer> buffer = Ref<Buffer>::Adopt(new Buffer(
      const_cast<uint8_t*>(bytes.data()), bytes.size(), /*is_mutable=*/false));
  buffer->owner_ = std::move(owner);
  buffer->file_ = file;
  buffer->check_ = check;
  return buffer;
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
                               uint64_t length, PayForBytes pay) {
  ASSIGN_OR_RETURN(std::span<const uint8_t> from,
                   source.Range(source_offset, length));
  ASSIGN_OR_RETURN(std::span<uint8_t> to,
                   target.MutableRange(target_offset, length));
  // If the target is after the source, copies the last piece first, in case
  // they overlap.
  const bool backwards = to.data() > from.data();
  return DoInPieces(length, pay, [&](uint64_t at, uint64_t piece) {
    if (backwards) at = length - at - piece;
    std::memmove(to.data() + at, from.data() + at, piece);
  });
}

absl::StatusOr<bool> Buffer::Compare(const Buffer& left, uint64_t left_offset,
                                     const Buffer& right, uint64_t right_offset,
                                     uint64_t length, PayForBytes pay) {
  ASSIGN_OR_RETURN(std::span<const uint8_t> a, left.Range(left_offset, length));
  ASSIGN_OR_RETURN(std::span<const uint8_t> b,
                   right.Range(right_offset, length));
  bool equal = true;
  RETURN_IF_ERROR(DoInPieces(length, pay, [&](uint64_t at, uint64_t piece) {
    equal = equal && std::memcmp(a.data() + at, b.data() + at, piece) == 0;
  }));
  return equal;
}

absl::StatusOr<uint64_t> Buffer::Hash(uint64_t offset, uint64_t length,
                                      PayForBytes pay) const {
  ASSIGN_OR_RETURN(std::span<const uint8_t> bytes, Range(offset, length));
  SipHash24State state;
  RETURN_IF_ERROR(DoInPieces(length, pay, [&](uint64_t at, uint64_t piece) {
    state.Add(bytes.subspan(at, piece));
  }));
  return state.Finish();
}

void SipHash24State::Rounds(int count) {
  for (int i = 0; i < count; ++i) {
    v0_ += v1_;
    v1_ = std::rotl(v1_, 13) ^ v0_;
    v0_ = std::rotl(v0_, 32);
    v2_ += v3_;
    v3_ = std::rotl(v3_, 16) ^ v2_;
    v0_ += v3_;
    v3_ = std::rotl(v3_, 21) ^ v0_;
    v2_ += v1_;
    v1_ = std::rotl(v1_, 17) ^ v2_;
    v2_ = std::rotl(v2_, 32);
  }
}

void SipHash24State::Absorb(uint64_t word) {
  v3_ ^= word;
  Rounds(2);
  v0_ ^= word;
}

void SipHash24State::Add(std::span<const uint8_t> bytes) {
  size_t i = 0;
  for (; i + 8 <= bytes.size(); i += 8) {
    Absorb(LoadLittleEndian<uint64_t>(bytes.data() + i));
  }
  for (int shift = 0; i < bytes.size(); ++i, shift += 8) {
    last_ |= static_cast<uint64_t>(bytes[i]) << shift;
  }
  size_ += bytes.size();
}

uint64_t SipHash24State::Finish() {
  Absorb(last_ | size_ << 56);
  v2_ ^= 0xff;
  Rounds(4);
  return v0_ ^ v1_ ^ v2_ ^ v3_;
}

uint64_t SipHash24(std::span<const uint8_t> bytes) {
  SipHash24State state;
  state.Add(bytes);
  return state.Finish();
}

}  // namespace eyrie::vm
