// A pool of threads that make calls; any thread may use it.
//
//   auto pool = eyrie::CallPool::Start(*device, *module, 4);
//   std::future<Result<std::vector<Value>>> scores =
//       pool->Call("predict", {image});
// Each thread has its own context. They share the module but not its globals,
// so the functions should keep no state between calls. If a call exceeds a
// limit of ContextOptions, its context fails; the thread then creates a new
// one, with globals that have their initial values. CallOptions fail only the
// call.
#ifndef EYRIE_CALL_POOL_H_
#define EYRIE_CALL_POOL_H_

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <exception>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "eyrie/call_options.h"
#include "eyrie/device.h"
#include "eyrie/result.h"
#include "eyrie/runtime.h"
#include "eyrie/value.h"

namespace eyrie {

// Thread-safe. The destructor waits until all requested calls are complete. If
// a task of the pool destroys it, the rest of this task's thread is not waited
// for. A task must not wait for another call of the pool, which may need the
// task's thread. The pool's threads do not exist in a child of fork(): calls
// fail there with FAILED_PRECONDITION, and the destructor does not wait.
class CallPool {
 public:
  using Task = std::function<void(Context&)>;

  // Creates a context. The pool keeps a copy, and never calls it on two threads
  // at the same time.
  using Create = std::function<Result<Context>()>;

  // Starts `threads` threads, at least one, each with a context. They block all
  // signals. Returns the errors of Context::Create, and RESOURCE_EXHAUSTED if a
  // thread cannot be started.
  static Result<CallPool> Start(const Device& device, const Module& module,
                                size_t threads,
                                const ContextOptions& options = {}) {
    return Start([device, module,
                  options] { return Context::Create(device, module, options); },
                 threads);
  }
  // Starts threads with contexts from `create`. It is called once per thread
  // before this returns, and later on a thread of the pool, to replace a
  // context that has failed. If it fails then, the thread's next call fails
  // with the error of the old context, and `create` is called again before the
  // call after it.
  static Result<CallPool> Start(Create create, size_t threads) {
    std::vector<Context> contexts;
    do {
      auto context = create();
      if (!context) return context.error();
      contexts.push_back(std::move(*context));
    } while (contexts.size() < threads);
    CallPool pool(std::move(create));
    for (Context& context : contexts) {
      const int error = pool.StartThread(std::move(context));
      if (error != 0) {
        return Error(EYRIE_RESOURCE_EXHAUSTED,
                     "Cannot start thread " + std::to_string(pool.size() + 1) +
                         " of " + std::to_string(contexts.size()) +
                         " of a pool: " + std::strerror(error) + ".");
      }
    }
    return pool;
  }

  CallPool(CallPool&& other) = default;
  CallPool& operator=(CallPool&& other) noexcept {
    std::swap(queue_, other.queue_);
    std::swap(threads_, other.threads_);
    std::swap(process_, other.process_);
    return *this;
  }
  ~CallPool() {
    if (is_forked()) {
      // This owner is never destroyed, nor is the queue, whose destructor could
      // wait for threads of the parent.
      alignas(Owner) std::byte owner[sizeof(Owner)];
      new (owner) Owner(std::move(queue_));
      return;
    }
    if (queue_ != nullptr) queue_->Close();
    for (const pthread_t thread : threads_) {
      if (pthread_equal(thread, pthread_self())) {
        pthread_detach(thread);
      } else {
        pthread_join(thread, nullptr);
      }
    }
  }

  // Calls the function on the first free thread. The pool owns the arguments:
  // the caller must not use them afterwards, or values that share their arrays.
  // The timeout of `options` includes the wait for a free thread. A call whose
  // token is cancelled before it begins does not run. Fences in `options` must
  // exist until the call begins.
  std::future<Result<std::vector<Value>>> Call(
      std::string function, std::vector<Value> arguments,
      std::vector<Value::Entry> named = {}, const CallOptions& options = {}) {
    auto limits = std::make_shared<Limits>(options);
    return Run([limits, function = std::move(function),
                given = std::move(arguments),
                named = std::move(named)](Context& context) {
      return limits->Call(context, function, given, named);
    });
  }

  // Limits the calls that wait for a thread; at first there is no limit, and 0
  // refuses all calls. A call that would exceed it does not run: its future
  // gets RESOURCE_EXHAUSTED.
  void LimitQueue(size_t most) { queue_->Limit(most); }

  // Calls `run` with a context on the first free thread; for typed functions,
  // or for several calls in a row. If `run` throws, the future gets the
  // exception. In a child of fork(), or if the queue is full, the future never
  // gets a value (std::future_error) unless `run` returns a Result.
  template <typename F>
  auto Run(F run) -> std::future<std::invoke_result_t<F, Context&>> {
    using R = std::invoke_result_t<F, Context&>;
    auto promise = std::make_shared<std::promise<R>>();
    std::future<R> future = promise->get_future();
    if (is_forked()) {
      Refuse(*promise, EYRIE_FAILED_PRECONDITION,
             "The call pool was started before fork(), and its threads do not "
             "exist in this child process. Start a pool in the child.");
      return future;
    }
    const size_t limit =
        queue_->Add([promise, run = std::move(run)](Context& context) mutable {
          Fulfil(*promise, run, context);
        });
    if (limit != kNoLimit) {
      Refuse(*promise, EYRIE_RESOURCE_EXHAUSTED,
             "The call pool's queue is full: its limit is " +
                 std::to_string(limit) + " calls that wait.");
    }
    return future;
  }

