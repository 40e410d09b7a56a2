// Prints one function at a time.
#include "vm/asm/function_texts.h"

#include "absl/strings/str_cat.h"
#include "base/file_growth.h"
#include "base/status_macros.h"
#include "base/text_stream.h"
#include "vm/asm/code_printer.h"
#include "vm/asm/function_names.h"
#include "vm/asm/instruction.h"

namespace eyrie::vm {
namespace {

uint32_t CountInstructions(std::span<const uint8_t> code) {
  uint32_t count = 0;
  for (uint32_t pc = 0; pc < code.size();) {
    if (Decode(code, pc).op->op != Op::kBlock) ++count;
  }
  return count;
}

}  // namespace

absl::Status VisitFunctionTexts(
    const VerifiedModule& module, std::span<const std::string> constants,
    absl::FunctionRef<void(const FunctionText&)> visit) {
  const ModuleDef& def = module.def();
  const uint64_t file_bytes = def.archive().bytes().size();
  const uint64_t most = MostTextOf(file_bytes);
  const FunctionNames names(def, AssemblyText::kRestorable);
  CodePrinter printer(def, names.callees(), /*escapes=*/true, constants);
  std::string text;
  const auto collect = [&text](absl::string_view piece) {
    absl::StrAppend(&text, piece);
    return absl::OkStatus();
  };
  uint64_t left = most;
  for (uint32_t i = 0; i < def.functions.size(); ++i) {
    text.clear();
    TextStream to(left, collect);
    printer.Print(i, {}, /*offsets=*/false, to);
    RETURN_IF_ERROR(to.Finish());
    if (to.is_too_long()) return TextTooLongError(most, file_bytes);
    left = to.left();
    visit({i, names.function(i), CountInstructions(def.functions[i].bytecode),
           text});
  }
  return absl::OkStatus();
}

}  // namespace eyrie::vm
