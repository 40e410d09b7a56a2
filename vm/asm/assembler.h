// Assembles modules from text.
//
//   ASSIGN_OR_RETURN(std::vector<uint8_t> file,
//                    Assemble(text, "add.vmasm"));
//
// docs/vmasm.md describes the language. Equal texts produce equal bytes.
// Tested by assembler_test.cc, tests/integration/roundtrip_test.cc,
// testing/asm_fuzz.cc.
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

// Returns the contents of a module file. Messages use `name` for the text.
// Returns INVALID_ARGUMENT or UNIMPLEMENTED if the text is wrong; the message
// shows the position. Returns RESOURCE_EXHAUSTED if the module does not fit
// into a file, and the errors of AssemblerOptions::read_file.
absl::StatusOr<std::vector<uint8_t>> Assemble(
    absl::string_view text, const std::string& name,
    const AssemblerOptions& options = {});

// Returns the plan of the file instead of its contents.
absl::StatusOr<ModulePlan> AssemblePlan(absl::string_view text,
                                        const std::string& name,
                                        const AssemblerOptions& options = {});

}  // namespace eyrie::vm

#endif  // EYRIE_VM_ASM_ASSEMBLER_H_