  size_t size() const { return threads_.size(); }

 private:
  static constexpr size_t kNoLimit = SIZE_MAX;

  class Queue {
   public:
    explicit Queue(Create create) : create_(std::move(create)) {}

    void Limit(size_t most) {
      const std::lock_guard<std::mutex> lock(mutex_);
      limit_ = most;
    }
    // Adds a task and returns kNoLimit. If the queue is full, returns its
    // limit.
    size_t Add(Task task) {
      bool wakes;
      {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (tasks_.size() >= limit_) return limit_;
        tasks_.push_back(std::move(task));
        wakes = WillWake();
      }
      if (wakes) changed_.notify_one();
      return kNoLimit;
    }
    void Close() {
      {
        const std::lock_guard<std::mutex> lock(mutex_);
        closed_ = true;
      }
      changed_.notify_all();
    }
    // Runs tasks until the queue is closed and empty.
    void Serve(Context& context) {
      std::unique_lock<std::mutex> lock(mutex_);
      while (Await(lock)) {
        Task task = std::move(tasks_.front());
        tasks_.pop_front();
        const bool wakes = WillWake();
        lock.unlock();
        if (wakes) changed_.notify_one();
        if (context.failed()) Replace(context);
        task(context);
        task = nullptr;  // releases its captures without the lock
        lock.lock();
      }
    }

   private:
    // Waits for a task. Returns false if the queue is closed and empty.
    bool Await(std::unique_lock<std::mutex>& lock) {
      while (tasks_.empty() && !closed_) {
        ++sleeping_;
        changed_.wait(lock);
        --sleeping_;
        waking_ = false;
      }
      return !tasks_.empty();
    }
    // Says whether the caller must wake a thread, which wakes the next one if
    // tasks remain. A thread for each task at once would take the processors
    // from the threads that run.
    bool WillWake() {
      if (tasks_.empty() || sleeping_ == 0 || waking_) return false;
      return waking_ = true;
    }
    void Replace(Context& context) {
      const std::lock_guard<std::mutex> lock(create_mutex_);
      auto made = create_();
      if (made) context = std::move(*made);
    }

    std::mutex create_mutex_;
    const Create create_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<Task> tasks_;
    size_t sleeping_ = 0;
    bool waking_ = false;  // a thread that has not run yet
    size_t limit_ = kNoLimit;
    bool closed_ = false;
  };

  // The options of a call that waits for a thread. Keeps the token.
  class Limits {
   public:
    explicit Limits(const CallOptions& options) : options_(options) {
      if (options.cancel != nullptr) token_.emplace(*options.cancel);
    }
    Result<std::vector<Value>> Call(Context& context,
                                    const std::string& function,
                                    const std::vector<Value>& arguments,
                                    const std::vector<Value::Entry>& named) {
      CallOptions options = options_;
      options.cancel = token_ ? &*token_ : nullptr;
      if (options.timeout.count() > 0) {
        options.timeout -= std::chrono::steady_clock::now() - begin_;
        if (options.timeout.count() <= 0) {
          return Error(EYRIE_DEADLINE_EXCEEDED,
                       "The call's time passed before a thread of the pool was "
                       "free.");
        }
      }
      return context.Call(function, arguments, named, options);
    }

   private:
    const CallOptions options_;
    const std::chrono::steady_clock::time_point begin_ =
        std::chrono::steady_clock::now();
    std::optional<CancelToken> token_;
  };

  bool is_forked() const { return process_ != getpid(); }

  // Sets an error, if the future's type can have one.
  template <typename R>
  static void Refuse(std::promise<R>& promise, eyrie_code_t code,
                     const std::string& message) {
    if constexpr (std::is_constructible_v<R, Error>) {
      promise.set_value(Error(code, message));
    }
  }
  // Sets the value of `run(context)`, or what it throws.
  template <typename R, typename F>
  static void Fulfil(std::promise<R>& promise, F& run, Context& context) {
#ifdef __cpp_exceptions
    try {
#endif
      if constexpr (std::is_void_v<R>) {
        run(context);
        promise.set_value();
      } else {
        promise.set_value(run(context));
      }
#ifdef __cpp_exceptions
    } catch (...) {
      promise.set_exception(std::current_exception());
    }
#endif
  }

  using Owner = std::shared_ptr<Queue>;

  // The argument of Work.
  struct Worker {
    Owner queue;  // which a task may release for the pool
    Context context;
  };

  explicit CallPool(Create create)
      : queue_(std::make_shared<Queue>(std::move(create))) {}

  static void* Work(void* worker) {
    const std::unique_ptr<Worker> own(static_cast<Worker*>(worker));
    own->queue->Serve(own->context);
    return nullptr;
  }

  // Returns an errno, or 0.
  int StartThread(Context context) {
    std::unique_ptr<Worker> worker(new Worker{queue_, std::move(context)});
    threads_.reserve(threads_.size() + 1);
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_t thread;
    const int error = pthread_create(&thread, nullptr, Work, worker.get());
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    if (error != 0) return error;
    static_cast<void>(worker.release());  // owned by the thread
    threads_.push_back(thread);
    return 0;
  }

  pid_t process_ = getpid();
  Owner queue_;
  std::vector<pthread_t> threads_;
};

}  // namespace eyrie

#endif  // EYRIE_CALL_POOL_H_
