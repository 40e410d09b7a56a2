// Threads of the libraries. A thread that cannot be started is an error. The
// threads block all signals, so that only the program's own threads get them.
//
//   ASSIGN_OR_RETURN(thread_, Thread::Start("messages", [this] { Work(); }));
// Tested by thread_test.cc.
#ifndef EYRIE_BASE_THREAD_H_
#define EYRIE_BASE_THREAD_H_

#include <pthread.h>

#include <cstddef>
#include <functional>
#include <optional>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace eyrie {

// Owns at most one thread. Movable. The destructor calls Join().
class Thread {
 public:
  // Runs `run` on a new thread. Its stack has at least `stack_bytes`; 0 selects
  // the system's default (8 MiB of address space).
  // RESOURCE_EXHAUSTED: it cannot be started; the message names `purpose`.
  static absl::StatusOr<Thread> Start(absl::string_view purpose,
                                      std::function<void()> run,
                                      size_t stack_bytes = 0);

  Thread() = default;
  Thread(Thread&& other) noexcept
      : id_(std::exchange(other.id_, std::nullopt)) {}
  Thread& operator=(Thread&& other) noexcept {
    Join();
    id_ = std::exchange(other.id_, std::nullopt);
    return *this;
  }
  ~Thread() { Join(); }

  bool is_started() const { return id_.has_value(); }
  // Reports whether the caller runs on this thread.
  bool IsCurrent() const {
    return id_.has_value() && pthread_equal(*id_, pthread_self()) != 0;
  }
  // Waits until the thread ends. If called on the thread itself, detaches it.
  void Join();
  // Lets the thread run on; nothing waits for it.
  void Detach();
  // Forgets the thread. For the child of a fork, where it does not exist.
  void Forget() { id_.reset(); }

 private:
  explicit Thread(pthread_t id) : id_(id) {}

  std::optional<pthread_t> id_;
};

}  // namespace eyrie

#endif  // EYRIE_BASE_THREAD_H_
