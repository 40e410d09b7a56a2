// Events: what becomes ready once, or fails.
// Tested by pjrt_test.cc, lifetime_test.cc.
#ifndef EYRIE_PLUGINS_PJRT_EVENT_H_
#define EYRIE_PLUGINS_PJRT_EVENT_H_

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"

namespace eyrie::pjrt {

struct SignalCalls;

// The state that events share. Thread-safe.
class Signal {
 public:
  using Callback = std::function<void(const absl::Status&)>;

  // Signals the waiters that are left with CANCELLED.
  ~Signal();

  // Becomes ready, or fails, and calls the callbacks on this thread. Returns
  // false if it was already ready.
  bool Set(absl::Status status);
  // The same, for the end of a callback that is not a client's: the callbacks
  // may be called after it. Has no effect if the signal was already ready.
  void SetNext(absl::Status status);
  bool IsReady() const;
  // Blocks until it is ready. Returns the error if it has failed.
  absl::Status Await() const;
  // Calls `callback` on the thread that sets the signal; before this returns if
  // it is ready.
  void OnReady(Callback callback);

 private:
  // Returns the calls to make, or nothing if it was already ready.
  std::optional<SignalCalls> BecomeReady(absl::Status status);

  mutable std::mutex mutex_;  // guards all below
  mutable std::condition_variable changed_;
  bool ready_ = false;
  absl::Status status_;
  std::vector<Callback> callbacks_;
};

// Callbacks of a signal that is ready, and how many of them have been called.
struct SignalCalls {
  std::vector<Signal::Callback> callbacks;
  absl::Status status;
  size_t next = 0;
};

using SignalPtr = std::shared_ptr<Signal>;  // null: ready, without an error

// Calls `callback` when all signals are ready, with the first error among them.
void WhenAllReady(const std::vector<SignalPtr>& signals,
                  Signal::Callback callback);

// Reports whether a signal is ready, and waits for it. Null is ready.
inline bool IsReady(const SignalPtr& signal) {
  return signal == nullptr || signal->IsReady();
}
inline absl::Status Await(const SignalPtr& signal) {
  return signal == nullptr ? absl::OkStatus() : signal->Await();
}

// A client's handle of a signal.
class Event {
 public:
  explicit Event(SignalPtr signal) : signal_(std::move(signal)) {}

  const SignalPtr& signal() const { return signal_; }

 private:
  const SignalPtr signal_;
};

}  // namespace eyrie::pjrt

#endif  // EYRIE_PLUGINS_PJRT_EVENT_H_
