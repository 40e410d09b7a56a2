#include "tools/bisect/meeting.h"

#include <chrono>

namespace eyrie::tools {
namespace {

constexpr std::chrono::milliseconds kPoll(50);  // of `stop`

size_t IndexOf(SideOf side) { return static_cast<size_t>(side); }

}  // namespace

absl::Status Meeting::Meet(SideOf side, const hal::ObservedDispatch& dispatch,
                           const Compare& compare) {
  std::unique_lock<std::mutex> lock(mutex_);
  const size_t own = IndexOf(side);
  if (left_[1 - own]) return absl::OkStatus();
  here_[own] = &dispatch;
  if (here_[1 - own] != nullptr) {
    outcome_ = compare(*here_[0], *here_[1]);
    here_ = {};
    ++meetings_;
    changed_.notify_all();
    return outcome_;
  }
  const size_t before = meetings_;
  while (meetings_ == before && !left_[1 - own] && !*stop_) {
    changed_.wait_for(lock, kPoll);
  }
  if (meetings_ != before) return outcome_;
  here_[own] = nullptr;
  return *stop_ ? absl::CancelledError("interrupted") : absl::OkStatus();
}

void Meeting::Leave(SideOf side) {
  const std::lock_guard<std::mutex> lock(mutex_);
  left_[IndexOf(side)] = true;
  changed_.notify_all();
}

bool Meeting::HasLeft(SideOf side) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return left_[IndexOf(side)];
}

}  // namespace eyrie::tools
