// Parses the types of MLIR functions, which a manifest gives for functions of
// the memref convention.
//
//   (memref<?x4xf32, strided<[?, 1]>>, index) -> (memref<*xf32>, i64)
//
// ParseMemrefFunctionType documents the grammar. Source of the format: MLIR's
// builtin dialect (types MemRefType, UnrankedMemRefType, StridedLayoutAttr; the
// second layout is that of releases up to 14).
// Tested by type_test.cc, type_fuzz.cc.
#ifndef EYRIE_ABI_NATIVE_MEMREF_TYPE_H_
#define EYRIE_ABI_NATIVE_MEMREF_TYPE_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "hal/element_type.h"

namespace eyrie::native {

enum class MemrefElement : uint8_t {
#define MEMREF_ELEMENT(id, name, bytes, element, letter) k##id,
#include "abi/native/memref/elements.def"
#undef MEMREF_ELEMENT
};

// A row of elements.def.
struct MemrefElementInfo {
  const char* name;
  int bytes;                 // of an element
  hal::ElementType element;  // of tensors
  char letter;               // of a scalar's carrier; 0: no scalars
};
const MemrefElementInfo& InfoOf(MemrefElement element);

// A scalar or a memref.
struct MemrefType {
  enum class Kind : uint8_t { kScalar, kRanked, kUnranked };
  // A dimension, stride or offset that is known only at run time.
  static constexpr int64_t kDynamic = std::numeric_limits<int64_t>::min();
  static constexpr size_t kMaxRank = 8;

  Kind kind = Kind::kScalar;
  MemrefElement element = MemrefElement::kI32;
  std::vector<int64_t> dims;  // of a ranked memref
  // If false, the layout is the identity: row-major without gaps. If true,
  // `strides` and `offset` give it, in elements.
  bool is_strided = false;
  std::vector<int64_t> strides;  // as many as dims
  int64_t offset = 0;

  bool is_scalar() const { return kind == Kind::kScalar; }
  std::string ToString() const;
  friend bool operator==(const MemrefType&, const MemrefType&) = default;
};

struct MemrefFunctionType {
  static constexpr size_t kMaxValues = 64;  // for arguments, and for results

  std::vector<MemrefType> arguments;
  std::vector<MemrefType> results;

  // Returns the type in the grammar below, with one space after each ',' and
  // ':'.
  std::string ToString() const;
};

//   function := list '->' (type | list)
//   list     := '(' [type {',' type}] ')'
//   type     := element | memref
//   memref   := 'memref<' ('*x' | {(number | '?') 'x'}) element
//               [',' layout] [',' '0' [':' integer type]] '>'
//   layout   := 'strided<' strides [',' 'offset' ':' bound] '>'
//             | 'offset' ':' bound ',' 'strides' ':' strides
//             | 'affine_map<(' dims ')' ['[' symbols ']'] '->' '(' map ')>'
//   strides  := '[' [bound {',' bound}] ']'
//   map      := dims | term {'+' term}, each a product of at most one
//               dimension with at most one number or symbol
//   bound    := number | '?'
// The elements are those of elements.def.
// INVALID_ARGUMENT: not this grammar, or past a limit; the sentence gives
// the offset. UNIMPLEMENTED: other types, layouts and memory spaces of MLIR.
absl::StatusOr<MemrefFunctionType> ParseMemrefFunctionType(
    absl::string_view text);

}  // namespace eyrie::native

#endif  // EYRIE_ABI_NATIVE_MEMREF_TYPE_H_
