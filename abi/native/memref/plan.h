// Maps the values of a call: from the calling convention's slots to words of
// the C call and descriptors in an arena, and from the result struct back.
//
// MLIR's C wrapper takes a pointer to a descriptor for each memref, and scalars
// by value. If the function returns a memref or several values, the first
// parameter is a pointer to a struct for them.
// Tested by call_test.cc.
#ifndef EYRIE_ABI_NATIVE_MEMREF_PLAN_H_
#define EYRIE_ABI_NATIVE_MEMREF_PLAN_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "abi/native/memref/descriptor.h"
#include "abi/native/memref/machine_call.h"
#include "abi/native/memref/type.h"
#include "abi/native/native_plan.h"
#include "abi/native/shape_rule.h"
#include "abi/native/tensor_layout.h"
#include "absl/status/statusor.h"
#include "vm/isa/callconv.h"

namespace eyrie::native {

// The signature of a function in a manifest.
struct MemrefSignature {
  MemrefFunctionType type;
  int index_bits = 64;  // 32 or 64
  // The number of trailing arguments that are memory for results.
  size_t outputs = 0;
  // The results that are arguments: the trailing ones, in order, whose shapes
  // are computed from earlier arguments; and copies of earlier arguments
  // ("inout"). Empty if there are only trailing ones of static types.
  std::vector<ShapeRule> output_rules = {};
  // The layouts of the arguments, then of the results that are returned. Empty
  // if all are row-major.
  std::vector<TensorLayout> layouts = {};
  EqualDims equal = {};
  // Memrefs are passed as pointers to their elements, instead of descriptors.
  bool bare_pointers = false;

  size_t input_count() const { return type.arguments.size() - outputs; }
  // Returns the number of results that are arguments.
  size_t output_count() const {
    return output_rules.empty() ? outputs : output_rules.size();
  }
  // Returns the layout in which the function expects an argument: the type's
  // own strides, or the manifest's.
  TensorLayout ArgumentLayout(size_t index) const {
    const MemrefType& of = type.arguments[index];
    return of.is_strided ? TensorLayout::OfStrides(of.strides)
                         : LayoutAt(index);
  }
  // Returns the layout of a returned memref, unless its descriptor says it.
  TensorLayout ResultLayout(size_t index) const {
    return type.results[index].is_strided
               ? TensorLayout()
               : LayoutAt(type.arguments.size() + index);
  }
  // Returns the ranks of the inputs, for rules.
  std::vector<OperandRank> InputRanks() const;
  // Returns a text such as "(memref<?xf32>, memref<?xf32>) -> (), outputs: like
  // 0".
  std::string ToString() const;
  // Returns the calling convention of the function's imports, such as
  // "0rIrr_r".
  std::string ImportConvention() const;
  // Returns the operands of the function's imports, such as "tensor<?xf32>" and
  // "index".
  std::vector<std::string> DeclareOperands() const;
  // Returns the size of an element, and the type that a tensor has for it.
  size_t ElementBytes(const MemrefType& of) const {
    return of.is_index ? index_bits / 8 : hal::StrideBits(of.element) / 8;
  }
  hal::ElementType ElementOf(const MemrefType& of) const {
    return of.is_index && index_bits == 32 ? hal::ElementType::kInt32
                                           : of.element;
  }

 private:
  TensorLayout LayoutAt(size_t index) const {
    return layouts.empty() ? TensorLayout() : layouts[index];
  }
};

struct MemrefPlan : NativePlan {
  // The place of an argument in the call; outputs are arguments, too.
  struct Place {
    size_t word;               // of the call
    size_t descriptor;         // of memrefs: byte offset in the arena
    hal::ElementType element;  // of tensors; kNone: a scalar
    bool is_dense;             // any row-major tensor is described the same way
    uint32_t output = kNone;   // the result that it is
  };

  // INVALID_ARGUMENT: the import's convention does not match the signature.
  // RESOURCE_EXHAUSTED: there are too many arguments.
  static absl::StatusOr<MemrefPlan> Create(
      const MemrefSignature& signature,
      const vm::CallingConvention& convention);

  MachineCall call{MachineCall::Returns::kInteger};
  std::vector<Place> places;           // of the type's arguments
  std::vector<size_t> result_offsets;  // in the struct, in the type's order
  bool returns_memrefs = false;
  bool has_struct = false;
  size_t struct_place = 0;   // word that points to the struct
  size_t struct_offset = 0;  // in the arena
  size_t arena_bytes = 0;
};

}  // namespace eyrie::native

#endif  // EYRIE_ABI_NATIVE_MEMREF_PLAN_H_
