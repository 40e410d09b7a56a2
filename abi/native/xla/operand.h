// An argument of an XLA FFI handler, as a manifest declares it.
//
//   "?x4xf32"   {"rest": "buffer"}   {"attribute": "by", "type": "f32"}
//   {"buffer": "*xf64", "layout": "column_major"}
//
// docs/native.md describes every form.
// Tested by abi/native/manifest_test.cc, tests/fuzz/native_fuzz.cc.
#ifndef EYRIE_ABI_NATIVE_XLA_OPERAND_H_
#define EYRIE_ABI_NATIVE_XLA_OPERAND_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "abi/native/ffi_types.h"
#include "abi/native/json_reader.h"
#include "abi/native/shape_rule.h"
#include "abi/native/tensor_layout.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace eyrie::native {

struct FfiOperand {
  enum class Kind : uint8_t {
    kBuffer,     // a !hal.buffer_view
    kToken,      // not an operand of the import
    kAttribute,  // a scalar or !vm.buffer, as this attribute
  };
  enum class Presence : uint8_t { kRequired, kOptional, kRest };

  Kind kind = Kind::kBuffer;
  Presence presence = Presence::kRequired;
  FfiType type = FfiType::kNone;  // kNone: any type; of an attribute: a string
  // The type of a buffer, with the element of `type`.
  hal::TensorType tensor = {hal::ElementType::kNone, {}, /*ranked=*/false};
  TensorLayout layout;
  std::string attribute;

  // Returns kNoTensor unless it is a buffer.
  OperandRank rank() const;
  // Returns the text in descriptions: "?x4xf32", "by: f32", "buffer…".
  std::string ToString() const;
  // Returns the text in declarations of imports: "tensor<?x4xf32>", "%by: f32";
  // an attribute whose name is not an identifier has none. That of an argument
  // which may be null is "?", which allows anything.
  std::string Declared() const;
  // Returns the letter in the import's convention, or 0 for a token.
  char letter() const;
};

// Reads an argument. `where` names it in messages. INVALID_ARGUMENT: it is
// malformed. UNIMPLEMENTED: tensors cannot have its element type.
absl::StatusOr<FfiOperand> ReadFfiOperand(const Json& value,
                                          const std::string& where);

// Returns the error "In the manifest, `where` is the number 7; `expected` is
// expected."
absl::Status NotExpectedHere(absl::string_view where, const Json& value,
                             absl::string_view expected);

}  // namespace eyrie::native

#endif  // EYRIE_ABI_NATIVE_XLA_OPERAND_H_
