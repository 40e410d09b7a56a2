// The arguments and results of a function, as its source code declared them:
// the attribute `iree.abi.declaration` of an export.
//
//   sync func @add(%x: tensor<4xf32>, %n: index) -> (%y: tensor<?xf32>)
//
// Calling conventions only say "a reference"; a declaration has shapes and
// element types. It is used only for checks and messages, so text that cannot
// be parsed becomes an unknown type, which matches everything.
// Tested by declaration_test.cc.
#ifndef EYRIE_ABI_SIGNATURE_DECLARATION_H_
#define EYRIE_ABI_SIGNATURE_DECLARATION_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "hal/element_type.h"

namespace eyrie::abi {

// A declared type.
struct DeclaredType {
  enum class Kind : uint8_t {
    kUnknown,  // anything
    kScalar,   // i1 … i64, index, f16, bf16, f32, f64
    kTensor,   // tensor<…>: passed as a buffer view
    kBufferView,
    kBuffer,  // !hal.buffer
    kBytes,   // !util.buffer, !vm.buffer
    kList,
    kFence,
  };
  static constexpr int64_t kDynamic = -1;

  Kind kind = Kind::kUnknown;
  // For scalars and tensors; kNone if the name is unknown. "index" is an i64,
  // and "i1" a Bool8.
  hal::ElementType element = hal::ElementType::kNone;
  bool ranked = false;         // false for tensor<*xf32>
  std::vector<int64_t> shape;  // kDynamic for '?'
  std::string text;            // as declared: "tensor<?x4xf32>"

  // Returns a ranked tensor of a known element type as "?x4xf32"; else `text`.
  std::string ToString() const;
};

struct DeclaredValue {
  std::string name;  // "input0"
  DeclaredType type;
  // The index of the result that this argument is storage for, if it is.
  std::optional<int> storage_of;
};

struct Declaration {
  std::string function;
  bool async = false;
  std::vector<DeclaredValue> arguments;  // without fences of async ones
  std::vector<DeclaredValue> results;
};

// Parses a declaration. Returns nullopt if the text is not one.
std::optional<Declaration> ParseDeclaration(absl::string_view text);

// Parses "tensor<4xf32>", "index" or "!util.list<?>".
DeclaredType ParseDeclaredType(absl::string_view text);

}  // namespace eyrie::abi

#endif  // EYRIE_ABI_SIGNATURE_DECLARATION_H_
