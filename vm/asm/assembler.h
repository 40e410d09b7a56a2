// Modules from assembly text.
//
//   ASSIGN_OR_RETURN(std::vector<uint8_t> file,
//                    Assemble(text, "add.vmasm"));
//
// The language is docs/vmasm.md's. Equal texts give equal bytes.
// Tested by assembler_test.cc, tests/integration/roundtrip_test.cc,
// asm_fuzz.cc.
#ifndef EYRIE_VM_ASM_ASSEMBLER_H_
#define EYRIE_VM_ASM_ASSEMBLER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "vm/asm/assembler_options.h"
#include "vm/asm/module_plan.h"

namespace eyrie::vm {

// The bytes of a module's file. `name` stands for the text in messages.
// INVALID_ARGUMENT or UNIMPLEMENTED: the text is wrong; the message shows
// where. RESOURCE_EXHAUSTED: the module exceeds what a file can hold.
absl::StatusOr<std::vector<uint8_t>> Assemble(
    absl::string_view text, const std::string& name,
    const AssemblerOptions& options = {});

// The same without the file.
absl::StatusOr<ModulePlan> AssemblePlan(absl::string_view text,
                                        const std::string& name,
                                        const AssemblerOptions& options = {});

}  // namespace eyrie::vm

#endif  // EYRIE_VM_ASM_ASSEMBLER_H_
