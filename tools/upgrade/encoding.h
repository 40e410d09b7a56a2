// Rewrites a module's functions for another bytecode version.
//
// Version 15 ignores move bits of single operands and drops the references of
// a frame when it returns; 16 moves where the bit is set and drops nothing; 17
// has calls that may yield (vm/isa/version.h).
// Tested by upgrade_test.cc.
#ifndef EYRIE_TOOLS_UPGRADE_ENCODING_H_
#define EYRIE_TOOLS_UPGRADE_ENCODING_H_

#include "absl/status/status.h"
#include "vm/asm/module_plan.h"
#include "vm/module/verifier.h"

namespace eyrie::tools {

// Changes the code in `plan`, which is the plan of `module`, and its bytecode
// version. UNIMPLEMENTED: the release lacks an instruction of the code, or the
// new version cannot express it; the message names it and its place.
// RESOURCE_EXHAUSTED: see CodeEditor::Finish.
absl::Status ChangeEncoding(const vm::VerifiedModule& module, int release,
                            vm::ModulePlan& plan);

// Sets the features that functions and module ask for to those that a compiler
// of the plan's version would name.
void SetRequirements(vm::ModulePlan& plan);

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_UPGRADE_ENCODING_H_
