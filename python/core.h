// A context with its functions, as Python uses it: eyrie._core.Core.
//
// Modules run, and threads wait, without the GIL, because logs acquire it. A
// mutex admits one thread at a time to a context.
// Tested by eyrie_test.py, ended_calls_test.py.
#ifndef EYRIE_PYTHON_CORE_H_
#define EYRIE_PYTHON_CORE_H_

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "call_scope.h"
#include "errors.h"
#include "eyrie/runtime.h"
#include "gil.h"
#include "host_functions.h"
#include "native_libraries.h"
#include "values.h"
#include "weights.h"

namespace eyrie::python {

namespace nb = nanobind;

// The options of a context and its calls.
struct Options {
  uint64_t fuel = 0;
  double timeout = 0;  // seconds; 0 or infinity means no limit
  uint64_t max_memory = 0;
  uint64_t max_stack = 0;
  std::vector<std::string> parameters;  // files
  std::shared_ptr<const Weights> weights;
  bool text = false;
  bool allow_loss = false;
  bool on_device = false;
  std::vector<Import> imports;
  Libraries libraries;
};

// Options of one call, which Function.options sets.
struct CallChoices {
  bool allow_loss = false;
  CallOptions limits;
  ResultChoice results;
};

// Converts a timeout of Python, in seconds; 0 and infinity mean no limit.
std::chrono::nanoseconds Timeout(double seconds);

// Identifies a call, so that any thread can end it with Core::Cancel.
struct Ticket {
  std::atomic<bool> cancelled = false;
  // Ends the call without its context. A ticket without one does not cancel a
  // call that is running.
  std::optional<CancelToken> token;
};

// A parameter of a function.
struct Parameter {
  std::string name;
  std::string type;  // "4xf32"
  bool is_keyword;
  bool is_storage;  // for a result
  eyrie_kind_t kind;
  eyrie_dtype_t dtype;  // EYRIE_DTYPE_NONE: none, or any
  // Set for a number, or an array of a known rank. -1: an unknown dimension.
  std::optional<std::vector<int64_t>> shape;
};

// A function of a core. Needs the GIL unless stated otherwise.
struct Bound {
  // Memory that calls reuse.
  struct Scratch {
    Scratch() = default;
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;
    ~Scratch() {
      for (eyrie_value_t* result : results) eyrie_value_free(result);
    }

    std::vector<Value> slots;           // set by SetFromPython
    std::vector<Value> made;            // made by FromPython
    std::vector<eyrie_value_t*> given;  // to the function
    std::vector<const char*> names;     // of the last values
    std::vector<Value> outs;            // for results; empty without `out=`
    std::vector<nb::object> out_objects;
    std::vector<eyrie_value_t*> results;
  };

  std::string name;
  std::string text;    // the signature
  std::string source;  // of the signature
  std::string doc;
  std::vector<Parameter> arguments;
  std::vector<Parameter> results;
  bool takes_out = false;  // it has an argument named "out" itself
  // The function in the context of this generation; used in turn, without the
  // GIL.
  eyrie_function_t* handle = nullptr;
  uint64_t generation = 0;
  std::unique_ptr<Scratch> scratch;  // null while a call uses it
};

// The arguments of a call, as Python's vectorcall protocol passes them.
struct Given {
  PyObject* const* values;
  size_t count;     // of positional arguments
  PyObject* names;  // a tuple of the names of the following ones, or null
};

class Core {
 public:
  // Each source is a path or the bytes of a module. A module may import
  // functions of those before it.
  Core(std::vector<nb::object> sources, std::vector<Device> devices,
       Options options);
  // Creates another context of the same modules and devices. It begins with the
  // globals of the snapshot, unless that is null.
  Core(const Core& other, const Snapshot* snapshot);
  ~Core();

  const Options& options() const { return options_; }
  // Returns the names of the last module's functions, and after them those of
  // the other modules as "module.function".
  std::vector<std::string> Names() const;
  std::string Name() const;

  // Returns the names of globals, in the order and the form of Names.
  std::vector<std::string> Globals() const;
  // Read, write, copy and replace globals, as the functions of Context do. If
  // the context has failed, the globals have their initial values before.
  nb::object GetGlobal(const std::string& name);
  void SetGlobal(const std::string& name, nb::handle value);
  std::unique_ptr<Snapshot> TakeSnapshot();
  void Restore(const Snapshot& snapshot);

  // Returns the function, which is valid as long as the core. Raises NOT_FOUND.
  Bound& Bind(const std::string& name);

  // Calls a function. The ticket must be new.
  nb::object Call(Bound& bound, const CallChoices& choices, Ticket& ticket,
                  const Given& given);

  // Returns how many arrays of the last call were used in place, copied, packed
  // and converted.
  nb::tuple Statistics(Bound& bound);

  // Ends the ticket's call, whether it is running, waiting or has not begun.
  // The context remains usable. Does nothing if the call is over.
  void Cancel(Ticket& ticket);
  // Ends the running call. Returns false if there is none.
  bool CancelRunning();

  // Frees the context and releases the modules and the devices. Waits for the
  // running call. Later calls raise FAILED_PRECONDITION, and so does this in a
  // call of this thread.
  void Close();
  // Raises FAILED_PRECONDITION in a call of this thread: in a log handler or an
  // imported function.
  void RefuseOwnCall() const;

  // Incremented in the child of a fork, where cores must not be used.
  static uint64_t epoch;

 private:
  class Ownership;
  class Running;

  // Calls `run(scope)`, which returns a Result<void>, while no other thread
  // uses the context, and raises its error, or those of RefuseOwnCall. Releases
  // the GIL, because values that `run` destroys may need to acquire it.
  template <typename F>
  void InTurn(const Ticket& ticket, F run, bool even_if_closed = false);

  void Describe(Bound& bound, const Function& function);
  std::unique_ptr<Bound::Scratch> Convert(Bound& bound,
                                          const CallChoices& choices,
                                          const Given& given);
  static void SetOuts(Bound::Scratch& scratch, nb::handle out);
  nb::object Take(Bound::Scratch& scratch, const ResultChoice& choice);

  // Makes a call; must be called by InTurn. Replaces a failed context first.
  Result<void> Run(Bound& bound, const CallOptions& limits, Ticket& ticket,
                   CallScope& scope, Bound::Scratch& scratch);
  static eyrie_error_t* MakeCall(const Bound& bound, const CallOptions& limits,
                                 const std::vector<eyrie_value_t*>& outs,
                                 Bound::Scratch& scratch);
  Result<void> Find(Bound& bound);
  // Returns false if the call has been cancelled.
  bool SetRunning(const Ticket* ticket);

  // Creates or replaces the context, in which no call may be running.
  Result<void> Renew(const Snapshot* snapshot = nullptr);
  // Calls `use(context)`, which returns a Result<void>, in turn.
  template <typename F>
  void UseContext(F use);

  const Options options_;
  std::shared_ptr<const std::vector<Module>> modules_;
  std::shared_ptr<const std::vector<Device>> devices_;
  std::shared_ptr<const Linker> linker_;  // may be null
  std::map<std::string, std::unique_ptr<Bound>, std::less<>> functions_;
  std::unique_ptr<Context> context_;    // null after Close
  uint64_t generation_ = 0;             // of the context
  std::atomic<std::thread::id> owner_;  // of turn_
  std::timed_mutex turn_;  // held by the thread that uses the context
  std::mutex running_mutex_;
  const Ticket* running_ = nullptr;  // of the running call
};

}  // namespace eyrie::python

#endif  // EYRIE_PYTHON_CORE_H_
