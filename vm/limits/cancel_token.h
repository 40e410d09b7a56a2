// Cancels single calls, from any thread.
//
//   auto token = std::make_shared<CancelToken>();
//   CallLimits limits = {.cancel = token};  // of a call on one thread
//   token->Cancel();                        // on another
// Unlike a Cancellation, it does not fail the calls' contexts.
// Tested by vm/run/call_limits_test.cc.
#ifndef EYRIE_VM_LIMITS_CANCEL_TOKEN_H_
#define EYRIE_VM_LIMITS_CANCEL_TOKEN_H_

#include <atomic>
#include <functional>
#include <map>
#include <mutex>

namespace eyrie::vm {

// Thread-safe. Stays cancelled: there is no reset, because a call on another
// thread could miss the time between Cancel and the reset.
class CancelToken {
 public:
  CancelToken() = default;
  CancelToken(const CancelToken&) = delete;
  CancelToken& operator=(const CancelToken&) = delete;

  // Ends all calls that use the token now, and every later one at its start.
  // Does not affect calls that have ended. Takes a lock, so it must not be
  // called by a signal handler.
  void Cancel();
  bool is_cancelled() const {
    return is_cancelled_.load(std::memory_order_acquire);
  }

 private:
  friend class HostCall;
  friend class CancelWake;

  // Between the two, Cancel calls `stop`, under a lock. If the token is already
  // cancelled, Attach calls it. After Detach returns, `stop` is not running and
  // is not called any more. `call` must differ from that of other calls.
  void Attach(const void* call, std::function<void()> stop);
  void Detach(const void* call);

  using Functions = std::map<const void*, std::function<void()>>;

  std::mutex mutex_;  // guards the members below, and the writes of the flag
  std::atomic<bool> is_cancelled_ = false;
  Functions stops_;
  Functions wakes_;  // of suspended calls
};

// Calls a function when a token is cancelled. For calls that are suspended, and
// so do not run on any thread.
class CancelWake {
 public:
  // `wake` is called on the thread of Cancel, without locks, or here if the
  // token is already cancelled. It may still be called while and after this is
  // destroyed.
  CancelWake(CancelToken& token, std::function<void()> wake);
  CancelWake(const CancelWake&) = delete;
  CancelWake& operator=(const CancelWake&) = delete;
  ~CancelWake();

 private:
  CancelToken& token_;  // must outlive it
};

}  // namespace eyrie::vm

#endif  // EYRIE_VM_LIMITS_CANCEL_TOKEN_H_
