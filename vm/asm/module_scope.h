// The module being assembled, and the names in it: what directives declare and
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

// A place in the source, for an error that shows later.
struct SourcePlace {
  SourceLine line;
  size_t at = 0;

  absl::Status Error(absl::string_view sentence) const {
    return line.Error(at, sentence);
  }
};

// A function by name, before it is known which that is.
struct FunctionUse {
  SourcePlace place;
  std::string name;
  uint32_t function;  // whose code, or the export, that refers to it
  uint32_t offset;    // of the field in the code
};

// A call or return, whose convention says how wide its values are.
struct ValueUse {
  Instruction instruction;
  uint32_t function;
  uint32_t offset;  // of the callee in the code
};

struct NamedGlobal {
  OperandKind kind;  // as the instructions that access it have it
  uint32_t size;     // bytes; 0 of a ref
  uint32_t place = 0;
};

// Where an instruction stands in the source.
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

  std::vector<FunctionUse> calls;    // by names yet to come
  std::vector<FunctionUse> exports;  // function: index in plan.exports
  std::vector<ValueUse> values;
  std::vector<std::vector<CodePlace>> code_places;  // by function
  uint32_t used_global_bytes = 0;
  uint32_t used_global_refs = 0;

  // What notes fixed, instead of what the code needs.
  std::optional<uint32_t> requirements;
  std::optional<std::pair<uint32_t, uint32_t>> global_sizes;  // bytes, refs
  absl::flat_hash_set<uint32_t> fixed_frames;                 // functions

  // The ordinal of a type, which is added where it is new. "vm.x" is "!vm.x"
  // where that is known.
  uint32_t TypeOrdinal(const std::string& name);

  // Lays the named globals out: bytes by size and then as declared, refs as
  // declared. Once, before the first function.
  void PlaceGlobals();

  // Resolves what calls and exports name, and settles the sizes of frames.
  absl::Status Resolve();

 private:
  absl::StatusOr<uint32_t> Find(const FunctionUse& use) const;
  void SettleFrames();
};

}  // namespace eyrie::vm

#endif  // EYRIE_VM_ASM_MODULE_SCOPE_H_
