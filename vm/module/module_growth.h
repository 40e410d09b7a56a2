// The bound on what a module's tables decode to.
//
// Tested by tools/inspect/shared_text_test.cc.
#ifndef EYRIE_VM_MODULE_MODULE_GROWTH_H_
#define EYRIE_VM_MODULE_MODULE_GROWTH_H_

#include <cstdint>

#include "absl/status/status.h"

namespace eyrie::vm {

namespace fbs {
struct Module;  // module.fbs
}  // namespace fbs

// Counts the entries of a verified FlatBuffer of so many bytes, and their
// names, each time that one is named. Names of files in the debug database are
// not counted: compilers share them, and nobody decodes them all.
// RESOURCE_EXHAUSTED: more than a DecodingBudget.
absl::Status CheckModuleGrowth(const fbs::Module& module, uint64_t bytes);

}  // namespace eyrie::vm

#endif  // EYRIE_VM_MODULE_MODULE_GROWTH_H_
