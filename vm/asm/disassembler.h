// Prints a module as assembly text, from which Assemble restores it.
//
// The text is upstream's, described in docs/vmasm.md. Everything that it cannot
// express is in notes, "//! …", which upstream's assembler treats as comments.
// Tested by assembler_test.cc, tests/integration/roundtrip_test.cc.
#ifndef EYRIE_VM_ASM_DISASSEMBLER_H_
#define EYRIE_VM_ASM_DISASSEMBLER_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "absl/status/statusor.h"
#include "base/text_stream.h"
#include "vm/asm/assembly_text.h"
#include "vm/module/verifier.h"

namespace eyrie::vm {

struct DisassemblyOptions {
  // Begins each line of code with the offset of its instruction.
  bool offsets = false;
  AssemblyText text = AssemblyText::kRestorable;
  // Prints only this function, given by its name in the text or its ordinal.
  std::string function;
  // Constants longer than inline_bytes are passed to `store`, which writes them
  // to a file and returns its name. If null, the text contains all constants.
  size_t inline_bytes = 256;
  std::function<absl::StatusOr<std::string>(size_t ordinal,
                                            std::span<const uint8_t> bytes)>
      store;
  // Prints only the functions, without the tables before them.
  bool only_functions = false;
  // Limit for the text in bytes. MostTextOf() the file is a limit, too.
  uint64_t most_text = UINT64_MAX;
};

// Passes the text to `sink` while it is created. Returns NOT_FOUND if the
// module does not have the function, in which case `sink` receives nothing;
// RESOURCE_EXHAUSTED if the text would exceed `most_text`, or many times the
// size of the file because of long names, in which case `sink` may have
// received its beginning; or the errors of `sink` and `store`.
absl::Status Disassemble(const VerifiedModule& module,
                         const DisassemblyOptions& options, TextSink sink);

// Returns the whole text.
absl::StatusOr<std::string> Disassemble(const VerifiedModule& module,
                                        const DisassemblyOptions& options = {});

}  // namespace eyrie::vm

#endif  // EYRIE_VM_ASM_DISASSEMBLER_H_
