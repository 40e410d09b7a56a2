// How the type and shape of a result follow from the operands.
//
// Native functions fill memory that they are given: the manifest says how much.
//   {"like": 0}                               as operand 0
//   {"dtype": "f32", "shape": [4, "0.1"]}     operand 0's dimension 1
//   {"dtype": 1, "shape": ["0.:-2", "0.-1"]}  all of 0 but two, then its last
// Operands count arguments of the function, tokens too, from 0. Memref
// functions know their types and have no "dtype". Tested by manifest_test.cc,
// native_fuzz.cc, memref/call_test.cc.
#ifndef EYRIE_ABI_NATIVE_SHAPE_RULE_H_
#define EYRIE_ABI_NATIVE_SHAPE_RULE_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "abi/native/json_reader.h"
#include "abi/native/xla/types.h"
#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "hal/buffer_view.h"

namespace eyrie::native {

// One or more dimensions of a result.
struct DimRule {
  int operand = -1;   // -1: a constant
  int64_t first = 0;  // the constant, or the first dimension; below 0: from
                      // the end
  int64_t last = 0;   // the one behind the last, the same way
  bool slice = false;
  bool to_end = false;  // of a slice: up to the operand's last
};

// What a manifest says of an operand that rules may follow: its rank, or one of
// these.
using OperandRank = int64_t;
inline constexpr OperandRank kAnyRank = -1;
inline constexpr OperandRank kNoTensor = -2;

class ShapeRule {
 public:
  using Shape = hal::BufferView::Shape;
  using Operands = std::span<const OperandRank>;

  static constexpr int64_t kMaxRank = 128;  // as the HAL's modules have it

  // Takes "like", or "dtype" and "shape", of an object of a manifest.
  // INVALID_ARGUMENT: not such a rule, or it follows an operand or a dimension
  // that there is not.
  static absl::StatusOr<ShapeRule> Read(JsonReader& json, Operands operands);

  // Takes "like", or "shape": of a result whose type is known.
  static absl::StatusOr<ShapeRule> ReadShape(JsonReader& json,
                                             Operands operands);

  // The rule as of the result `index` behind this one, for rest results: one
  // that is like an operand is like a later one.
  ShapeRule Later(int index) const;
  // The greatest operand that the rule needs, or -1.
  int last_operand() const;

  // What a result is. `operands` are those given. The type is kNone if the rule
  // has none. INVALID_ARGUMENT: an operand that is not given, or has too few
  // dimensions.
  absl::Status Apply(std::span<const hal::BufferView* const> operands,
                     hal::ElementType& type, Shape& shape) const;

  std::string ToString() const;

 private:
  absl::Status ReadType(JsonReader& json, const Json& type, Operands operands);
  absl::Status ReadDims(JsonReader& json, const Json& shape, Operands operands);

  std::optional<int> like_;  // type and shape
  bool each_ = false;        // of rest results: Later moves on
  int type_of_ = -1;         // an operand; -1: type_
  FfiType type_ = FfiType::kNone;
  std::vector<DimRule> dims_;
};

}  // namespace eyrie::native

#endif  // EYRIE_ABI_NATIVE_SHAPE_RULE_H_
