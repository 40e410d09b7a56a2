// Compiles functions of bytecode modules to machine code of x86-64.
//
//   options.jit = jit::Create(jit::Mode::kLazy).value_or(nullptr);
//   ASSIGN_OR_RETURN(auto context, Context::Create(modules, options));
// docs/jit.md says how. Tested by jit_test.cc.
#ifndef EYRIE_VM_JIT_JIT_H_
#define EYRIE_VM_JIT_JIT_H_

#include <memory>

#include "absl/status/statusor.h"
#include "base/perf_map.h"
#include "vm/run/compiled.h"

namespace eyrie::vm::jit {

// When functions become code: those that are hot, or each when it is called.
enum class Mode { kLazy, kEager };

// Who is told what functions are called and where their code is.
struct Names {
  std::shared_ptr<PerfMap> perf_map;  // may be null
  bool gdb = false;                   // by gdb's JIT interface
};

// UNIMPLEMENTED: the build has no compiler, or the processor is another.
// PERMISSION_DENIED: the system refuses memory that is executable.
// RESOURCE_EXHAUSTED: there is none left. A lazy one asks for nothing before a
// function is hot, and compiles nothing if it is then refused.
absl::StatusOr<std::shared_ptr<const Jit>> Create(Mode mode, Names names = {});

}  // namespace eyrie::vm::jit

#endif  // EYRIE_VM_JIT_JIT_H_
