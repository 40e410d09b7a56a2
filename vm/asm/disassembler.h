// A module as assembly text, from which Assemble makes it again.
//
// The text is upstream's, as docs/vmasm.md has it; what that cannot say stands
// in notes, "//! …", which upstream's assembler takes for comments.
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
#include "vm/module/verifier.h"

namespace eyrie::vm {

struct DisassemblyOptions {
  // Begins each instruction's line with its offset.
  bool offsets = false;
  // Without notes the text is upstream's byte for byte, which does not always
  // give the module again: strings have no escapes.
  bool notes = true;
  // Only this function, by its name in the text or its ordinal.
  std::string function;
  // Constants longer than this many bytes are given to `store`, which keeps
  // them in a file and returns its name for the text. Null: all are in the
  // text.
  size_t inline_bytes = 256;
  std::function<absl::StatusOr<std::string>(size_t ordinal,
                                            std::span<const uint8_t> bytes)>
      store;
  // The functions alone, without what the text has before them.
  bool only_functions = false;
  // The largest text, in bytes, where that is less than MostTextOf() the file.
  uint64_t most_text = UINT64_MAX;
};

// Gives the text to `sink` as it is made. NOT_FOUND: the module has no such
// function; `sink` got nothing. RESOURCE_EXHAUSTED: the text would exceed
// `most_text` or many times the file, whose names are long; `sink` got its
// begin, or nothing. Else the errors of `sink` and of `store`.
absl::Status Disassemble(const VerifiedModule& module,
                         const DisassemblyOptions& options, TextSink sink);

// The whole text.
absl::StatusOr<std::string> Disassemble(const VerifiedModule& module,
                                        const DisassemblyOptions& options = {});

}  // namespace eyrie::vm

#endif  // EYRIE_VM_ASM_DISASSEMBLER_H_
