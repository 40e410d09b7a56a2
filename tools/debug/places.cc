#include "tools/debug/places.h"

#include <algorithm>
#include <optional>
#include <set>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"
#include "base/plain_text.h"
#include "base/status_macros.h"
#include "base/suggest.h"
#include "vm/asm/instruction.h"
#include "vm/isa/opcode.h"
#include "vm/isa/operand.h"

namespace eyrie::tools {
namespace {

using Modules = std::vector<const vm::BytecodeModule*>;

bool IsNamed(const vm::BytecodeModule& module, uint32_t function,
             absl::string_view name) {
  const vm::ModuleDef& def = module.def();
  if (name == absl::StrCat("@", function) ||
      name == absl::StrCat("@", module.name(), ":", function)) {
    return true;
  }
  absl::ConsumePrefix(&name, "@");
  if (def.FunctionName(function) == name) return true;
  const vm::ExportDef* const exported = def.FindExport(name);
  return exported != nullptr && exported->function == function;
}

std::vector<CodeSpot> FunctionsNamed(absl::string_view name,
                                     const Modules& modules) {
  std::vector<CodeSpot> found;
  for (const vm::BytecodeModule* const module : modules) {
    absl::string_view own = name;
    const bool is_full = absl::ConsumePrefix(&own, module->name()) &&
                         absl::ConsumePrefix(&own, ".");
    for (uint32_t i = 0; i < module->def().functions.size(); ++i) {
      if (IsNamed(*module, i, name) || (is_full && IsNamed(*module, i, own))) {
        found.push_back({module, i, 0});
      }
    }
  }
  return found;
}

bool IsFile(absl::string_view file, absl::string_view name) {
  return file == name || (absl::EndsWith(file, name) &&
                          file[file.size() - name.size() - 1] == '/');
}

// A source line to find. If `inlined`, also matches code that was inlined at
// the line or merged with its code.
struct Line {
  absl::string_view file;
  int number;
  bool inlined;
};

bool IsOfLine(const vm::ModuleDef& def, int32_t location, const Line& line) {
  for (const vm::SourceLocation& source : def.ReadLocation(location)) {
    if (source.line == line.number && IsFile(source.file, line.file)) {
      return true;
    }
    if (!line.inlined) return false;
  }
  return false;
}

// Adds the places where a line begins in a function: its first instruction in
// each block, because optimized code alternates between lines.
void AddLine(const vm::BytecodeModule& module, uint32_t function,
             const Line& line, Listing& listing, std::vector<CodeSpot>& found) {
  const auto map = module.def().LocationsOf(function);
  auto entry = map.begin();
  bool is_there = false;
  bool was_found = false;
  if (map.empty()) return;
  for (const CodeLine& code : listing.Of(module, function)) {
    for (; entry != map.end() && entry->first <= code.offset; ++entry) {
      is_there = IsOfLine(module.def(), entry->second, line);
    }
    if (code.is_block) was_found = false;
    if (code.is_block || !is_there || was_found) continue;
    found.push_back({&module, function, code.offset});
    was_found = true;
  }
}

// Returns the first file that a function names, or "".
std::string FileOf(const vm::ModuleDef& def, uint32_t function) {
  for (const auto& [offset, location] : def.LocationsOf(function)) {
    for (const vm::SourceLocation& source : def.ReadLocation(location)) {
      if (!source.file.empty()) return std::string(source.file);
    }
  }
  return "";
}

// Returns the file of the instruction, or of its function, or of its module, or
// "".
std::string FileAtHand(const CodeSpot& at) {
  const vm::ModuleDef& def = at.module->def();
  const auto sources = def.FindLocations(at.function, at.offset);
  if (!sources.empty() && !sources[0].file.empty()) {
    return std::string(sources[0].file);
  }
  std::string file = FileOf(def, at.function);
  for (uint32_t i = 0; i < def.functions.size() && file.empty(); ++i) {
    file = FileOf(def, i);
  }
  return file;
}

// Returns NOT_FOUND with the nearest lines of the file that have code, or else
// with the files that have code.
absl::Status NoSuchLine(absl::string_view file, int line,
                        const Modules& modules) {
  std::set<absl::string_view> files;
  int before = 0;  // the nearest lines with code
  int after = 0;
  for (const vm::BytecodeModule* const module : modules) {
    for (uint32_t i = 0; i < module->def().functions.size(); ++i) {
      for (const auto& [offset, location] : module->def().LocationsOf(i)) {
        for (const auto& source : module->def().ReadLocation(location)) {
          files.emplace(source.file);
          if (!IsFile(source.file, file)) continue;
          const int at = source.line;
          if (at < line) before = std::max(before, at);
          if (at > line) after = after == 0 ? at : std::min(after, at);
        }
      }
    }
  }
  files.erase("");
  if (files.empty()) {
    return absl::NotFoundError("No module has source locations.");
  }
  std::string text =
      absl::StrCat("No code comes from ", PlainName(file), ":", line);
  if (before != 0 || after != 0) {
    absl::StrAppend(&text, "; the nearest line with code is ",
                    before == 0 ? after : before);
    if (before != 0 && after != 0) absl::StrAppend(&text, " or ", after);
  } else {
    absl::StrAppend(&text, "; there is ", files.size() == 1 ? "" : "code of ",
                    PlainName(*files.begin()));
    if (files.size() > 1) {
      absl::StrAppend(&text, " and ", files.size() - 1, " more");
    }
  }
  return absl::NotFoundError(absl::StrCat(text, "."));
}

absl::StatusOr<std::vector<CodeSpot>> FindLine(absl::string_view file, int line,
                                               const Modules& modules,
                                               Listing& listing) {
  std::vector<CodeSpot> found;
  for (const bool inlined : {false, true}) {
    for (const vm::BytecodeModule* const module : modules) {
      for (uint32_t i = 0; i < module->def().functions.size(); ++i) {
        AddLine(*module, i, {file, line, inlined}, listing, found);
      }
    }
    if (!found.empty()) return found;
  }
  return NoSuchLine(file, line, modules);
}

// Returns the import that an instruction calls, or null.
const vm::ImportDef* ImportCalledBy(const vm::ModuleDef& def,
                                    const vm::Instruction& instruction) {
  const vm::OperandList& kinds = instruction.op->reads;
  if (kinds.count == 0 || kinds[0] != vm::OperandKind::kFunc) return nullptr;
  const auto callee = static_cast<uint32_t>(instruction.reads[0].number);
  if ((callee & vm::kImportBit) == 0) return nullptr;
  return &def.imports[callee & ~vm::kImportBit];
}

// Returns all calls of the import with this name.
std::vector<CodeSpot> CallsOf(absl::string_view name, const Modules& modules) {
  std::vector<CodeSpot> found;
  absl::ConsumePrefix(&name, "@");
  for (const vm::BytecodeModule* const module : modules) {
    for (uint32_t i = 0; i < module->def().functions.size(); ++i) {
      const vm::FunctionCode& function = module->function(i);
      for (uint32_t pc = 0; pc < function.code_size;) {
        const uint32_t offset = pc;
        const vm::Instruction instruction =
            vm::Decode({function.code, function.code_size}, pc);
        const auto* const import = ImportCalledBy(module->def(), instruction);
        if (import == nullptr || import->full_name != name) continue;
        found.push_back({module, i, offset});
      }
    }
  }
  return found;
}

absl::Status NoSuchFunction(absl::string_view name, const Modules& modules) {
  std::vector<std::string> names;
  for (const vm::BytecodeModule* const module : modules) {
    for (uint32_t i = 0; i < module->def().functions.size(); ++i) {
      names.push_back(PlainName(module->def().FunctionName(i)));
    }
    for (const vm::ImportDef& import : module->def().imports) {
      names.push_back(PlainName(import.full_name));
    }
  }
  return absl::NotFoundError(absl::StrCat(
      "There is no function '", PlainName(name), "'.", DidYouMean(name, names),
      " 'functions' lists all functions."));
}

// Returns the instruction at exactly `offset` or, if `first`, the first one at
// or after it.
absl::StatusOr<CodeSpot> InstructionAt(CodeSpot spot, bool first,
                                       Listing& listing) {
  const auto at =
      listing.FindAtOrBehind(*spot.module, spot.function, spot.offset);
  const auto& lines = listing.Of(*spot.module, spot.function);
  if (!at.has_value() || (!first && lines[*at].offset != spot.offset)) {
    return absl::OutOfRangeError(absl::StrCat("No instruction is at ",
                                              PlaceText(spot),
                                              "; 'list' shows where they "
                                              "are."));
  }
  spot.offset = lines[*at].offset;
  return spot;
}

}  // namespace

std::string FunctionText(const CodeSpot& spot) {
  return absl::StrCat(
      PlainName(spot.module->name()), ".",
      PlainName(spot.module->def().FunctionName(spot.function)));
}

std::string PlaceText(const CodeSpot& spot) {
  std::string text =
      absl::StrFormat("%s+0x%x", FunctionText(spot), spot.offset);
  const auto sources =
      spot.module->def().FindLocations(spot.function, spot.offset);
  if (!sources.empty() && !sources[0].file.empty()) {
    absl::StrAppend(&text, " (", PlainName(sources[0].ToString()), ")");
  }
  return text;
}

std::string SourceLineText(const CodeSpot& spot) {
  const auto sources =
      spot.module->def().FindLocations(spot.function, spot.offset);
  if (sources.empty() || sources[0].file.empty()) return "";
  return absl::StrCat(sources[0].file, ":", sources[0].line);
}

absl::StatusOr<std::vector<CodeSpot>> FindSpots(absl::string_view text,
                                                const Modules& modules,
                                                const CodeSpot& at,
                                                Listing& listing) {
  const size_t colon = text.rfind(':');
  int line = 0;
  if (!absl::StartsWith(text, "@") &&
      absl::SimpleAtoi(text.substr(colon == text.npos ? 0 : colon + 1),
                       &line)) {
    if (colon != text.npos && colon > 0) {
      return FindLine(text.substr(0, colon), line, modules, listing);
    }
    const std::string file = FileAtHand(at);
    if (file.empty()) {
      return absl::NotFoundError(
          absl::StrCat("Line ", line, " needs a file: module '",
                       PlainName(at.module->name()),
                       "' has no source locations. An offset is +0x1c."));
    }
    return FindLine(file, line, modules, listing);
  }
  const size_t plus = text.rfind('+');
  uint32_t offset = 0;
  bool first = true;
  absl::string_view name = text;
  if (plus != text.npos &&
      absl::SimpleHexAtoi(text.substr(plus + 1), &offset)) {
    name = text.substr(0, plus);
    first = false;
  }
  std::vector<CodeSpot> found =
      name.empty() ? std::vector<CodeSpot>{{at.module, at.function, 0}}
                   : FunctionsNamed(name, modules);
  if (found.empty() && first) found = CallsOf(name, modules);
  if (found.empty()) return NoSuchFunction(name, modules);
  for (CodeSpot& spot : found) {
    if (!first) spot.offset = offset;
    ASSIGN_OR_RETURN(spot, InstructionAt(spot, first, listing));
  }
  return found;
}

}  // namespace eyrie::tools
