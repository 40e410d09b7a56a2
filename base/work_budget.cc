// Units are taken by compare and exchange, so that no unit is taken twice and
// an unlimited budget stays unlimited.
#include "base/work_budget.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace eyrie {

int64_t WorkBudget::TakeCounted(int64_t units) {
  if (stopped()) return 0;
  int64_t left = units_.load(std::memory_order_relaxed);
  while (left != kUnlimited) {
    if (left <= 0) {
      refused_.store(true, std::memory_order_relaxed);
      return 0;
    }
    const int64_t taken = std::min(left, units);
    if (units_.compare_exchange_weak(left, left - taken,
                                     std::memory_order_relaxed)) {
      return taken;
    }
  }
  return units;
}

void WorkBudget::StopIfLate() const {
  const auto ends =
      Deadline::FromNanoseconds(ends_.load(std::memory_order_relaxed));
  if (!ends.HasPassed()) return;
  int none = 0;
  stop_.compare_exchange_strong(
      none, static_cast<int>(absl::StatusCode::kDeadlineExceeded),
      std::memory_order_relaxed);
  refused_.store(true, std::memory_order_relaxed);
}

void WorkBudget::Give(int64_t units) {
  int64_t left = units_.load(std::memory_order_relaxed);
  while (left != kUnlimited) {
    // A limited budget stays below kUnlimited.
    const int64_t sum = std::min(left, kUnlimited - 1 - units) + units;
    if (units_.compare_exchange_weak(left, sum, std::memory_order_relaxed)) {
      return;
    }
  }
}

absl::Status WorkBudget::StopReason() const {
  const auto code =
      static_cast<absl::StatusCode>(stop_.load(std::memory_order_relaxed));
  if (code == absl::StatusCode::kOk && whole_ != nullptr && whole_->stopped()) {
    return whole_->StopReason();
  }
  switch (code) {
    case absl::StatusCode::kOk:
      return absl::ResourceExhaustedError(
          absl::StrCat("The device's work for the call takes more than ",
                       limit_.load(std::memory_order_relaxed),
                       " units of fuel, its limit."));
    case absl::StatusCode::kDeadlineExceeded:
      return absl::DeadlineExceededError(absl::StrCat(
          "The device's work is stopped: the call takes longer than its limit "
          "of time (",
          absl::FormatDuration(timeout_), ")."));
    default:
      return absl::CancelledError(
          "The device's work is stopped: the call is cancelled.");
  }
}

}  // namespace eyrie
