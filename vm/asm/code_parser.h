// Parses the body of a function, line by line.
//
// Tested by assembler_test.cc.
#ifndef EYRIE_VM_ASM_CODE_PARSER_H_
#define EYRIE_VM_ASM_CODE_PARSER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "vm/asm/cursor.h"
#include "vm/asm/frame_needs.h"
#include "vm/asm/instruction.h"
#include "vm/asm/module_scope.h"

namespace eyrie::vm {

// Parses the last function of `scope`, which must outlive the parser.
class CodeParser {
 public:
  CodeParser(ModuleScope& scope, const FrameNeeds& needs)
      : scope_(scope),
        ordinal_(static_cast<uint32_t>(scope.plan.functions.size() - 1)),
        needs_(needs) {}

  // Parses a label or an instruction; it must extend to the cursor's end.
  absl::Status ParseLine(const SourceLine& line, TextCursor& in);

  // Returns the offset of the code of the last line.
  uint32_t last_offset() const { return last_offset_; }

  // Must be called after the last line. Resolves labels and sets the function's
  // code.
  absl::Status Finish(const SourceLine& line, size_t at);

  const FrameNeeds& needs() const { return needs_; }

 private:
  struct Label {
    std::string name;
    SourcePlace first_use;
    bool defined = false;
    uint32_t offset = 0;
  };

  absl::Status ParseLabel(TextCursor& in);
  absl::Status ParseInstruction(TextCursor& in);
  absl::StatusOr<const OpInfo*> TakeOp(TextCursor& in);
  absl::Status ParseOperands(TextCursor& in, Instruction& instruction);
  absl::Status ParsePattern(TextCursor& in, absl::string_view pattern,
                            Instruction& instruction);
  absl::Status ParseOperand(TextCursor& in, OperandKind kind,
                            OperandValue& value);
  absl::StatusOr<uint16_t> TakeRegister(TextCursor& in, OperandKind kind);
  absl::StatusOr<uint16_t> TakeAnyRegister(TextCursor& in);
  absl::Status TakeRegisters(TextCursor& in, OperandKind kind,
                             std::vector<uint16_t>& list);
  absl::Status TakeSegments(TextCursor& in, std::vector<uint16_t>& list);
  absl::Status TakeRemap(TextCursor& in, std::vector<uint16_t>& list);
  absl::Status TakeCases(TextCursor& in, std::vector<BranchCase>& cases);
  absl::StatusOr<uint32_t> TakeBlock(TextCursor& in);
  absl::StatusOr<uint64_t> TakeGlobal(TextCursor& in, OperandKind kind);
  absl::Status TakeFunc(TextCursor& in, OperandKind kind, OperandValue& value);
  // Updates everything that depends on names. Called only for correct lines.
  void SettleNames(Instruction& instruction);
  void Emit(const Instruction& instruction, const SourcePlace& place);
  uint32_t LabelId(absl::string_view name, const SourcePlace& place);

  ModuleScope& scope_;
  const uint32_t ordinal_;
  FrameNeeds needs_;
  std::vector<uint8_t> code_;
  std::vector<Label> labels_;
  absl::flat_hash_map<std::string, uint32_t> label_ids_;
  // Offsets of fields that contain a label's id until Finish.
  std::vector<uint32_t> block_fields_;
  uint32_t last_offset_ = 0;
  bool ended_ = true;  // the last instruction ended its block
  const OpInfo* last_op_ = nullptr;
  SourceLine line_;
  size_t callee_at_ = 0;  // of the current line
  // The callee of the current line if it is not defined yet, else empty.
  std::string callee_name_;
};

}  // namespace eyrie::vm

#endif  // EYRIE_VM_ASM_CODE_PARSER_H_
