// A call with host values that the host's event loop drives.
//
// It runs in pieces: the first as soon as the host likes, each other when the
// function can go on after a yield or a wait for a fence, and at last the
// fence of an asynchronous function. Between them the context is free for
// other calls. vm/run/async_call.h is what it stands on.
// Tested by runtime_pending_test.cc.
#ifndef EYRIE_ABI_PENDING_CALL_H_
#define EYRIE_ABI_PENDING_CALL_H_

#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "abi/host_value.h"
#include "abi/invoker.h"
#include "abi/session.h"
#include "abi/v0/result_storage.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/ref.h"
#include "hal/fence.h"
#include "vm/run/async_call.h"

namespace eyrie::abi {

// The context's thread's; ends before its session and invoker do.
class PendingCall {
 public:
  // Encodes the arguments, the last of them by name, and calls `wake`; later
  // again whenever Run has something to do: on any thread, not on two at once,
  // and not after the call is gone. It must not use the call itself.
  // Storage for a raw function's results is made first, and its allocator
  // called. INVALID_ARGUMENT as Invoker::Call.
  static absl::StatusOr<std::unique_ptr<PendingCall>> Begin(
      Session& session, Invoker& invoker,
      std::span<const HostValue* const> given,
      std::span<const absl::string_view> names, std::function<void()> wake);

  PendingCall(const PendingCall&) = delete;
  PendingCall& operator=(const PendingCall&) = delete;
  // Drops the call where it stands, with all it holds.
  ~PendingCall();

  // Runs what there is to run, if there is. True: the call is over. In a child
  // of the process that began it, it fails so as soon as this is called, if a
  // device has threads: nothing would wake it there.
  bool Run();

  // What it returned, once; `results` is replaced. FAILED_PRECONDITION: it is
  // not over, or they are taken. Else what the call failed with.
  absl::Status TakeResults(std::vector<HostValue>& results);

 private:
  // What other threads may reach, while they wake the call.
  struct Wakes {
    std::mutex mutex;
    std::function<void()> wake;  // null once the call is gone
    std::function<void()> work;  // to run
  };
  enum class State { kRunning, kReturned, kOver, kTaken };

  PendingCall(Session& session, Invoker& invoker)
      : session_(session), invoker_(invoker) {}

  absl::Status Start(std::vector<vm::Value> arguments);
  // FAILED_PRECONDITION: a device is of the parent of this process.
  absl::Status CheckProcess() const;
  void Return(absl::StatusOr<std::vector<vm::Value>> values);
  // Looks whether the results are ready.
  void CheckFence();

  Session& session_;
  Invoker& invoker_;
  const std::shared_ptr<Wakes> wakes_ = std::make_shared<Wakes>();
  State state_ = State::kRunning;
  absl::Status status_;
  std::vector<vm::Value> values_;
  v0::ResultStorage::Slots storage_;  // of a raw function's results
  Ref<hal::Fence> done_;              // of an asynchronous function
  std::unique_ptr<vm::AsyncCall> call_;
};

}  // namespace eyrie::abi

#endif  // EYRIE_ABI_PENDING_CALL_H_
