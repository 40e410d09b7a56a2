// Functions of a verified module as lines of assembly.
//
// Tested by assembler_test.cc, tests/integration/roundtrip_test.cc.
#ifndef EYRIE_VM_ASM_CODE_PRINTER_H_
#define EYRIE_VM_ASM_CODE_PRINTER_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "vm/asm/instruction.h"
#include "vm/module_def.h"
#include "vm/operand.h"

namespace eyrie::vm {

// Where instructions of one function come from, by offset: entries of the
// debug database's location table.
using LocationMap = absl::flat_hash_map<uint32_t, int32_t>;

// How functions are called: "@name", "@module:4", "@import[2]".
struct Callees {
  std::vector<std::string> functions;
  std::vector<std::string> imports;
};

// Prints bodies of functions. Borrows the module, which has been verified, and
// the callees.
class CodePrinter {
 public:
  // `escapes`: in strings; upstream has none.
  CodePrinter(const ModuleDef& def, const Callees& callees, bool escapes)
      : def_(def), callees_(callees), escapes_(escapes) {}

  // Appends the lines between a function's braces. With `offsets` each begins
  // with its instruction's: "[0000000C]". False: `to` grew beyond `most` bytes.
  bool Print(uint32_t function, const LocationMap& locations, bool offsets,
             size_t most, std::string& to);

 private:
  void NumberBlocks();
  void PrintInstruction(const Instruction& instruction, std::string& to) const;
  void PrintPattern(const Instruction& instruction, absl::string_view pattern,
                    std::string& to) const;
  void PrintOperand(OperandKind kind, const OperandValue& value,
                    std::string& to) const;
  void PrintBlock(uint32_t offset, std::string& to) const;
  void PrintRemap(const std::vector<uint16_t>& pairs, std::string& to) const;
  void PrintComment(const Instruction& instruction, std::string& to) const;
  void PrintLocation(int32_t location, std::string& to) const;

  const ModuleDef& def_;
  const Callees& callees_;
  const bool escapes_;

  // Of the function at hand.
  std::span<const uint8_t> code_;
  absl::flat_hash_map<uint32_t, uint32_t> blocks_;  // ordinals by offset
};

}  // namespace eyrie::vm

#endif  // EYRIE_VM_ASM_CODE_PRINTER_H_
