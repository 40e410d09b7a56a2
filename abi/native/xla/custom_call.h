// A stablehlo.custom_call operation, and what a manifest says about it.
//
// Tested by program_test.cc, tests/fuzz/native_fuzz.cc.
#ifndef EYRIE_ABI_NATIVE_XLA_CUSTOM_CALL_H_
#define EYRIE_ABI_NATIVE_XLA_CUSTOM_CALL_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "abi/native/attributes.h"
#include "abi/native/mlir_scanner.h"
#include "abi/native/xla/mlir_attribute.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace eyrie::native {

// The type of tokens, which order calls and carry no value.
inline constexpr char kMlirToken[] = "!stablehlo.token";

struct CustomCall {
  struct Value {
    absl::string_view text;  // the type
    bool is_token = false;
    MlirTensor tensor;
    std::vector<int64_t> layout;   // minor to major; empty: row-major
    std::optional<int64_t> alias;  // of a result: the operand
  };

  std::string target;
  absl::string_view operands;  // "(%0, %1#0)"
  std::vector<Value> arguments;
  std::vector<Value> results;
  Attributes attributes;

  // Takes the rest of an operation after its name, up to its type. `end` is set
  // to the offset before the type. Returns the errors of LinkProgram, without
  // the place.
  static absl::StatusOr<CustomCall> Take(MlirScanner& in, size_t& end);

  // Returns the JSON object of the function in a manifest.
  std::string Declaration() const;
  // Returns the types, "(tensor<4xf32>) -> (tensor<4xf32>)", without tokens.
  std::string Type() const;
  bool has_tokens() const;
};

}  // namespace eyrie::native

#endif  // EYRIE_ABI_NATIVE_XLA_CUSTOM_CALL_H_
