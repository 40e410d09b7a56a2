// Prints functions of a verified module as lines of assembly.
//
// Tested by assembler_test.cc, tests/integration/roundtrip_test.cc.
#ifndef EYRIE_VM_ASM_CODE_PRINTER_H_
#define EYRIE_VM_ASM_CODE_PRINTER_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "base/text_stream.h"
#include "vm/asm/instruction.h"
#include "vm/isa/operand.h"
#include "vm/module/module_def.h"

namespace eyrie::vm {

// The locations of a function's instructions: ascending offsets, with entries
// of the debug database's location table.
using LocationList = std::vector<std::pair<uint32_t, int32_t>>;

// The names of functions in calls: "@name", "@module:4", "@import[2]". Borrows
// names instead of building the text, since they may be long.
struct Callees {
  // No name if it would be ambiguous.
  std::vector<std::optional<absl::string_view>> functions;
  std::vector<std::optional<absl::string_view>> imports;
  std::string module;  // "@module"
  // Calls have the form "@module.name".
  bool stored_names = false;
};

// Prints bodies of functions. The module, which must be verified, and the
// callees must outlive it.
class CodePrinter {
 public:
  // If `escapes`, strings have escapes, which upstream does not support.
  // `constants` has the names of constants; if it is empty, their ordinals are
  // printed. It must outlive the printer.
  CodePrinter(const ModuleDef& def, const Callees& callees, bool escapes,
              std::span<const std::string> constants = {})
      : def_(def),
        callees_(callees),
        escapes_(escapes),
        constants_(constants) {}

  // Prints the lines between a function's braces. If `offsets`, each line
  // begins with the offset of its instruction: "[0000000C]".
  void Print(uint32_t function, const LocationList& locations, bool offsets,
             TextStream& to);

 private:
  void NumberBlocks();
  void PrintInstruction(const Instruction& instruction, std::string& to) const;
  void PrintPattern(const Instruction& instruction, absl::string_view pattern,
                    std::string& to) const;
  void PrintOperand(OperandKind kind, const OperandValue& value,
                    std::string& to) const;
  void PrintCallee(uint64_t callee, std::string& to) const;
  void PrintBlock(uint32_t offset, std::string& to) const;
  void PrintRemap(const std::vector<uint16_t>& pairs, std::string& to) const;
  void PrintComment(const Instruction& instruction, std::string& to) const;
  void PrintLocation(int32_t location, std::string& to) const;

  const ModuleDef& def_;
  const Callees& callees_;
  const bool escapes_;
  const std::span<const std::string> constants_;

  // The current function.
  std::span<const uint8_t> code_;
  std::vector<uint32_t> blocks_;  // offsets, ascending
};

}  // namespace eyrie::vm

#endif  // EYRIE_VM_ASM_CODE_PRINTER_H_
