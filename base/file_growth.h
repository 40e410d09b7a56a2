// Limits for the tables decoded from a file and for the text printed of it.
//
// Offsets in a file may refer to the same bytes any number of times, so a small
// file could decode to any size. All readers of files with offsets therefore
// use a DecodingBudget. All printers of such files stop at MostTextOf() bytes.
// Tested by file_growth_test.cc.
#ifndef EYRIE_BASE_FILE_GROWTH_H_
#define EYRIE_BASE_FILE_GROWTH_H_

#include <algorithm>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace eyrie {

// The limit for text: 64 bytes for each byte of the file, at least 64 MiB.
inline constexpr uint64_t kMaxTextGrowth = 64;
inline constexpr uint64_t kLeastMostText = uint64_t{64} << 20;

constexpr uint64_t MostTextOf(uint64_t file_bytes) {
  if (file_bytes > UINT64_MAX / kMaxTextGrowth) return UINT64_MAX;
  return std::max(file_bytes * kMaxTextGrowth, kLeastMostText);
}

// Returns the error for a text that was cut at its limit of `most` bytes.
absl::Status TextTooLongError(uint64_t most, uint64_t file_bytes);

// Counts the entries of a file's tables and their text before they are decoded.
// A file that stores each entry once decodes to at most 5 bytes for each of its
// own; the limit is 8. Thread-compatible.
class DecodingBudget {
 public:
  // Bytes counted for one entry, besides its text.
  static constexpr uint64_t kEntryBytes = 96;
  // Bytes that may be decoded for each byte of the file, and the least limit.
  static constexpr uint64_t kMaxGrowth = 8;
  static constexpr uint64_t kLeastMost = uint64_t{96} << 10;

  // `file_bytes` is the size of the file, or of the part that is decoded.
  explicit DecodingBudget(uint64_t file_bytes)
      : file_bytes_(file_bytes),
        most_(std::max(file_bytes <= UINT64_MAX / kMaxGrowth
                           ? file_bytes * kMaxGrowth
                           : UINT64_MAX,
                       kLeastMost)),
        left_(most_) {}

  // RESOURCE_EXHAUSTED: the budget is spent. The message begins with `what`,
  // a plural: "The module's tables".
  absl::Status TakeBytes(uint64_t bytes, absl::string_view what) {
    if (bytes > left_) return Exhausted(what);
    left_ -= bytes;
    return absl::OkStatus();
  }
  absl::Status TakeEntries(uint64_t count, absl::string_view what) {
    if (count > left_ / kEntryBytes) return Exhausted(what);
    return TakeBytes(count * kEntryBytes, what);
  }

 private:
  absl::Status Exhausted(absl::string_view what) const;

  uint64_t file_bytes_;
  uint64_t most_;
  uint64_t left_;
};

}  // namespace eyrie

#endif  // EYRIE_BASE_FILE_GROWTH_H_
