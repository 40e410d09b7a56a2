// Implements signals, and the functions of events.
#include "plugins/pjrt/event.h"

#include <atomic>

#include "base/deadline.h"
#include "base/status_macros.h"
#include "plugins/pjrt/error.h"
#include "plugins/pjrt/functions.h"
#include "plugins/pjrt/given.h"

namespace eyrie::pjrt {
namespace {

// The callbacks that this thread makes. Those of a signal that SetNext sets
// during a callback are made after it, without recursion, since the chain of
// executions that wait for each other may have any length.
class Chain {
 public:
  // While it exists, SetNext makes the callbacks itself: the client's code may
  // wait for them.
  class Pause {
   public:
    Pause() : chain_(std::exchange(Current(), nullptr)) {}
    Pause(const Pause&) = delete;
    Pause& operator=(const Pause&) = delete;
    ~Pause() { Current() = chain_; }

   private:
    Chain* const chain_;
  };

  // Returns the innermost chain of this thread; null if there is none.
  static Chain*& Current() {
    static thread_local Chain* current = nullptr;
    return current;
  }

  void Add(SignalCalls calls) { rows_.push_back(std::move(calls)); }

  // Makes the callbacks, and those that are added by them.
  void Run(SignalCalls calls) {
    const Pause pause;
    Current() = this;
    Add(std::move(calls));
    while (!rows_.empty()) {
      SignalCalls& row = rows_.back();
      if (row.next == row.callbacks.size()) {
        rows_.pop_back();
        continue;
      }
      const absl::Status status = row.status;
      const Signal::Callback callback = std::move(row.callbacks[row.next++]);
      callback(status);  // may add rows
    }
  }

 private:
  std::vector<SignalCalls> rows_;
};

}  // namespace

Signal::~Signal() {
  for (const Callback& callback : callbacks_) {
    callback(absl::CancelledError(
        "What an event stands for was destroyed before it was ready."));
  }
}

std::optional<SignalCalls> Signal::BecomeReady(absl::Status status) {
  SignalCalls calls;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (ready_) return std::nullopt;
    ready_ = true;
    status_ = status;
    calls.callbacks.swap(callbacks_);
    // Under the lock, since a thread that it wakes may destroy the signal.
    changed_.notify_all();
  }
  calls.status = std::move(status);
  return calls;
}

bool Signal::Set(absl::Status status) {
  std::optional<SignalCalls> calls = BecomeReady(std::move(status));
  if (calls) Chain().Run(*std::move(calls));
  return calls.has_value();
}

void Signal::SetNext(absl::Status status) {
  std::optional<SignalCalls> calls = BecomeReady(std::move(status));
  if (!calls || calls->callbacks.empty()) return;
  Chain* const chain = Chain::Current();
  if (chain == nullptr) return Chain().Run(*std::move(calls));
  chain->Add(*std::move(calls));
}

bool Signal::IsReady() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return ready_;
}

absl::Status Signal::Await() const {
  std::unique_lock<std::mutex> lock(mutex_);
  Wait(changed_, lock, [this] { return ready_; });
  return status_;
}

void Signal::OnReady(Callback callback) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!ready_) {
      callbacks_.push_back(std::move(callback));
      return;
    }
  }
  callback(status_);
}

void WhenAllReady(const std::vector<SignalPtr>& signals,
                  Signal::Callback callback) {
  struct Waiter {
    std::atomic<size_t> left;
    std::mutex mutex;
    absl::Status status;
    Signal::Callback callback;
  };
  auto waiter = std::make_shared<Waiter>();
  waiter->left = signals.size() + 1;
  waiter->callback = std::move(callback);
  const auto one_is_ready = [waiter](const absl::Status& status) {
    if (!status.ok()) {
      const std::lock_guard<std::mutex> lock(waiter->mutex);
      waiter->status.Update(status);
    }
    if (--waiter->left == 0) waiter->callback(waiter->status);
  };
  for (const SignalPtr& signal : signals) {
    if (signal == nullptr) {
      one_is_ready(absl::OkStatus());
    } else {
      signal->OnReady(one_is_ready);
    }
  }
  one_is_ready(absl::OkStatus());
}

absl::Status Event_Destroy(Event_Destroy_Args& args) {
  delete args.event;
  return absl::OkStatus();
}

absl::Status Event_IsReady(Event_IsReady_Args& args) {
  args.is_ready = IsReady(args.event->signal());
  return absl::OkStatus();
}

absl::Status Event_Error(Event_Error_Args& args) {
  if (!IsReady(args.event->signal())) {
    return absl::FailedPreconditionError("The event is not ready.");
  }
  return Await(args.event->signal());
}

absl::Status Event_Await(Event_Await_Args& args) {
  const SignalPtr signal = args.event->signal();
  return Await(signal);
}

absl::Status Event_OnReady(Event_OnReady_Args& args) {
  if (args.callback == nullptr) {
    return absl::InvalidArgumentError("The callback of an event is null.");
  }
  const auto call = [callback = args.callback,
                     user = args.user_arg](const absl::Status& status) {
    const Chain::Pause pause;
    callback(NewError(status), user);
  };
  // The callback may destroy the event.
  const SignalPtr signal = args.event->signal();
  if (signal == nullptr) {
    call(absl::OkStatus());
  } else {
    signal->OnReady(call);
  }
  return absl::OkStatus();
}

absl::Status Event_Create(Event_Create_Args& args) {
  args.event = new Event(std::make_shared<Signal>());
  return absl::OkStatus();
}

absl::Status Event_Set(Event_Set_Args& args) {
  absl::Status status;
  if (args.error_code != 0) {
    RETURN_IF_ERROR(CheckList(args.error_message, args.error_message_size,
                              "error_message"));
    status =
        StatusOf(args.error_code, args.error_message, args.error_message_size);
  }
  // A callback, or a thread that waits, may destroy the event.
  const SignalPtr signal = args.event->signal();
  if (signal == nullptr || !signal->Set(std::move(status))) {
    return absl::FailedPreconditionError("The event is already set.");
  }
  return absl::OkStatus();
}

}  // namespace eyrie::pjrt
