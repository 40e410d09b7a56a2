// Limits of a single call.
//
//   eyrie::CancelToken stop;              // another thread: stop.Cancel();
//   auto results = predict->Call({image}, {}, {.timeout = 50ms,
//                                              .cancel = &stop});
// A call that exceeds its options fails, and its context can still be called.
// Globals of modules keep what the call wrote. See c_limits.h.
#ifndef EYRIE_CALL_OPTIONS_H_
#define EYRIE_CALL_OPTIONS_H_

#include <chrono>
#include <cstdint>
#include <memory>

#include "eyrie/allocator.h"
#include "eyrie/c_limits.h"
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

struct CallOptions {
  // Units, counted as ContextOptions::fuel; 0 means no limit.
  uint64_t fuel = 0;
  // From the start of the call until its results are ready; 0 means no limit.
  std::chrono::nanoseconds timeout{0};
  // The call retains the token. May be null.
  const CancelToken* cancel = nullptr;
  // Allocates the memory of the arrays in the results; null: the device does.
  // Each result keeps the allocator. See eyrie_call_options_t.
  std::shared_ptr<Allocator> allocator = nullptr;
};

namespace internal {
inline eyrie_call_options_t ToC(const CallOptions& choices) {
  eyrie_call_options_t options = {};
  options.struct_size = sizeof(options);
  options.fuel = choices.fuel;
  options.timeout_ns = choices.timeout.count();
  options.cancel = choices.cancel != nullptr ? choices.cancel->get() : nullptr;
  SetAllocator(choices.allocator, options);
  return options;
}
}  // namespace internal
}  // namespace eyrie

#endif  // EYRIE_CALL_OPTIONS_H_
