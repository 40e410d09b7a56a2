#include "base/fork_mark.h"

#include <pthread.h>

#include "absl/strings/str_cat.h"

namespace eyrie {

ForkMark::ForkMark()
    : forks_([] {
        static const int kHandler = pthread_atfork(nullptr, nullptr, [] {
          count_.fetch_add(1, std::memory_order_relaxed);
        });
        static_cast<void>(kHandler);
        return count_.load(std::memory_order_relaxed);
      }()) {}

absl::Status ForkMark::Forked(absl::string_view what) {
  return absl::FailedPreconditionError(absl::StrCat(
      what,
      " was opened before fork(), and its threads do not exist in this "
      "child process. Open a device in the child."));
}

}  // namespace eyrie
