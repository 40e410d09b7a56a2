// Engines that run modules and must agree, and the observable outcome of a
// call.
//
// The interpreter is one engine, the oracle (oracle.h) another. Any other
// engine is compared with them through this interface.
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
#include "vm/isa/value.h"
#include "vm/limits/limits.h"
#include "vm/module/module.h"
#include "vm/run/compiled.h"
#include "vm/run/machine.h"

namespace eyrie::tests {

// Modules linked together, with their globals. For one thread only.
class Instance {
 public:
  virtual ~Instance() = default;

  // Calls an exported function of the last module. Resumes at once after a
  // yield. Fails as vm::Context::Call does.
  virtual absl::StatusOr<std::vector<vm::Value>> Call(
      absl::string_view function, std::span<const vm::Value> args) = 0;

  // Returns how often the last call was suspended, or -1 if unknown.
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

// Runs modules with vm::Context. Calls either resume at once, or use
// vm::Invocation and are resumed by the engine. If `jit` is given, runs the
// machine code that it compiles.
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

// Returns a JIT that compiles every function at its first call, or null if
// there is no compiler for this machine. Fails if the processor or the system
// does not support it; the test must report this.
absl::StatusOr<std::shared_ptr<const vm::Jit>> EagerJit();

// The outcome of a call, comparable between engines.
struct Outcome {
  absl::StatusCode code = absl::StatusCode::kOk;
  // The places where the call failed, innermost first, from the backtrace:
  // "f2+1a f0+9".
  std::string places;
  // Results bit by bit, with all objects reachable from them; printed output.
  std::string values;
  std::string printed;
  std::string message;       // of the error; not compared
  int64_t suspensions = -1;  // compared if both are known

  std::string ToString() const;
  friend bool operator==(const Outcome& a, const Outcome& b) {
    const bool known = a.suspensions >= 0 && b.suspensions >= 0;
    return a.code == b.code && a.places == b.places && a.values == b.values &&
           a.printed == b.printed && (!known || a.suspensions == b.suspensions);
  }
};

Outcome Observe(const absl::StatusOr<std::vector<vm::Value>>& results,
                std::string printed);

// Describes values bit by bit. Lists and buffers are described by content and,
// when they occur again, by number: "i32:5 #0=buf:00ff #1=list<i8>(i32:1) #0".
std::string Describe(std::span<const vm::Value> values);

}  // namespace eyrie::tests

#endif  // EYRIE_TESTS_ORACLE_ENGINE_H_
