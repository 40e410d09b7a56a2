// Compares results with expected values.
//
// Tested by compare_test.cc.
#ifndef EYRIE_ABI_CALL_COMPARE_H_
#define EYRIE_ABI_CALL_COMPARE_H_

#include <span>
#include <string>
#include <vector>

#include "abi/call/value_reader.h"
#include "abi/call/value_text.h"
#include "absl/status/statusor.h"
#include "vm/isa/value.h"

namespace eyrie::abi {

// The allowed difference between actual and expected values: absolute per type,
// and relative to the expected value.
struct Tolerance {
  bool exact = false;  // compare bytes; ignore the rest
  double f16 = 0.001;
  double f32 = 0.0001;
  double f64 = 0.0001;
  double bf16 = 0.01;
  double relative = 1e-5;
};

// How results differ from the expected values.
struct Comparison {
  bool same = true;
  std::string text;  // a "[FAILED]" paragraph for each result that differs
  // A sentence for each tensor with elements that differ: their number, the
  // largest error and its place.
  std::vector<std::string> details;
};

// Compares results with the expected values. Fails if a tensor cannot be read.
absl::StatusOr<Comparison> CompareValues(std::span<const ParsedValue> expected,
                                         std::span<const vm::Value> actual,
                                         const Tolerance& tolerance,
                                         const PrintOptions& options);

}  // namespace eyrie::abi

#endif  // EYRIE_ABI_CALL_COMPARE_H_
