// Ways to run modules that must agree, and what is observed of a run.
//
// The interpreter is one engine, the oracle (oracle.h) another; whatever else
// comes to run bytecode is held against them through this interface.
// Tested by random_programs_test.cc, fixtures_test.cc.
#ifndef EYRIE_TESTS_ORACLE_ENGINE_H_
#define EYRIE_TESTS_ORACLE_ENGINE_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "vm/run/compiled.h"
#include "vm/limits/limits.h"
#include "vm/run/machine.h"
#include "vm/module/module.h"
#include "vm/isa/value.h"

namespace eyrie::tests {

// Modules linked together, with their globals. One thread's.
class Instance {
 public:
  virtual ~Instance() = default;

  // Calls an exported function of the last module. A yield resumes at once.
  // Fails as vm::Context::Call does.
  virtual absl::StatusOr<std::vector<vm::Value>> Call(
      absl::string_view function, std::span<const vm::Value> args) = 0;

  // How often the last call was suspended; -1: not known.
  virtual int64_t suspensions() const { return -1; }
};

class Engine {
 public:
  virtual ~Engine() = default;

  virtual const char* name() const = 0;
  // Links modules, each to those before it, and runs their __init functions.
  virtual absl::StatusOr<std::unique_ptr<Instance>> Load(
      std::vector<std::shared_ptr<const vm::Module>> modules,
      vm::PrintSink print) = 0;
};

// Runs through vm::Context: calls at once, or through vm::Invocation, resumed
// by the engine wherever they are suspended. With `jit`, machine code that it
// compiles.
class InterpreterEngine final : public Engine {
 public:
  enum class Resumes { kAtOnce, kByHost };
  explicit InterpreterEngine(Resumes resumes = Resumes::kAtOnce,
                             vm::Limits limits = {},
                             std::shared_ptr<const vm::Jit> jit = nullptr)
      : resumes_(resumes), limits_(limits), jit_(std::move(jit)) {}

  const char* name() const override {
    if (jit_ != nullptr) return "compiled code";
    return resumes_ == Resumes::kAtOnce ? "interpreter" : "resumed interpreter";
  }
  absl::StatusOr<std::unique_ptr<Instance>> Load(
      std::vector<std::shared_ptr<const vm::Module>> modules,
      vm::PrintSink print) override;

 private:
  Resumes resumes_;
  vm::Limits limits_;
  std::shared_ptr<const vm::Jit> jit_;
};

// That compiles every function at its first call. Not where the processor or
// the system does not allow it: then a test of it has to say so.
absl::StatusOr<std::shared_ptr<const vm::Jit>> EagerJit();

// What a call did, comparable between engines.
struct Outcome {
  absl::StatusCode code = absl::StatusCode::kOk;
  // Where it failed, innermost first: "f2+1a f0+9", from the backtrace.
  std::string places;
  // Results bit for bit, with all that refs lead to; what was printed.
  std::string values;
  std::string printed;
  std::string message;       // of the error; not compared
  int64_t suspensions = -1;  // compared if both know it

  std::string ToString() const;
  friend bool operator==(const Outcome& a, const Outcome& b) {
    const bool known = a.suspensions >= 0 && b.suspensions >= 0;
    return a.code == b.code && a.places == b.places && a.values == b.values &&
           a.printed == b.printed && (!known || a.suspensions == b.suspensions);
  }
};

Outcome Observe(const absl::StatusOr<std::vector<vm::Value>>& results,
                std::string printed);

// Values bit for bit; lists and buffers by content, and by number where they
// occur again: "i32:5 #0=buf:00ff #1=list<i8>(i32:1) #0".
std::string Describe(std::span<const vm::Value> values);

}  // namespace eyrie::tests

#endif  // EYRIE_TESTS_ORACLE_ENGINE_H_
