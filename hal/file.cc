#include "hal/file.h"

#include <cstring>

#include "absl/strings/str_cat.h"
#include "base/checked_math.h"
#include "base/status_macros.h"

namespace eyrie::hal {
namespace {

absl::Status CheckRange(uint64_t offset, uint64_t length, uint64_t size) {
  if (RangeFits(offset, length, size)) return absl::OkStatus();
  return absl::OutOfRangeError(
      absl::StrCat("The range of ", length, " bytes at offset ", offset,
                   " passes the end of the file (", size, " bytes)."));
}

}  // namespace

absl::Status File::Read(uint64_t offset, std::span<uint8_t> target) const {
  RETURN_IF_ERROR(CheckRange(offset, target.size(), length()));
  if (!(access_ & memory_access::kRead)) {
    return absl::PermissionDeniedError("The file is not readable.");
  }
  if (reader_) return reader_(offset, target);
  if (!target.empty()) {
    std::memcpy(target.data(), contents_.data() + offset, target.size());
  }
  return absl::OkStatus();
}

absl::Status File::Write(uint64_t offset, std::span<const uint8_t> source) {
  RETURN_IF_ERROR(CheckRange(offset, source.size(), length()));
  if (!(access_ & memory_access::kWrite)) {
    return absl::PermissionDeniedError("The file is not writable.");
  }
  if (!source.empty()) {
    std::memcpy(contents_.data() + offset, source.data(), source.size());
  }
  return absl::OkStatus();
}

}  // namespace eyrie::hal
