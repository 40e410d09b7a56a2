// Parses the attribute `iree.abi.declaration` of an export: the arguments and
// results of the function as its source code declared them.
//
//   sync func @add(%x: tensor<4xf32>, %n: index) -> (%y: tensor<?xf32>)
//
// Calling conventions only say "a reference"; a declaration has shapes and
// element types. Text that cannot be parsed becomes an unknown type, which
// matches everything.
// Tested by declaration_test.cc.
#ifndef EYRIE_ABI_SIGNATURE_DECLARATION_H_
#define EYRIE_ABI_SIGNATURE_DECLARATION_H_

#include <optional>
#include <vector>

#include "abi/signature/signature.h"
#include "absl/strings/string_view.h"

namespace eyrie::abi {

// Names, types and storage_of are set; the fences of an asynchronous function
// are left out.
struct Declaration {
  std::vector<Parameter> arguments;
  std::vector<Parameter> results;
};

// Parses a declaration. Returns nullopt if the text is not one.
std::optional<Declaration> ParseDeclaration(absl::string_view text);

// Parses "tensor<4xf32>", "index" or "!util.list<?>". "index" is an i64. Lists
// nested deeper than Signature::kMaxDepth become lists of anything.
Type ParseDeclaredType(absl::string_view text);

}  // namespace eyrie::abi

#endif  // EYRIE_ABI_SIGNATURE_DECLARATION_H_
