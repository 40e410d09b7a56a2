// Computes the type and shape of a result from the operands, by a rule in the
// manifest. Native functions write to memory that the caller allocates.
//   {"like": 0}                               same as operand 0
//   {"dtype": "f32", "shape": [4, "0.1"]}     operand 0's dimension 1
//   {"dtype": 1, "shape": ["0.:-2", "0.-1"]}  0's all but two, and its last
//   {"inout": 0}                              a copy of operand 0, in its place
//
// Operands count all arguments, including tokens, from 0. Memref functions know
// their types and have no "dtype".
// Tested by manifest_test.cc, tests/fuzz/native_fuzz.cc, memref/call_test.cc.
#ifndef EYRIE_ABI_NATIVE_SHAPE_RULE_H_
#define EYRIE_ABI_NATIVE_SHAPE_RULE_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "abi/native/ffi_types.h"
#include "abi/native/json_reader.h"
#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "hal/buffer_view.h"

namespace eyrie::native {

// One or more dimensions of a result.
struct DimRule {
  int operand = -1;   // -1: a constant
  int64_t first = 0;  // the constant, or the first dimension; negative:
                      // from the end
  int64_t last = 0;   // the end of the range, the same way
  bool slice = false;
  bool to_end = false;  // of a slice: up to the operand's last
};

// The rank of an operand, or one of these constants.
using OperandRank = int64_t;
inline constexpr OperandRank kAnyRank = -1;
inline constexpr OperandRank kNoTensor = -2;

// Reads 4, "0.1" or "0.:-2". INVALID_ARGUMENT: it is malformed, or refers to an
// operand or dimension that does not exist.
absl::StatusOr<DimRule> ReadDimRule(const JsonReader& json, const Json& value,
                                    std::span<const OperandRank> operands);

class ShapeRule {
 public:
  using Shape = hal::BufferView::Shape;
  using Operands = std::span<const OperandRank>;

  static constexpr int64_t kMaxRank = 128;  // as in the HAL's modules

  // Reads "like" or "inout", or "dtype" and "shape", from an object in a
  // manifest. INVALID_ARGUMENT: the rule is malformed, or refers to an operand
  // or dimension that does not exist.
  static absl::StatusOr<ShapeRule> Read(JsonReader& json, Operands operands);

  // Reads "like", "inout" or "shape", for a result whose type is known.
  static absl::StatusOr<ShapeRule> ReadShape(JsonReader& json,
                                             Operands operands);

  // Creates the rule of a result that always has these dimensions.
  static ShapeRule OfShape(std::span<const int64_t> dims);

  // Returns the rank of the results, kAnyRank if it depends on the operands.
  OperandRank Rank(Operands operands) const;
  // Returns the operand whose copy the result is, or nullopt. The function
  // receives the copy instead of the operand, and writes the result to it.
  std::optional<int> inout() const { return is_inout_ ? like_ : std::nullopt; }

  // Returns the rule of the result `index` after this one, for rest results: a
  // rule that follows a rest operand moves on to later operands.
  ShapeRule ForLaterResult(int index) const;
  // Returns the greatest operand that the rule uses, or -1.
  int last_operand() const;
  // Reports whether each rest result is like the next operand.
  bool is_each() const { return each_; }

  // Computes a result's type and shape from the given operands. The type is
  // kNone if the rule has none. INVALID_ARGUMENT: an operand is missing, or has
  // too few dimensions.
  absl::Status Apply(std::span<const hal::BufferView* const> operands,
                     hal::ElementType& type, Shape& shape) const;

  std::string ToString() const;

 private:
  absl::Status ReadType(JsonReader& json, const Json& type, Operands operands);
  absl::Status ReadDims(JsonReader& json, const Json& shape, Operands operands);

  std::optional<int> like_;  // type and shape
  bool is_inout_ = false;    // the memory of like_, too
  bool each_ = false;        // of rest results: see ForLaterResult
  int type_of_ = -1;         // operand; -1: type_
  FfiType type_ = FfiType::kNone;
  std::vector<DimRule> dims_;
};

// Dimensions of a function's arguments that must be equal.
//
//   "equal": [["0.-1", "0.-2"], ["0.0", "1.0", 3]]
//
// Argument 0 is square, and its first dimension and that of argument 1 are 3.
// Handlers and memref functions do not check it and would access memory past
// the end of an argument. Immutable; may be shared by threads.
class EqualDims {
 public:
  // Reads "equal" of a function, if it has one. INVALID_ARGUMENT: it is not an
  // array of arrays of single dimensions, at least two in each.
  static absl::StatusOr<EqualDims> Read(JsonReader& json,
                                        ShapeRule::Operands operands);

  bool empty() const { return groups_.empty(); }
  // INVALID_ARGUMENT: two dimensions differ, or an argument does not have one.
  // Arguments that are not given are skipped.
  absl::Status Check(std::span<const hal::BufferView* const> arguments) const;

  // Returns " equal 0.-1=0.-2, 0.0=1.0=3", or "" if there are none.
  std::string ToString() const;

 private:
  using Group = std::vector<DimRule>;

  std::vector<Group> groups_;
};

}  // namespace eyrie::native

#endif  // EYRIE_ABI_NATIVE_SHAPE_RULE_H_
