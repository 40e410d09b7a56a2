// Entries of a debug database's location table.
#ifndef EYRIE_VM_ASM_DEBUG_LOCATIONS_H_
#define EYRIE_VM_ASM_DEBUG_LOCATIONS_H_

#include <cstdint>

#include "absl/strings/string_view.h"
#include "vm/module/module_generated.h"

namespace eyrie::vm {

// Returns the kind of an entry; NONE if the table of kinds is too short.
fbs::Location KindOf(const fbs::DebugDatabase& debug, uint32_t location);

// Returns an entry's own text: a file, a name or metadata. Empty if it has
// none.
absl::string_view TextOf(const fbs::DebugDatabase& debug, uint32_t location);

}  // namespace eyrie::vm

#endif  // EYRIE_VM_ASM_DEBUG_LOCATIONS_H_
