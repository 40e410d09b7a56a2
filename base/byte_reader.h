// Reads little-endian values from a span of bytes, never past its end.
//
// Tested by base_test.cc.
#ifndef EYRIE_BASE_BYTE_READER_H_
#define EYRIE_BASE_BYTE_READER_H_

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"

namespace eyrie {

static_assert(std::endian::native == std::endian::little,
              "File formats are read in place; a big-endian host is unknown.");

// Returns the value at `bytes`, which need not be aligned.
template <typename T>
inline T LoadLittleEndian(const void* bytes) {
  static_assert(std::is_trivially_copyable_v<T>);
  T value;
  std::memcpy(&value, bytes, sizeof(T));
  return value;
}

// A cursor over borrowed bytes. Thread-compatible. If too few bytes
// are left, a read returns OUT_OF_RANGE and does not move the cursor.
class ByteReader {
 public:
  explicit ByteReader(std::span<const uint8_t> bytes) : bytes_(bytes) {}

  size_t offset() const { return offset_; }
  size_t remaining() const { return bytes_.size() - offset_; }

  template <typename T>
  absl::StatusOr<T> Read() {
    if (sizeof(T) > remaining()) return PastEnd(sizeof(T));
    T value = LoadLittleEndian<T>(bytes_.data() + offset_);
    offset_ += sizeof(T);
    return value;
  }
  absl::StatusOr<uint8_t> ReadU8() { return Read<uint8_t>(); }
  absl::StatusOr<uint16_t> ReadU16() { return Read<uint16_t>(); }
  absl::StatusOr<uint32_t> ReadU32() { return Read<uint32_t>(); }
  absl::StatusOr<uint64_t> ReadU64() { return Read<uint64_t>(); }

  // Returns a view of the next `size` bytes, without a copy.
  absl::StatusOr<std::span<const uint8_t>> Take(uint64_t size) {
    if (size > remaining()) return PastEnd(size);
    std::span<const uint8_t> taken = bytes_.subspan(offset_, size);
    offset_ += size;
    return taken;
  }

  absl::Status Skip(uint64_t size) { return Take(size).status(); }

  // Moves to an absolute offset, which may be the end.
  absl::Status Seek(uint64_t offset) {
    if (offset > bytes_.size()) {
      return absl::OutOfRangeError(absl::StrCat(
          "Offset ", offset, " is past the end (", bytes_.size(), " bytes)."));
    }
    offset_ = offset;
    return absl::OkStatus();
  }

 private:
  absl::Status PastEnd(uint64_t size) const {
    return absl::OutOfRangeError(
        absl::StrCat("A read of ", size, " bytes at offset ", offset_,
                     " exceeds the bytes left (", remaining(), ")."));
  }

  std::span<const uint8_t> bytes_;
  size_t offset_ = 0;
};

}  // namespace eyrie

#endif  // EYRIE_BASE_BYTE_READER_H_
