// The manifest's declaration of an XLA FFI handler: symbols, operands, results.
//
//   "scale": {"convention": "xla_ffi", "symbol": "Scale",
//     "arguments": ["?xf32", {"attribute": "by", "type": "f32"}],
//     "attributes": "mode=near", "results": [{"like": 0}]}
//
// This is the only source, because handlers cannot be queried. docs/native.md
// describes every member.
// Tested by abi/native/manifest_test.cc, tests/fuzz/native_fuzz.cc.
#ifndef EYRIE_ABI_NATIVE_XLA_DECLARATION_H_
#define EYRIE_ABI_NATIVE_XLA_DECLARATION_H_

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "abi/native/attributes.h"
#include "abi/native/ffi_types.h"
#include "abi/native/json_reader.h"
#include "abi/native/native_function.h"
#include "abi/native/native_plan.h"
#include "abi/native/shape_rule.h"
#include "abi/native/tensor_layout.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "eyrie/xla_ffi.h"

namespace eyrie::native {

// An argument:
//
//   "?x4xf32"   {"rest": "buffer"}   {"attribute": "by", "type": "f32"}
//   {"buffer": "*xf64", "layout": "column_major"}
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

// Returns the name of a stage in manifests, such as "instantiate".
const char* FfiStageName(int stage);

struct FfiResult : NativePlan::Result {
  bool rest = false;
};

struct FfiDeclaration {
  std::string name;                                   // of the function
  std::array<std::string, EYRIE_FFI_STAGES> symbols;  // empty: no such stage
  std::string registered;  // or: a handler that registers itself
  std::string platform;
  std::vector<FfiOperand> operands;
  std::vector<FfiResult> results;
  EqualDims equal;
  Attribute attributes;  // declared ones, as a dictionary
  // Whether imports must have a wait fence and a signal fence after their
  // operands. If not set, imports with and without fences are accepted.
  std::optional<bool> fences;

  // Reports whether imports may have different numbers of operands: some are
  // optional, or the last one repeats.
  bool takes_rest() const;
  bool has_rest() const {
    return !operands.empty() &&
           operands.back().presence == FfiOperand::Presence::kRest;
  }
  std::string Describe() const;
  // See NativeDeclaration.
  std::string ImportConvention(size_t operands) const;
  std::vector<std::string> DeclareOperands(size_t operands) const;

 private:
  // Returns the arguments of an import with this many operands, if it takes so
  // many; all that are required, in any case.
  std::vector<const FfiOperand*> Expand(size_t operands) const;
};

// Reads one function of a manifest. INVALID_ARGUMENT: the declaration is wrong;
// the message names the function and member. UNIMPLEMENTED: the declaration
// needs something that this host does not support.
absl::StatusOr<FfiDeclaration> ReadFfiDeclaration(absl::string_view name,
                                                  JsonReader& json);

}  // namespace eyrie::native

#endif  // EYRIE_ABI_NATIVE_XLA_DECLARATION_H_
