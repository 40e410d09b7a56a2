// Limits on what a file may become: tables decoded from it, text printed of it.
//
// Offsets in a file may name the same bytes any number of times, so that a
// small file can decode to any size. All readers of files with offsets count
// against a DecodingBudget; all printers of what files name stop at
// MostTextOf().
// Tested by file_growth_test.cc.
#ifndef EYRIE_BASE_FILE_GROWTH_H_
#define EYRIE_BASE_FILE_GROWTH_H_

#include <algorithm>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace eyrie {

// Text of what a file names: 64 bytes for each byte of the file, and at least
// 64 MiB.
inline constexpr uint64_t kMaxTextGrowth = 64;
inline constexpr uint64_t kLeastMostText = uint64_t{64} << 20;

constexpr uint64_t MostTextOf(uint64_t file_bytes) {
  if (file_bytes > UINT64_MAX / kMaxTextGrowth) return UINT64_MAX;
  return std::max(file_bytes * kMaxTextGrowth, kLeastMostText);
}

// The error of a text that ended at a limit of `most` bytes.
absl::Status TextTooLongError(uint64_t most, uint64_t file_bytes);

// Counts the entries of a file's tables, and the text that they name, before
// they are decoded. A file that stores each entry once uses at most 5 of the 8
// bytes that each of its own may become.
class DecodingBudget {
 public:
  // What one entry counts, besides its text.
  static constexpr uint64_t kEntryBytes = 96;
  // Bytes that may be decoded for each byte of the file, and at least.
  static constexpr uint64_t kMaxGrowth = 8;
  static constexpr uint64_t kLeastMost = uint64_t{96} << 10;

  // `file_bytes` are those of the file, or of the part of it, that is decoded.
  explicit DecodingBudget(uint64_t file_bytes)
      : file_bytes_(file_bytes),
        most_(std::max(file_bytes <= UINT64_MAX / kMaxGrowth
                           ? file_bytes * kMaxGrowth
                           : UINT64_MAX,
                       kLeastMost)),
        left_(most_) {}

  // RESOURCE_EXHAUSTED: the budget is spent; the sentence begins with `what`,
  // a plural such as "The module's tables".
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
