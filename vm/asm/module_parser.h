// Reads a whole text: directives, notes, and functions line by line.
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
#include "vm/asm/assembler.h"
#include "vm/asm/code_parser.h"
#include "vm/asm/cursor.h"
#include "vm/asm/module_scope.h"

namespace eyrie::vm {

// Borrows the options and all text.
class ModuleParser {
 public:
  explicit ModuleParser(const AssemblerOptions& options) : options_(options) {}

  // Fills the scope; all names are resolved.
  absl::Status Parse(absl::string_view text, absl::string_view file);

  ModuleScope& scope() { return scope_; }

 private:
  using Handler = absl::Status (ModuleParser::*)(Cursor& in);
  struct Word {
    const char* text;
    Handler handler;
  };
  static const Word kDirectives[];
  static const Word kNotes[];
  static const Word kFunctionNotes[];

  absl::Status ParseLine();
  absl::Status ParseCode(Cursor& in);
  absl::Status ParseNote(Cursor& in);
  absl::Status Finish();

  // Directives, after their word.
  absl::Status Module(Cursor& in);
  absl::Status Type(Cursor& in);
  absl::Status Import(Cursor& in);
  absl::Status Export(Cursor& in);
  absl::Status Rodata(Cursor& in);
  absl::Status GlobalI32(Cursor& in);
  absl::Status GlobalI64(Cursor& in);
  absl::Status GlobalF32(Cursor& in);
  absl::Status GlobalF64(Cursor& in);
  absl::Status GlobalRef(Cursor& in);
  absl::Status Global(Cursor& in, OperandKind kind, uint32_t size,
                      absl::string_view type);
  absl::Status Func(Cursor& in);
  absl::StatusOr<std::string> TakeArguments(Cursor& in);
  absl::StatusOr<std::string> TakeResults(Cursor& in);
  absl::Status EndFunction(Cursor& in);

  // Contents of a constant (module_rodata.cc).
  absl::StatusOr<std::vector<uint8_t>> TakeContents(Cursor& in);

  // Notes, after their word (module_notes.cc).
  absl::Status NoteBytecode(Cursor& in);
  absl::Status NoteRequires(Cursor& in);
  absl::Status NoteArchive(Cursor& in);
  absl::Status NoteAttr(Cursor& in);
  absl::Status NoteDepends(Cursor& in);
  absl::Status NoteImportAttr(Cursor& in);
  absl::Status NoteRodataExternal(Cursor& in);
  absl::Status NoteRodataAlign(Cursor& in);
  absl::Status NoteGlobals(Cursor& in);
  absl::Status NoteLocation(Cursor& in);
  absl::Status NoteFuncAttr(Cursor& in);
  absl::Status NoteFuncName(Cursor& in);
  absl::Status NoteFuncConvention(Cursor& in);
  absl::Status NoteFuncRequires(Cursor& in);
  absl::Status NoteFuncRegisters(Cursor& in);
  absl::Status NoteInstruction(Cursor& in);

  // What notes say about the function that follows.
  struct FunctionNotes {
    std::optional<SourcePlace> first;
    ModulePlan::Attributes attributes;
    std::string name;
    std::optional<std::string> convention;
    std::optional<uint32_t> requirements;
    std::optional<std::pair<uint32_t, uint32_t>> registers;  // i32, ref
  };

  absl::Status BeforeFunctions(const Cursor& in) const;
  void AddDebugLine();

  const AssemblerOptions& options_;
  ModuleScope scope_;
  SourceLine line_;
  FunctionNotes notes_;
  std::unique_ptr<CodeParser> code_;  // of the function at hand
  SourcePlace function_place_;
  std::string function_name_;
  uint64_t rodata_bytes_ = 0;
  bool has_locations_ = false;  // the text's own
};

}  // namespace eyrie::vm

#endif  // EYRIE_VM_ASM_MODULE_PARSER_H_
