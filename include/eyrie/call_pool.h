// Calls from any thread, on threads of the pool's own.
//
//   auto pool = eyrie::CallPool::Start(device, module, 4);
//   std::future<Result<std::vector<Value>>> scores =
//       pool->Call("predict", {image});
// Each thread has a context of its own, so that the module is shared and its
// globals are not: for functions that keep nothing from call to call. A call
// that passes a limit spoils its context, and with it a thread of the pool:
// calls that this one takes fail with FAILED_PRECONDITION from then on, so a
// pool whose calls may pass limits is replaced when one has.
#ifndef EYRIE_CALL_POOL_H_
#define EYRIE_CALL_POOL_H_

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "eyrie/device.h"
#include "eyrie/result.h"
#include "eyrie/runtime.h"
#include "eyrie/value.h"

namespace eyrie {

// Thread-safe. Its end waits for the calls that have been asked for.
class CallPool {
 public:
  using Task = std::function<void(Context&)>;

  // Makes as many contexts as threads, at least one. Fails as Context::Create.
  static Result<CallPool> Start(const Device& device, const Module& module,
                                size_t threads, const Limits& limits = {}) {
    return Start([&] { return Context::Create(device, module, limits); },
                 threads);
  }
  // The same of contexts that `create` makes, here and now.
  static Result<CallPool> Start(const std::function<Result<Context>()>& create,
                                size_t threads) {
    std::vector<Context> contexts;
    do {
      auto context = create();
      if (!context) return context.error();
      contexts.push_back(std::move(*context));
    } while (contexts.size() < threads);
    CallPool pool;
    for (Context& context : contexts) {
      pool.threads_.emplace_back(
          [queue = pool.queue_.get(), own = std::make_unique<Context>(std::move(
                                          context))] { queue->Serve(*own); });
    }
    return pool;
  }

  CallPool(CallPool&& other) = default;
  CallPool& operator=(CallPool&& other) noexcept {
    std::swap(queue_, other.queue_);
    std::swap(threads_, other.threads_);
    return *this;
  }
  ~CallPool() {
    if (queue_ != nullptr) queue_->Close();
    for (std::thread& thread : threads_) thread.join();
  }

  // Calls the function on the first thread that is free. The arguments are the
  // pool's then: the caller touches them no more, nor what they share.
  std::future<Result<std::vector<Value>>> Call(
      std::string function, std::vector<Value> arguments,
      std::vector<Value::Entry> named = {}) {
    return Run([function = std::move(function), given = std::move(arguments),
                named = std::move(named)](Context& context) {
      return context.Call(function, given, named);
    });
  }

  // Runs what wants a context: typed functions, several calls in a row.
  template <typename F>
  auto Run(F run) -> std::future<std::invoke_result_t<F, Context&>> {
    using R = std::invoke_result_t<F, Context&>;
    auto promise = std::make_shared<std::promise<R>>();
    std::future<R> future = promise->get_future();
    queue_->Add([promise, run = std::move(run)](Context& context) mutable {
      if constexpr (std::is_void_v<R>) {
        run(context);
        promise->set_value();
      } else {
        promise->set_value(run(context));
      }
    });
    return future;
  }

  size_t size() const { return threads_.size(); }

 private:
  class Queue {
   public:
    void Add(Task task) {
      {
        const std::lock_guard<std::mutex> lock(mutex_);
        tasks_.push_back(std::move(task));
      }
      changed_.notify_one();
    }
    void Close() {
      {
        const std::lock_guard<std::mutex> lock(mutex_);
        closed_ = true;
      }
      changed_.notify_all();
    }
    // Runs tasks until there are none any more.
    void Serve(Context& context) {
      std::unique_lock<std::mutex> lock(mutex_);
      while (true) {
        changed_.wait(lock, [this] { return closed_ || !tasks_.empty(); });
        if (tasks_.empty()) return;
        Task task = std::move(tasks_.front());
        tasks_.pop_front();
        lock.unlock();
        task(context);
        task = nullptr;  // with what it holds
        lock.lock();
      }
    }

   private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<Task> tasks_;
    bool closed_ = false;
  };

  CallPool() : queue_(std::make_unique<Queue>()) {}

  std::unique_ptr<Queue> queue_;
  std::vector<std::thread> threads_;
};

}  // namespace eyrie

#endif  // EYRIE_CALL_POOL_H_
