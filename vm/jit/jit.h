// Compiles functions of bytecode modules to machine code. Machines without a
// compiler, and --define=jit=off, have without.cc.
//
//   options.jit = jit::Create(jit::Mode::kLazy).value_or(nullptr);
//   ASSIGN_OR_RETURN(auto context, Context::Create(modules, options));
// See docs/jit.md.
// Tested by jit_test.cc.
#ifndef EYRIE_VM_JIT_JIT_H_
#define EYRIE_VM_JIT_JIT_H_

#include <memory>

#include "absl/status/statusor.h"
#include "base/perf_map.h"
#include "vm/run/compiled.h"

namespace eyrie::vm::jit {

// kLazy compiles hot functions only; kEager compiles each function at its first
// call.
enum class Mode { kLazy, kEager };

// Tools that are told the names and addresses of compiled functions.
struct Names {
  std::shared_ptr<PerfMap> perf_map;  // may be null
  bool gdb = false;                   // gdb's JIT interface
};

// Reports whether this build has a compiler for its machine.
bool HasCompiler();

// Creates a compiler. Returns UNIMPLEMENTED if the build has none or the
// processor is not supported, PERMISSION_DENIED if the system forbids
// executable memory, and RESOURCE_EXHAUSTED if there is not enough memory. A
// lazy one allocates nothing before a function is hot; if that allocation
// fails, it compiles nothing.
absl::StatusOr<std::shared_ptr<const Jit>> Create(Mode mode, Names names = {});

}  // namespace eyrie::vm::jit

#endif  // EYRIE_VM_JIT_JIT_H_
