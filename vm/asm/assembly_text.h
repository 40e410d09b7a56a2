// The kinds of assembly text.
#ifndef EYRIE_VM_ASM_ASSEMBLY_TEXT_H_
#define EYRIE_VM_ASM_ASSEMBLY_TEXT_H_

#include <cstdint>

namespace eyrie::vm {

enum class AssemblyText : uint8_t {
  kRestorable,  // with notes, so that Assemble restores the module
  // Without notes. Calls name functions only as the module does: "@name" or
  // "@module:4".
  kListing,
  // Identical to the public tool's, which has no notes, no escapes in strings,
  // and names functions and calls by the debug database. Cannot always be
  // assembled again.
  kPublic,
};

}  // namespace eyrie::vm

#endif  // EYRIE_VM_ASM_ASSEMBLY_TEXT_H_
