// Dimensions of a function's arguments that must be equal.
//
//   "equal": [["0.-1", "0.-2"], ["0.0", "1.0", 3]]
//
// Argument 0 is square, and its first dimension and that of argument 1 are 3.
// Handlers and memref functions do not check it and would access memory past
// the end of an argument. Immutable; may be shared by threads.
// Tested by manifest_test.cc, tools/native_test.sh, memref/call_test.cc.
#ifndef EYRIE_ABI_NATIVE_EQUAL_DIMS_H_
#define EYRIE_ABI_NATIVE_EQUAL_DIMS_H_

#include <span>
#include <string>
#include <vector>

#include "abi/native/json_reader.h"
#include "abi/native/shape_rule.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "hal/buffer_view.h"

namespace eyrie::native {

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

#endif  // EYRIE_ABI_NATIVE_EQUAL_DIMS_H_
