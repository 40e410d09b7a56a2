// What a function takes and returns, as its source declared it.
//
//   sync func @add(%x: tensor<4xf32>, %n: index) -> (%y: tensor<?xf32>)
//   tensor<?xf32>)
// is the attribute `iree.abi.declaration` of an export. Calling conventions
// only know "a reference"; this knows shapes and element types. It is used for
// checks and messages alone, so what cannot be read is an unknown type, which
// anything matches.
// Tested by declaration_test.cc.
#ifndef EYRIE_ABI_DECLARATION_H_
#define EYRIE_ABI_DECLARATION_H_

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
  // Of scalars and tensors; kNone if the name is not one we know. An index is
  // an i64, an i1 a Bool8.
  hal::ElementType element = hal::ElementType::kNone;
  bool ranked = false;         // a tensor<*xf32> is not
  std::vector<int64_t> shape;  // kDynamic where it says '?'
  std::string text;            // as declared: "tensor<?x4xf32>"

  // A tensor as shapes are written elsewhere, "?x4xf32"; else the text.
  std::string ToString() const;
};

struct DeclaredValue {
  std::string name;  // "input0"
  DeclaredType type;
  // Of an argument that is storage for a result: the result's index.
  std::optional<int> storage_of;
};

struct Declaration {
  std::string function;
  bool async = false;
  std::vector<DeclaredValue> arguments;  // without the fences of async ones
  std::vector<DeclaredValue> results;
};

// nullopt: the text is no declaration.
std::optional<Declaration> ParseDeclaration(absl::string_view text);

// Reads "tensor<4xf32>", "index", "!util.list<?>".
DeclaredType ParseDeclaredType(absl::string_view text);

}  // namespace eyrie::abi

#endif  // EYRIE_ABI_DECLARATION_H_
