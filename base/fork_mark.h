// Detects that an object was created before a fork() of this process.
//
// The child of fork() has a copy of the object, but only the thread that called
// fork(). The threads of the object do not exist there, and a lock that one of
// them held is never released. In the child, such an object must refuse work,
// must not wait, and must not be destroyed.
// Tested by fork_mark_test.cc.
#ifndef EYRIE_BASE_FORK_MARK_H_
#define EYRIE_BASE_FORK_MARK_H_

#include <atomic>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace eyrie {

// Immutable. Does not detect forks that bypass the C library.
class ForkMark {
 public:
  ForkMark();

  // Reports whether this process was forked after the mark was created.
  bool IsForked() const {
    return forks_ != count_.load(std::memory_order_relaxed);
  }
  // FAILED_PRECONDITION: IsForked(). The message begins with `what`, such as
  // "The device".
  absl::Status Check(absl::string_view what) const {
    if (!IsForked()) [[likely]]
      return absl::OkStatus();
    return Forked(what);
  }
  // Returns the error of Check.
  static absl::Status Forked(absl::string_view what);

 private:
  // The number of forks between the program's first process and this one.
  static inline constinit std::atomic<uint32_t> count_{0};
  const uint32_t forks_;
};

}  // namespace eyrie

#endif  // EYRIE_BASE_FORK_MARK_H_
