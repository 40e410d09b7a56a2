#include "tools/debug/listing.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "base/plain_text.h"
#include "vm/asm/disassembler.h"

namespace eyrie::tools {
namespace {

constexpr size_t kMaxLine = 1000;  // bytes

}  // namespace

const std::vector<CodeLine>& Listing::Of(const vm::BytecodeModule& module,
                                         uint32_t function) {
  const auto [known, is_new] = functions_.try_emplace({&module, function});
  std::vector<CodeLine>& lines = known->second;
  if (!is_new) return lines;
  vm::DisassemblyOptions options;
  options.offsets = true;
  options.text = vm::AssemblyText::kListing;
  options.function = absl::StrCat(function);
  options.only_functions = true;
  const auto text = vm::Disassemble(module.verified(), options);
  if (!text.ok()) return lines;
  for (absl::string_view line : absl::StrSplit(*text, '\n')) {
    const size_t end = line.find(']');
    uint32_t offset = 0;
    if (line.empty() || line[0] != '[' || end == line.npos ||
        !absl::SimpleHexAtoi(line.substr(1, end - 1), &offset)) {
      continue;
    }
    line.remove_prefix(end + 1);
    lines.push_back(
        {offset, !line.empty() && line[0] == '^', PlainText(line, kMaxLine)});
  }
  return lines;
}

std::optional<size_t> Listing::FindAtOrBehind(const vm::BytecodeModule& module,
                                              uint32_t function,
                                              uint32_t offset) {
  const std::vector<CodeLine>& lines = Of(module, function);
  for (size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].offset >= offset && !lines[i].is_block) return i;
  }
  return std::nullopt;
}

}  // namespace eyrie::tools
