// Prefers names that the module has.
#include "vm/asm/function_names.h"

#include <optional>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "vm/asm/cursor.h"
#include "vm/module/module_generated.h"

namespace eyrie::vm {

namespace {

// Returns the name at a function's index in the debug database. Compilers from
// 3.11 on store one name, that of the last function, at index 0; the public
// tool prints it for function 0.
absl::string_view StoredName(const ModuleDef& def, uint32_t function) {
  const fbs::DebugDatabase* const debug = def.debug_database();
  if (debug == nullptr || debug->functions() == nullptr ||
      function >= debug->functions()->size()) {
    return {};
  }
  const auto* const name = debug->functions()->Get(function)->local_name();
  if (name == nullptr) return {};
  return absl::string_view(name->c_str(), name->size());
}

}  // namespace

FunctionNames::FunctionNames(const ModuleDef& def, AssemblyText text) {
  NameImports(def);
  Used used;
  CollectExports(def, used);
  if (text == AssemblyText::kPublic) {
    TakeStoredNames(def);
    return;
  }
  NameFunctions(def, used);
  NameCallees(def, text);
}

void FunctionNames::CollectExports(const ModuleDef& def, Used& used) {
  uint32_t last = 0;
  for (const ExportDef& exported : def.exports) {
    if (!used.insert(exported.name).second) continue;
    exports_[exported.function].push_back(&exported);
    if (exported.function < last) exports_ascend_ = false;
    last = exported.function;
  }
}

void FunctionNames::TakeStoredNames(const ModuleDef& def) {
  callees_.stored_names = true;
  callees_.module = PublicSymbolText(def.name);
  for (uint32_t i = 0; i < def.functions.size(); ++i) {
    const absl::string_view stored = StoredName(def, i);
    callees_.functions.push_back(stored.empty() ? std::nullopt
                                                : std::optional(stored));
    if (auto it = exports_.find(i); it != exports_.end()) {
      names_.push_back(it->second[0]->name);
    } else if (!stored.empty()) {
      names_.push_back(stored);
    } else {
      names_.push_back(made_names_.emplace_back(absl::StrCat("fn", i)));
    }
  }
}

void FunctionNames::NameFunctions(const ModuleDef& def, Used& used) {
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

void FunctionNames::NameImports(const ModuleDef& def) {
  callees_.module = SymbolText(def.name);
  absl::flat_hash_set<absl::string_view> imports;
  for (const ImportDef& import : def.imports) {
    const bool is_first = imports.insert(import.full_name).second;
    callees_.imports.push_back(is_first ? std::optional(import.full_name)
                                        : std::nullopt);
  }
}

void FunctionNames::NameCallees(const ModuleDef& def, AssemblyText text) {
  absl::flat_hash_set<absl::string_view> imports;
  for (const ImportDef& import : def.imports) imports.insert(import.full_name);
  const std::string own = absl::StrCat(def.name, ".");
  for (size_t i = 0; i < names_.size(); ++i) {
    const bool is_own =
        exports_.contains(i) || names_[i] == def.functions[i].debug_name;
    const bool clear = !imports.contains(names_[i]) &&
                       !absl::StartsWith(names_[i], own) &&
                       (text == AssemblyText::kRestorable || is_own);
    callees_.functions.push_back(clear ? std::optional(names_[i])
                                       : std::nullopt);
  }
}

std::span<const ExportDef* const> FunctionNames::exports(
    uint32_t function) const {
  const auto it = exports_.find(function);
  if (it == exports_.end()) return {};
  return it->second;
}

}  // namespace eyrie::vm
