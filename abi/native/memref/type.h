// Parses the types of MLIR functions, which a manifest gives for functions of
// the memref convention.
//
//   (memref<?x4xf32, strided<[?, 1]>>, index) -> (memref<*xf32>, i64)
//
// ParseMemrefFunctionType documents the grammar. Source of the format: MLIR's
// builtin dialect (types MemRefType, UnrankedMemRefType, StridedLayoutAttr; the
// second layout is that of releases up to 14).
// Tested by type_test.cc, testing/type_fuzz.cc.
#ifndef EYRIE_ABI_NATIVE_MEMREF_TYPE_H_
#define EYRIE_ABI_NATIVE_MEMREF_TYPE_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "hal/tensor_type.h"

namespace eyrie::native {

// A scalar, which has only an element, or a memref. Strides and the offset are
// kDynamic if they are known only at run time. The element of an index is i64,
// and that of an i1 takes a byte, of which only bit 0 is significant.
struct MemrefType : hal::TensorType {
  enum class Kind : uint8_t { kScalar, kRanked, kUnranked };
  static constexpr size_t kMaxRank = 8;

  Kind kind = Kind::kScalar;
  bool is_index = false;
  // If false, the layout is the identity: row-major without gaps. If true,
  // `strides` and `offset` give it, in elements.
  bool is_strided = false;
  std::vector<int64_t> strides;  // as many as dimensions
  int64_t offset = 0;

  bool is_scalar() const { return kind == Kind::kScalar; }
  // Reports whether a tensor has the type's dimensions. An unranked type
  // accepts any up to the maximum rank.
  bool FitsDims(std::span<const int64_t> dims) const {
    return kind == Kind::kUnranked ? dims.size() <= kMaxRank : FitsShape(dims);
  }
  // Returns MLIR's name of the element: "index", "f32", "complex<f32>".
  const char* element_name() const;
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
// The elements are index and those of element_types.def with MLIR's names that
// take whole bytes and have no sign.
// INVALID_ARGUMENT: not this grammar, or past a limit; the sentence gives
// the offset. UNIMPLEMENTED: other types, layouts and memory spaces of MLIR.
absl::StatusOr<MemrefFunctionType> ParseMemrefFunctionType(
    absl::string_view text);

}  // namespace eyrie::native

#endif  // EYRIE_ABI_NATIVE_MEMREF_TYPE_H_
