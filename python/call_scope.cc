// The handler of SIGINT, and the calls that it ends.
#include "call_scope.h"

#include <signal.h>
#include <time.h>

#include <atomic>
#include <cerrno>
#include <thread>
#include <utility>

#include "gil.h"

namespace eyrie::python {
namespace {

thread_local CallScope* innermost = nullptr;

// Used by the signal handler below, which may run on any thread. The atomics
// are lock-free.
void (*next_handler)(int) = nullptr;
std::atomic<Context*> interruptible = nullptr;  // of the main thread
std::atomic<bool> has_come = false;  // a signal, since the last check
std::atomic<int> handlers = 0;       // number that are running

void OnInterrupt(int number) {
  const int error = errno;
  next_handler(number);  // Python's, which notes the signal
  handlers.fetch_add(1);
  has_come.store(true);
  if (Context* const context = interruptible.load()) context->Cancel();
  handlers.fetch_sub(1);
  errno = error;
}

// Reports whether Python would raise KeyboardInterrupt for SIGINT.
bool RaisesByDefault() {
  // Never freed, because they are used as long as the interpreter exists.
  static PyObject* const module = PyImport_ImportModule("_signal");
  static PyObject* const get = PyObject_GetAttrString(module, "getsignal");
  static PyObject* const raises =
      PyObject_GetAttrString(module, "default_int_handler");
  const nb::object handler =
      nb::steal(PyObject_CallFunction(get, "i", static_cast<int>(SIGINT)));
  if (!handler.is_valid()) throw nb::python_error();
  return handler.ptr() == raises;
}

// Installs the handler if Python's own handlers are in place. Reports whether
// it did.
bool Install() {
  if (!RaisesByDefault()) return false;
  struct sigaction action;
  if (sigaction(SIGINT, nullptr, &action) != 0) return false;
  if ((action.sa_flags & SA_SIGINFO) != 0 || action.sa_handler == SIG_DFL ||
      action.sa_handler == SIG_IGN) {
    return false;  // not Python's handler
  }
  // A handler that was installed after OnInterrupt may call OnInterrupt.
  if (next_handler != nullptr && action.sa_handler != next_handler) {
    return false;
  }
  next_handler = action.sa_handler;
  action.sa_handler = OnInterrupt;
  return sigaction(SIGINT, &action, nullptr) == 0;
}

// Installs the handler if necessary; reports whether it is installed. While it
// is, Python's handler is the default one, because Python replaces ours when
// that changes. Asks the system at most once per tick of its coarse clock (a
// few milliseconds), because that takes as long as a small call.
bool IsInstalled() {
  static bool installed = false;
  static timespec asked = {};
  timespec now = {};
  clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  if (installed && now.tv_nsec == asked.tv_nsec && now.tv_sec == asked.tv_sec) {
    return true;
  }
  asked = now;
  if (installed) {
    struct sigaction action;
    if (sigaction(SIGINT, nullptr, &action) == 0 &&
        (action.sa_flags & SA_SIGINFO) == 0 &&
        action.sa_handler == OnInterrupt) {
      return true;
    }
  }
  installed = Install();
  return installed;
}

void ThrowSignals() {
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

// While a Python signal handler runs, the outer call is the current one, so
// that the handler's calls and errors do not end this one.
class OutsideOf {
 public:
  explicit OutsideOf(CallScope* outer)
      : inner_(std::exchange(innermost, outer)) {}
  OutsideOf(const OutsideOf&) = delete;
  OutsideOf& operator=(const OutsideOf&) = delete;
  ~OutsideOf() { innermost = inner_; }

 private:
  CallScope* const inner_;
};

}  // namespace

void ForgetCalls() {
  innermost = nullptr;
  interruptible = nullptr;
  handlers = 0;
}

CallScope::CallScope()
    : outer_(innermost),
      is_main_(IsMainThread()),
      is_interruptible_(is_main_ && IsInstalled()) {
  if (is_interruptible_) {
    // A signal between these two lines is seen by both.
    has_come.store(false);
    ThrowSignals();
  }
  innermost = this;
}

CallScope::~CallScope() { innermost = outer_; }

CallScope* CallScope::current() { return innermost; }

void CallScope::Keep() {
  if (raised_) {
    PyErr_Clear();  // the first error ends the call
  } else {
    raised_.emplace();
  }
}

void CallScope::Fail() {
  const bool is_first = !raised_;
  Keep();
  if (is_first && context_ != nullptr) context_->Cancel();
}

void CallScope::ThrowCause() {
  if (raised_) throw nb::python_error(std::move(*raised_));
  if (!is_main_) return;
  const OutsideOf outside(outer_);
  ThrowSignals();
}

void CallScope::LookForSignals() const {
  if (!is_main_) return;
  const WithGil acquire;
  const OutsideOf outside(outer_);
  ThrowSignals();
}

CallScope::Within::Within(CallScope& scope, Context& context) : scope_(scope) {
  scope.context_ = &context;
  if (scope.failed()) context.Cancel();
  if (!scope.is_interruptible_) return;
  outer_interruptible_ = interruptible.exchange(&context);
  if (has_come.load()) context.Cancel();
}

CallScope::Within::~Within() {
  scope_.context_ = nullptr;
  if (!scope_.is_interruptible_) return;
  interruptible.store(outer_interruptible_);
  // A handler on another thread may be about to cancel the context.
  while (handlers.load() != 0) std::this_thread::yield();
}

}  // namespace eyrie::python
