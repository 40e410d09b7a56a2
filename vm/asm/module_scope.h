// The module being assembled, and its names: those that directives declare and
// code refers to.
//
// Tested by assembler_test.cc.
#ifndef EYRIE_VM_ASM_MODULE_SCOPE_H_
#define EYRIE_VM_ASM_MODULE_SCOPE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "vm/asm/cursor.h"
#include "vm/asm/instruction.h"
#include "vm/asm/module_plan.h"
#include "vm/isa/version.h"

namespace eyrie::vm {

// A position in the source, for errors that are found later.
struct SourcePlace {
  SourceLine line;
  size_t at = 0;

  absl::Status Error(absl::string_view sentence) const {
    return line.Error(at, sentence);
  }
};

// A reference to a function that is not defined yet.
struct FunctionUse {
  SourcePlace place;
  std::string name;
  uint32_t function;  // index of the function or export that refers to it
  uint32_t offset;    // offset of the field in the code
};

// A call or return; its convention determines the widths of its values.
struct ValueUse {
  Instruction instruction;
  uint32_t function;
  uint32_t offset;  // offset of the callee in the code
};

struct NamedGlobal {
  OperandKind kind;  // that of the instructions that access it
  uint32_t size;     // in bytes; 0 for a ref
  uint32_t place = 0;
};

// The position in the source of an instruction.
struct CodePlace {
  uint32_t offset;
  SourcePlace place;
};

struct ModuleScope {
  ModulePlan plan;
  const BytecodeVersion* version = std::end(kBytecodeVersions) - 1;
  bool has_module = false;

  absl::flat_hash_map<std::string, uint32_t> types;
  absl::flat_hash_map<std::string, uint32_t> imports;
  absl::flat_hash_map<std::string, uint32_t> functions;
  absl::flat_hash_map<std::string, uint32_t> export_names;
  absl::flat_hash_map<std::string, NamedGlobal> globals;
  std::vector<std::string> global_order;

  std::vector<FunctionUse> calls;    // by names that are not defined yet
  std::vector<FunctionUse> exports;  // `function` is an index in plan.exports
  std::vector<ValueUse> values;
  std::vector<std::vector<CodePlace>> code_places;  // by function
  uint32_t used_global_bytes = 0;
  uint32_t used_global_refs = 0;

  // Values that notes set explicitly, instead of what the code needs.
  std::optional<uint32_t> requirements;
  std::optional<std::pair<uint32_t, uint32_t>> global_sizes;  // bytes, refs
  absl::flat_hash_set<uint32_t> fixed_frames;  // indices of functions

  // Returns the ordinal of a type; adds it if it is new. "vm.x" means "!vm.x"
  // if that type exists.
  uint32_t TypeOrdinal(const std::string& name);

  // Assigns positions to the named globals: numbers by size, then in order of
  // declaration; refs in order of declaration. Must be called once, before the
  // first function.
  void PlaceGlobals();

  // Resolves the names in calls and exports, and sets the sizes of frames.
  absl::Status Resolve();

 private:
  absl::StatusOr<uint32_t> Find(const FunctionUse& use) const;
  void SettleFrames();
};

}  // namespace eyrie::vm

#endif  // EYRIE_VM_ASM_MODULE_SCOPE_H_
