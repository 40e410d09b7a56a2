// Where the values of a call go: from slots of the calling convention to words
// of the C call and descriptors in an arena, and back from the struct of
// results.
//
// MLIR's C wrapper of a function takes a pointer to a descriptor for each
// memref, scalars as they are, and, if it returns a memref or several values,
// before all others a pointer to the struct of them.
// Tested by call_test.cc.
#ifndef EYRIE_ABI_NATIVE_MEMREF_PLAN_H_
#define EYRIE_ABI_NATIVE_MEMREF_PLAN_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "abi/native/memref/descriptor.h"
#include "abi/native/memref/machine_call.h"
#include "abi/native/memref/type.h"
#include "abi/native/shape_rule.h"
#include "absl/status/statusor.h"
#include "vm/callconv.h"

namespace eyrie::native {

// What a manifest says of a function.
struct MemrefSignature {
  MemrefFunctionType type;
  int index_bits = 64;  // or 32
  // So many arguments, the last ones, are memory for results.
  size_t outputs = 0;
  // Their shapes, by the arguments before them; none: the types' are static.
  std::vector<ShapeRule> output_rules = {};

  size_t input_count() const { return type.arguments.size() - outputs; }
  // Of the inputs, for rules.
  std::vector<OperandRank> InputRanks() const;
  // "(memref<?xf32>, memref<?xf32>) -> (), outputs: like 0".
  std::string ToString() const;
  // "0rIrr_r", as imports of the function have it.
  std::string ImportConvention() const;
  size_t ElementBytes(MemrefElement element) const {
    if (element == MemrefElement::kIndex) return index_bits / 8;
    return InfoOf(element).bytes;
  }
  hal::ElementType TensorType(MemrefElement element) const {
    if (element == MemrefElement::kIndex && index_bits == 32) {
      return hal::ElementType::kInt32;
    }
    return InfoOf(element).element;
  }
};

struct MemrefPlan {
  static constexpr uint32_t kNone = ~uint32_t{0};

  struct Argument {
    size_t place;              // a word of the call
    size_t descriptor;         // where in the arena, in bytes; of memrefs
    hal::ElementType element;  // of tensors; kNone: a scalar
    bool is_dense;             // any row-major tensor's descriptor is right
  };

  // INVALID_ARGUMENT: the import's convention is not that of the signature.
  // RESOURCE_EXHAUSTED: too many arguments.
  static absl::StatusOr<MemrefPlan> Create(
      const MemrefSignature& signature,
      const vm::CallingConvention& convention);

  MachineCall call{MachineCall::Returns::kInteger};
  std::vector<Argument> arguments;     // of the type's
  std::vector<size_t> result_offsets;  // of the type's results, in the struct
  bool returns_memrefs = false;
  bool has_struct = false;
  size_t struct_place = 0;   // the word that points to it
  size_t struct_offset = 0;  // where it is in the arena
  size_t arena_bytes = 0;
  uint32_t wait_slot = kNone;  // of two fences; kNone: there are none
};

}  // namespace eyrie::native

#endif  // EYRIE_ABI_NATIVE_MEMREF_PLAN_H_
