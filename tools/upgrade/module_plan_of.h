// The plan of a module that exists: what its file contains, as plain values.
//
// Tested by upgrade_test.cc.
#ifndef EYRIE_TOOLS_UPGRADE_MODULE_PLAN_OF_H_
#define EYRIE_TOOLS_UPGRADE_MODULE_PLAN_OF_H_

#include "absl/status/statusor.h"
#include "vm/asm/module_plan.h"
#include "vm/module/verifier.h"

namespace eyrie::tools {

// Returns the plan from which WriteModule makes the module's file again.
// RESOURCE_EXHAUSTED: the module's text would be too long, as for Disassemble.
absl::StatusOr<vm::ModulePlan> PlanOf(const vm::VerifiedModule& module);

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_UPGRADE_MODULE_PLAN_OF_H_
