// A module's FlatBuffer, verified: every offset and size in it is valid.
//
// Tested by module_def_test.cc, testing/module_fuzz.cc.
#ifndef EYRIE_VM_MODULE_FLATBUFFER_H_
#define EYRIE_VM_MODULE_FLATBUFFER_H_

#include "absl/status/statusor.h"
#include "vm/module/archive.h"

namespace eyrie::vm {

namespace fbs {
struct Module;       // module.fbs
struct OlderModule;  // older_module.fbs
}  // namespace fbs

// Returns the root table, which is valid as long as the archive. Does not check
// the values in it. INVALID_ARGUMENT: the FlatBuffer is damaged. UNIMPLEMENTED:
// it has 2 GiB or more.
absl::StatusOr<const fbs::Module*> VerifyFlatBuffer(const Archive& archive);

// Returns the root table of a module with bytecode 13, or null if the archive
// is none or its FlatBuffer is damaged.
const fbs::OlderModule* FindOlderModule(const Archive& archive);

}  // namespace eyrie::vm

#endif  // EYRIE_VM_MODULE_FLATBUFFER_H_
