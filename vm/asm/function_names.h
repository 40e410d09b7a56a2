// The names of a module's functions in its assembly text.
//
// Each function has one name: that of its first export, else its debug name,
// else one that is made up. Except in the public tool's text, no other function
// has the same.
// Tested by assembler_test.cc, function_texts_test.cc.
#ifndef EYRIE_VM_ASM_FUNCTION_NAMES_H_
#define EYRIE_VM_ASM_FUNCTION_NAMES_H_

#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "vm/asm/assembly_text.h"
#include "vm/asm/code_printer.h"
#include "vm/module/module_def.h"

namespace eyrie::vm {

// Borrows names from the module, which must outlive it. Immutable.
class FunctionNames {
 public:
  FunctionNames(const ModuleDef& def, AssemblyText text);
  FunctionNames(const FunctionNames&) = delete;
  FunctionNames& operator=(const FunctionNames&) = delete;

  absl::string_view function(uint32_t function) const {
    return names_[function];
  }
  // Returns the names in the order of the functions.
  std::span<const absl::string_view> all() const { return names_; }
  const Callees& callees() const { return callees_; }

  // Returns the function's exports, without those whose name an earlier export
  // has.
  std::span<const ExportDef* const> exports(uint32_t function) const;
  // Reports whether exports are in the order of their functions.
  bool exports_ascend() const { return exports_ascend_; }

 private:
  using Used = absl::flat_hash_set<absl::string_view>;

  void NameImports(const ModuleDef& def);
  void CollectExports(const ModuleDef& def, Used& used);
  void TakeStoredNames(const ModuleDef& def);
  void NameFunctions(const ModuleDef& def, Used& used);
  void NameCallees(const ModuleDef& def, AssemblyText text);

  std::vector<absl::string_view> names_;
  std::deque<std::string> made_names_;  // names that the module does not have
  Callees callees_;
  absl::flat_hash_map<uint32_t, std::vector<const ExportDef*>> exports_;
  bool exports_ascend_ = true;
};

}  // namespace eyrie::vm

#endif  // EYRIE_VM_ASM_FUNCTION_NAMES_H_
