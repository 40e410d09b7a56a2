// Prefers names that the module has.
#include "vm/asm/function_names.h"

#include <optional>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "vm/asm/cursor.h"

namespace eyrie::vm {

FunctionNames::FunctionNames(const ModuleDef& def, bool notes) {
  NameFunctions(def);
  NameCallees(def, notes);
}

void FunctionNames::NameFunctions(const ModuleDef& def) {
  absl::flat_hash_set<absl::string_view> used;
  uint32_t last = 0;
  for (const ExportDef& exported : def.exports) {
    if (!used.insert(exported.name).second) continue;
    exports_[exported.function].push_back(&exported);
    if (exported.function < last) exports_ascend_ = false;
    last = exported.function;
  }
  for (uint32_t i = 0; i < def.functions.size(); ++i) {
    if (auto it = exports_.find(i); it != exports_.end()) {
      names_.push_back(it->second[0]->name);
      continue;
    }
    absl::string_view name = def.functions[i].debug_name;
    if (name.empty() || !used.insert(name).second) {
      std::string& made = made_names_.emplace_back(name);
      if (name.empty()) made = absl::StrCat("fn", i);
      while (used.contains(made)) absl::StrAppend(&made, "$", i);
      name = *used.insert(made).first;
    }
    names_.push_back(name);
  }
}

void FunctionNames::NameCallees(const ModuleDef& def, bool notes) {
  using Name = std::optional<absl::string_view>;
  absl::flat_hash_set<absl::string_view> imports;
  for (const ImportDef& import : def.imports) {
    const bool is_first = imports.insert(import.full_name).second;
    callees_.imports.push_back(is_first ? Name(import.full_name)
                                        : std::nullopt);
  }
  callees_.module = SymbolText(def.name);
  const std::string own = absl::StrCat(def.name, ".");
  for (size_t i = 0; i < names_.size(); ++i) {
    const bool clear = !imports.contains(names_[i]) &&
                       !absl::StartsWith(names_[i], own) &&
                       (notes || exports_.contains(i));
    callees_.functions.push_back(clear ? Name(names_[i]) : std::nullopt);
  }
}

std::span<const ExportDef* const> FunctionNames::exports(
    uint32_t function) const {
  const auto it = exports_.find(function);
  if (it == exports_.end()) return {};
  return it->second;
}

}  // namespace eyrie::vm
