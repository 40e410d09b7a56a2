// The names of a module's functions in its assembly text.
//
// Each function has one name, which no other function has: that of its first
// export, else its debug name, else one that is made up.
// Tested by assembler_test.cc, function_texts_test.cc.
#ifndef EYRIE_VM_ASM_FUNCTION_NAMES_H_
#define EYRIE_VM_ASM_FUNCTION_NAMES_H_

#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "vm/asm/code_printer.h"
#include "vm/module/module_def.h"

namespace eyrie::vm {

// Borrows names from the module, which must outlive it. Immutable.
class FunctionNames {
 public:
  // If not `notes`, calls use only names that upstream's assembler would find.
  FunctionNames(const ModuleDef& def, bool notes);
  FunctionNames(const FunctionNames&) = delete;
  FunctionNames& operator=(const FunctionNames&) = delete;

  absl::string_view function(uint32_t function) const {
    return names_[function];
  }
  const Callees& callees() const { return callees_; }

  // Returns the function's exports, without those whose name an earlier export
  // has.
  std::span<const ExportDef* const> exports(uint32_t function) const;
  // Reports whether exports are in the order of their functions.
  bool exports_ascend() const { return exports_ascend_; }

 private:
  void NameFunctions(const ModuleDef& def);
  void NameCallees(const ModuleDef& def, bool notes);

  std::vector<absl::string_view> names_;
  std::deque<std::string> made_names_;  // names that the module does not have
  Callees callees_;
  absl::flat_hash_map<uint32_t, std::vector<const ExportDef*>> exports_;
  bool exports_ascend_ = true;
};

}  // namespace eyrie::vm

#endif  // EYRIE_VM_ASM_FUNCTION_NAMES_H_
