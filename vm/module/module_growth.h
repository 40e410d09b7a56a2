// Limits the size of decoded modules.
//
// Tested by tools/inspect/shared_text_test.cc.
#ifndef EYRIE_VM_MODULE_MODULE_GROWTH_H_
#define EYRIE_VM_MODULE_MODULE_GROWTH_H_

#include <cstdint>

#include "absl/status/status.h"

namespace eyrie::vm {

struct ModuleTables;

// Counts the entries of a verified FlatBuffer of `bytes` bytes, and their
// names, once for each reference. Returns RESOURCE_EXHAUSTED if they exceed a
// DecodingBudget. Does not count file names in the debug database, which
// compilers share and which are never all decoded.
absl::Status CheckModuleGrowth(const ModuleTables& module, uint64_t bytes);

}  // namespace eyrie::vm

#endif  // EYRIE_VM_MODULE_MODULE_GROWTH_H_
