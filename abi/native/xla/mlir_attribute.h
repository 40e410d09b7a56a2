// Reads attributes of MLIR as attributes of handlers.
//
//   {axis = 1 : i32, deep = true, dims = array<i64: 1, 2>, name = "x"}
//
// Integers without a sign are signed, and i1 is pred, as in XLA.
// Tested by program_test.cc, tests/fuzz/native_fuzz.cc.
#ifndef EYRIE_ABI_NATIVE_XLA_MLIR_ATTRIBUTE_H_
#define EYRIE_ABI_NATIVE_XLA_MLIR_ATTRIBUTE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "abi/native/attributes.h"
#include "abi/native/ffi_types.h"
#include "abi/native/mlir_scanner.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "hal/tensor_type.h"

namespace eyrie::native {

// Takes a dictionary. INVALID_ARGUMENT: it is malformed, has a number that its
// type cannot hold, or is nested deeper than 16. UNIMPLEMENTED: handlers have
// no such attribute, or it has more than 2^20 elements.
absl::StatusOr<Attributes> TakeMlirDictionary(MlirScanner& in);

// Takes an integer, as `api_version` has it. Returns the same errors.
absl::StatusOr<int64_t> TakeMlirInteger(MlirScanner& in);

// Takes a list of permutations, [dense<[0, 1]> : tensor<2xindex>, …]. Does not
// check that they are permutations. Returns the same errors.
absl::StatusOr<std::vector<std::vector<int64_t>>> TakeMlirLayouts(
    MlirScanner& in);

// A ranked tensor's type, with the element as handlers see it.
struct MlirTensor : hal::TensorType {
  FfiType type = FfiType::kNone;
};

// Parses "tensor<2x?xcomplex<f32>>". UNIMPLEMENTED: it is another type, such as
// a tuple, or handlers do not know its element type; the message begins with
// the type.
absl::StatusOr<MlirTensor> ParseMlirTensor(absl::string_view text);

// Returns the text after the quotes of a string are removed, with its escapes
// decoded.
std::string DecodeMlirString(absl::string_view text);

}  // namespace eyrie::native

#endif  // EYRIE_ABI_NATIVE_XLA_MLIR_ATTRIBUTE_H_
