// Reads the signature of a program from the attributes of its main function, as
// the compiler prints them.
//
// They are in MLIR's text form: of StableHLO in text, or of VHLO, which is
// StableHLO's serialized form. The texts come from another process, which may
// be broken: any text is refused or read, without recursion.
// Tested by signature_text_test.cc, testing/signature_fuzz.cc.
#ifndef EYRIE_PLUGINS_PJRT_COMPILER_SIGNATURE_TEXT_H_
#define EYRIE_PLUGINS_PJRT_COMPILER_SIGNATURE_TEXT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace eyrie::pjrt {

struct TensorType {
  std::string element;        // "f32", "ui32", "i1", "f8E4M3FN", "complex<f32>"
  std::vector<int64_t> dims;  // -1: a dynamic dimension

  bool operator==(const TensorType&) const = default;
};

// An argument or a result.
struct ProgramArgument {
  TensorType type;
  bool is_donated = false;  // jax.buffer_donor, or tf.aliasing_output
  std::string memory_kind;  // mhlo.memory_kind, or ""

  bool operator==(const ProgramArgument&) const = default;
};

struct ProgramSignature {
  std::string name;  // of the module, such as "jit_f", or else of the function
  std::vector<ProgramArgument> arguments;
  std::vector<ProgramArgument> results;
  int64_t replicas = 1;
  int64_t partitions = 1;
  std::string function;  // the name of the exported function, such as "main"
};

// Attributes as printed. Empty if the program does not have one.
struct SignatureText {
  absl::string_view module_name = {};
  absl::string_view replicas = {};
  absl::string_view partitions = {};
  absl::string_view function_name = {};
  absl::string_view function_type = {};
  absl::string_view argument_attributes = {};
  absl::string_view result_attributes = {};
};

// UNIMPLEMENTED: an argument or result is not a tensor of numbers; tokens,
// tuples and quantized numbers are not. INTERNAL: the text cannot be read.
absl::StatusOr<ProgramSignature> ReadSignature(const SignatureText& text);

}  // namespace eyrie::pjrt

#endif  // EYRIE_PLUGINS_PJRT_COMPILER_SIGNATURE_TEXT_H_
