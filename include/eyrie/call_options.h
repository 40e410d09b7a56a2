// Options of a single call: limits, memory for results, and fences.
//
//   eyrie::CancelToken stop;              // another thread: stop.Cancel();
//   auto results = predict->Call({image}, {}, {.timeout = 50ms,
//                                              .cancel = &stop});
// A call that exceeds its limits fails, and its context can still be called.
// Globals of modules keep what the call wrote. See eyrie_call_options_t.
#ifndef EYRIE_CALL_OPTIONS_H_
#define EYRIE_CALL_OPTIONS_H_

#include <chrono>
#include <cstdint>
#include <memory>

#include "eyrie/allocator.h"
#include "eyrie/c_call.h"
#include "eyrie/fence.h"
#include "eyrie/result.h"

namespace eyrie {

// Cancels calls from any thread. Thread-safe. Copies refer to the same token. A
// token stays cancelled; use a new one for the next calls.
class CancelToken {
 public:
  CancelToken() : handle_(eyrie_cancel_token_create()) {}

  // Ends the calls that use the token with CANCELLED, and later ones before
  // they run. Calls that have ended are not affected, nor are others. Must not
  // be called by a signal handler.
  void Cancel() { eyrie_cancel_token_cancel(get()); }
  bool is_cancelled() const {
    return eyrie_cancel_token_is_cancelled(get()) != 0;
  }

  eyrie_cancel_token_t* get() const { return handle_.get(); }

 private:
  internal::SharedHandle<eyrie_cancel_token_t, eyrie_cancel_token_retain,
                         eyrie_cancel_token_release>
      handle_;
};

// May be used for any number of calls. The call retains what it needs.
struct CallOptions {
  // Units, counted as ContextOptions::fuel; 0 means no limit.
  uint64_t fuel = 0;
  // From the start of the call until its results are ready; 0 means no limit.
  std::chrono::nanoseconds timeout{0};
  const CancelToken* cancel = nullptr;  // may be null
  // Allocates the memory of the arrays in the results; null: the device does.
  // Each result keeps the allocator. See eyrie_call_options_t.
  std::shared_ptr<Allocator> allocator = nullptr;
  // The call begins when this fence is reached. May be null.
  const Fence* wait = nullptr;
  // The call signals this fence when its results are ready, and returns without
  // waiting for them. May be null. See eyrie_function_call.
  const Fence* signal = nullptr;
};

namespace internal {

// Options as the C API takes them. Must not outlive the fences and the token.
class GivenOptions {
 public:
  explicit GivenOptions(const CallOptions& choices) {
    if (choices.fuel == 0 && choices.timeout.count() == 0 &&
        choices.cancel == nullptr && choices.allocator == nullptr &&
        choices.wait == nullptr && choices.signal == nullptr) {
      return;
    }
    is_set_ = true;
    allocator_ = ToC(choices.allocator);
    options_ = {sizeof(options_),
                choices.fuel,
                choices.timeout.count(),
                choices.cancel != nullptr ? choices.cancel->get() : nullptr,
                allocator_.get(),
                choices.wait != nullptr ? choices.wait->get() : nullptr,
                choices.signal != nullptr ? choices.signal->get() : nullptr};
  }
  // Returns null if no option is set.
  const eyrie_call_options_t* get() const {
    return is_set_ ? &options_ : nullptr;
  }

 private:
  bool is_set_ = false;
  AllocatorHandle allocator_;
  eyrie_call_options_t options_;  // not initialized unless is_set_
};

}  // namespace internal
}  // namespace eyrie

#endif  // EYRIE_CALL_OPTIONS_H_
