// Fences, which calls wait for and signal (CallOptions).
//
//   auto ready = Fence::Create(*device), done = Fence::Create(*device);
//   auto half = first->Call({image}, {}, {.signal = &*ready});
//   half->at(0).Lend();
//   auto whole = second->Call({half->at(0)}, {}, {.wait = &*ready,
//                                                 .signal = &*done});
//   done->OnDone([&](const Error* error) { loop.Post(step); });
#ifndef EYRIE_FENCE_H_
#define EYRIE_FENCE_H_

#include <chrono>
#include <functional>
#include <memory>
#include <utility>

#include "eyrie/c_fence.h"
#include "eyrie/device.h"
#include "eyrie/result.h"

namespace eyrie {

// An event that is reached once or fails permanently. Thread-safe. Copies refer
// to the same fence.
class Fence {
 public:
  // Creates a fence that is not reached. The host or a call may signal it.
  // Returns the errors of eyrie_fence_create.
  static Result<Fence> Create(const Device& device) {
    eyrie_fence_t* handle = nullptr;
    if (eyrie_error_t* error = eyrie_fence_create(device.get(), &handle)) {
      return Error(error);
    }
    return Fence(handle);
  }

  // Takes ownership of a fence of the C API.
  static Fence Adopt(eyrie_fence_t* fence) { return Fence(fence); }

  // Marks the fence as reached. INVALID_ARGUMENT: it is already reached. If the
  // fence has failed, returns that failure.
  Result<void> Signal() { return Done(eyrie_fence_signal(get())); }
  // Fails the fence; everything that waits for it fails with this error. Does
  // nothing if the fence has already failed.
  void Fail(const Error& error) {
    eyrie_fence_fail(get(), error.code(), error.message().c_str());
  }
  // Reports whether the fence is reached. If it has failed, returns that
  // failure.
  Result<bool> IsReached() const {
    int reached = 0;
    if (eyrie_error_t* error = eyrie_fence_query(get(), &reached)) {
      return Error(error);
    }
    return reached != 0;
  }
  // Blocks until the fence is reached. If it fails, returns that failure.
  Result<void> Wait() { return Done(eyrie_fence_wait(get(), -1)); }
  // Blocks at most this long. DEADLINE_EXCEEDED: not reached in time.
  Result<void> Wait(std::chrono::nanoseconds timeout) {
    const auto ns = timeout.count();
    return Done(eyrie_fence_wait(get(), ns < 0 ? 0 : ns));
  }

  // Calls `done` exactly once, with null when the fence is reached or with its
  // failure, which is CANCELLED if the fence is destroyed before. `done` is
  // called on the thread that signals or fails the fence, which may be a thread
  // of a device; before this returns if that has already happened. It must not
  // block or throw.
  void OnDone(std::function<void(const Error*)> done) {
    using Callback = std::function<void(const Error*)>;
    eyrie_fence_on_done(
        get(),
        [](void* user, eyrie_error_t* failure) {
          const std::unique_ptr<Callback> call(static_cast<Callback*>(user));
          if (failure == nullptr) return (*call)(nullptr);
          const Error error(failure);
          (*call)(&error);
        },
        new Callback(std::move(done)));
  }

  eyrie_fence_t* get() const { return handle_.get(); }

 private:
  explicit Fence(eyrie_fence_t* handle) : handle_(handle) {}
  static Result<void> Done(eyrie_error_t* error) {
    if (error != nullptr) return Error(error);
    return {};
  }

  internal::SharedHandle<eyrie_fence_t, eyrie_fence_retain, eyrie_fence_release>
      handle_;
};

}  // namespace eyrie

#endif  // EYRIE_FENCE_H_
