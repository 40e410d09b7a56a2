// Makes a module call only host functions that a release has.
//
// Tested by upgrade_test.cc.
#ifndef EYRIE_TOOLS_UPGRADE_CALL_REWRITER_H_
#define EYRIE_TOOLS_UPGRADE_CALL_REWRITER_H_

#include "absl/status/statusor.h"
#include "vm/asm/module_plan.h"
#include "vm/module/verifier.h"

namespace eyrie::tools {

// Reports whether the release has all functions that the module imports.
bool HasImports(int release, const vm::ModuleDef& module);

// Changes `plan`, which is the plan of `module`, by one row of shims.def for
// each call of a function that the release lacks. UNIMPLEMENTED: a call cannot
// be expressed; the message names both functions. RESOURCE_EXHAUSTED: see
// CodeEditor::Finish.
absl::Status RewriteCalls(const vm::VerifiedModule& module, int release,
                          vm::ModulePlan& plan);

// Sets the versions of the host modules that the plan depends on: those that
// added the functions that it imports.
void SetDependencies(vm::ModulePlan& plan);

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_UPGRADE_CALL_REWRITER_H_
