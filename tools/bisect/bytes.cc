#include "tools/bisect/bytes.h"

#include <algorithm>
#include <cstring>

#include "base/status_macros.h"

namespace eyrie::tools {
namespace {

constexpr uint64_t kGap = 4 * kTensorAlignment;  // within a range, at most
constexpr size_t kMaxRanges = 64;
constexpr uint8_t kNewByte = 0xCB;
constexpr uint64_t kManyNewBytes = 16;
constexpr uint64_t kPiece = uint64_t{1} << 20;

// Reports whether memory between two tensors has never been written: a few
// bytes in a row are those of EachDispatch.
bool HasNewBytes(Bytes bytes, uint64_t begin, uint64_t end) {
  uint64_t found = 0;
  for (uint64_t at = begin; at < end && found < kManyNewBytes; ++at) {
    found = bytes[at] == kNewByte ? found + 1 : 0;
  }
  return found == kManyNewBytes;
}

}  // namespace

bool IsSameRange(const hal::Buffer& a, const hal::Buffer& b) {
  return &a.allocation() == &b.allocation() &&
         a.byte_offset() == b.byte_offset() &&
         a.byte_length() == b.byte_length();
}

absl::StatusOr<Bytes> Look(hal::Buffer& buffer, std::vector<uint8_t>& copy) {
  const uint64_t length = buffer.byte_length();
  if (const uint8_t* const data = buffer.Peek(0, length)) {
    return Bytes(data, length);
  }
  copy.resize(length);
  RETURN_IF_ERROR(buffer.Read(0, copy));
  return Bytes(copy);
}

std::vector<ByteRange> ChangedRanges(Bytes before, Bytes after) {
  std::vector<ByteRange> ranges;
  const uint64_t size = std::min(before.size(), after.size());
  for (uint64_t at = 0; at < size; at += kTensorAlignment) {
    uint64_t end = std::min(at + kTensorAlignment, size);
    if (std::memcmp(&before[at], &after[at], end - at) == 0) continue;
    while (before[end - 1] == after[end - 1]) --end;
    if (!ranges.empty() && at - ranges.back().end < kGap &&
        !HasNewBytes(after, ranges.back().end, at)) {
      ranges.back().end = end;
    } else {
      ranges.push_back({at, end});
    }
  }
  if (ranges.size() > kMaxRanges) {
    ranges = {{ranges.front().begin, ranges.back().end}};
  }
  return ranges;
}

std::vector<size_t> DistinctBindings(const hal::ObservedDispatch& dispatch) {
  std::vector<size_t> distinct;
  for (size_t i = 0; i < dispatch.bindings.size(); ++i) {
    const bool is_known =
        std::any_of(distinct.begin(), distinct.end(), [&](size_t earlier) {
          return IsSameRange(*dispatch.bindings[earlier],
                             *dispatch.bindings[i]) &&
                 hal::IsReadOnly(*dispatch.bindings[earlier]) ==
                     hal::IsReadOnly(*dispatch.bindings[i]);
        });
    if (!is_known) distinct.push_back(i);
  }
  return distinct;
}

absl::Status EachDispatch::Allocated(hal::Buffer& buffer) {
  const uint64_t length = buffer.byte_length();
  const std::vector<uint8_t> piece(std::min(length, kPiece), kNewByte);
  for (uint64_t done = 0; done < length; done += kPiece) {
    const Bytes part = Bytes(piece).first(std::min(kPiece, length - done));
    if (!buffer.Write(done, part).ok()) break;
  }
  return absl::OkStatus();
}

}  // namespace eyrie::tools
