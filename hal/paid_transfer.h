// Charges device work to its call's budget: one unit per command, and one per
// KiB copied. Long transfers pay piece by piece, so that they stop soon after
// the call is stopped.
//
// Tested by tests/devices/work_rows.cc.
#ifndef EYRIE_HAL_PAID_TRANSFER_H_
#define EYRIE_HAL_PAID_TRANSFER_H_

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"
#include "base/work_budget.h"

namespace eyrie::hal {

// Takes a few milliseconds, and is large enough for memcpy to bypass the
// caches.
inline constexpr uint64_t kPaidPiece = uint64_t{16} << 20;

// Pays for one command; null `work` means no limit. RESOURCE_EXHAUSTED,
// DEADLINE_EXCEEDED, CANCELLED: the command must not run.
inline absl::Status PayForCommand(WorkBudget* work) {
  if (work == nullptr) return absl::OkStatus();
  return work->Pay(1);
}

// Pays for the next `bytes` of a transfer; `done` of `all` bytes are copied
// already. `what` names the transfer in messages. Errors as PayForCommand.
inline absl::Status PayForBytes(WorkBudget* work, absl::string_view what,
                                uint64_t bytes, uint64_t done = 0,
                                uint64_t all = 0) {
  const auto units = static_cast<int64_t>(bytes / kBytesPerUnit);
  if (work == nullptr || units == 0) return absl::OkStatus();
  absl::Status paid = work->Pay(units);
  if (paid.ok()) [[likely]]
    return paid;
  return Annotate(paid, absl::StrCat("(", what, " of ", std::max(bytes, all),
                                     " bytes, ", done, " of them done)"));
}

// Pays for `bytes` bytes in pieces, and calls `move(offset, length)` for each;
// the last piece first if `backwards`. `what` names the operation in messages.
// Returns the errors of PayForCommand and of `move`.
template <typename Move>
absl::Status MovePaid(WorkBudget* work, absl::string_view what, uint64_t bytes,
                      const Move& move, bool backwards = false) {
  for (uint64_t done = 0; done < bytes;) {
    const uint64_t length = std::min(bytes - done, kPaidPiece);
    RETURN_IF_ERROR(PayForBytes(work, what, length, done, bytes));
    RETURN_IF_ERROR(move(backwards ? bytes - done - length : done, length));
    done += length;
  }
  return absl::OkStatus();
}

// Copy between ranges that do not overlap, and write zeros. `work` pays for the
// bytes as for MovePaid.
inline absl::Status CopyPaid(WorkBudget* work, absl::string_view what,
                             uint8_t* to, const uint8_t* from, uint64_t bytes) {
  return MovePaid(work, what, bytes, [&](uint64_t offset, uint64_t length) {
    std::memcpy(to + offset, from + offset, length);
    return absl::OkStatus();
  });
}
inline absl::Status ClearPaid(WorkBudget* work, absl::string_view what,
                              uint8_t* to, uint64_t bytes) {
  return MovePaid(work, what, bytes, [&](uint64_t offset, uint64_t length) {
    std::memset(to + offset, 0, length);
    return absl::OkStatus();
  });
}

}  // namespace eyrie::hal

#endif  // EYRIE_HAL_PAID_TRANSFER_H_
