// Parses a whole text: directives, notes, and functions line by line.
//
// Tested by assembler_test.cc.
#ifndef EYRIE_VM_ASM_MODULE_PARSER_H_
#define EYRIE_VM_ASM_MODULE_PARSER_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "vm/asm/assembler_options.h"
#include "vm/asm/code_parser.h"
#include "vm/asm/cursor.h"
#include "vm/asm/module_scope.h"

namespace eyrie::vm {

// The options and the text must outlive the parser.
class ModuleParser {
 public:
  explicit ModuleParser(const AssemblerOptions& options) : options_(options) {}

  // Fills the scope and resolves all names.
  absl::Status Parse(absl::string_view text, absl::string_view file);

  ModuleScope& scope() { return scope_; }

 private:
  using Handler = absl::Status (ModuleParser::*)(TextCursor& in);
  struct Word {
    const char* text;
    Handler handler;
  };
  static const Word kDirectives[];
  static const Word kNotes[];
  static const Word kFunctionNotes[];

  absl::Status ParseLine();
  absl::Status ParseCode(TextCursor& in);
  absl::Status ParseNote(TextCursor& in);
  absl::Status Finish();

  // Directives; their word has been read.
  absl::Status Module(TextCursor& in);
  absl::Status Type(TextCursor& in);
  absl::Status Import(TextCursor& in);
  absl::Status Export(TextCursor& in);
  absl::Status Rodata(TextCursor& in);
  absl::Status GlobalI32(TextCursor& in);
  absl::Status GlobalI64(TextCursor& in);
  absl::Status GlobalF32(TextCursor& in);
  absl::Status GlobalF64(TextCursor& in);
  absl::Status GlobalRef(TextCursor& in);
  absl::Status Global(TextCursor& in, OperandKind kind, uint32_t size,
                      absl::string_view type);
  absl::Status Func(TextCursor& in);
  absl::StatusOr<std::string> TakeArguments(TextCursor& in);
  absl::StatusOr<std::string> TakeResults(TextCursor& in);
  absl::Status EndFunction(TextCursor& in);

  // Parses the contents of a constant (module_rodata.cc).
  absl::StatusOr<std::vector<uint8_t>> TakeContents(TextCursor& in);

  // Notes (module_notes.cc); their word has been read.
  absl::Status NoteBytecode(TextCursor& in);
  absl::Status NoteRequires(TextCursor& in);
  absl::Status NoteArchive(TextCursor& in);
  absl::Status NoteAttr(TextCursor& in);
  absl::Status NoteDepends(TextCursor& in);
  absl::Status NoteImportAttr(TextCursor& in);
  absl::Status NoteRodataExternal(TextCursor& in);
  absl::Status NoteRodataAlign(TextCursor& in);
  absl::Status NoteGlobals(TextCursor& in);
  absl::Status NoteLocation(TextCursor& in);
  absl::Status NoteFuncAttr(TextCursor& in);
  absl::Status NoteFuncName(TextCursor& in);
  absl::Status NoteFuncConvention(TextCursor& in);
  absl::Status NoteFuncRequires(TextCursor& in);
  absl::Status NoteFuncRegisters(TextCursor& in);
  absl::Status NoteInstruction(TextCursor& in);

  // Notes about the next function.
  struct FunctionNotes {
    std::optional<SourcePlace> first;
    ModulePlan::Attributes attributes;
    std::string name;
    std::optional<std::string> convention;
    std::optional<uint32_t> requirements;
    std::optional<std::pair<uint32_t, uint32_t>> registers;  // i32, ref
  };

  absl::Status BeforeFunctions(const TextCursor& in) const;
  void AddDebugLine();

  const AssemblerOptions& options_;
  ModuleScope scope_;
  SourceLine line_;
  FunctionNotes notes_;
  std::unique_ptr<CodeParser> code_;  // of the current function
  SourcePlace function_place_;
  std::string function_name_;
  uint64_t rodata_bytes_ = 0;
  bool has_locations_ = false;  // the text has locations of its own
};

}  // namespace eyrie::vm

#endif  // EYRIE_VM_ASM_MODULE_PARSER_H_
