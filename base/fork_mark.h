// Tells in which process an object was made: a child of fork() has a copy of
// it, and only the thread that called fork().
//
// Threads that the object started do not exist in the child, and a lock that
// one of them held is never released there. Such an object refuses work in the
// child, waits for nothing, and is never destroyed.
// Tested by fork_mark_test.cc.
#ifndef EYRIE_BASE_FORK_MARK_H_
#define EYRIE_BASE_FORK_MARK_H_

#include <atomic>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace eyrie {

// Immutable. Does not see children that are made without the C library.
class ForkMark {
 public:
  ForkMark();

  // True in a child that was forked after this was made.
  bool IsForked() const {
    return forks_ != count_.load(std::memory_order_relaxed);
  }
  // FAILED_PRECONDITION in such a child: `what`, "The device", was opened by
  // its parent.
  absl::Status Check(absl::string_view what) const {
    if (!IsForked()) [[likely]]
      return absl::OkStatus();
    return Forked(what);
  }
  // That error.
  static absl::Status Forked(absl::string_view what);

 private:
  // Forks from the first process of the program to this one.
  static inline constinit std::atomic<uint32_t> count_{0};
  const uint32_t forks_;
};

}  // namespace eyrie

#endif  // EYRIE_BASE_FORK_MARK_H_
