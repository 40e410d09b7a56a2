// The element types of tensors: codes, sizes and names.
//
// An ElementType is the 32-bit code that modules pass. Codes without a row in
// element_types.def are valid, too; their low 8 bits give their size.
// Tested by buffer_test.cc.
#ifndef EYRIE_HAL_ELEMENT_TYPE_H_
#define EYRIE_HAL_ELEMENT_TYPE_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace eyrie::hal {

enum class ElementType : uint32_t {
  kNone = 0,
#define ELEMENT_TYPE(id, name, kind, bits, numpy, mlir, dlpack) \
  k##id = (uint32_t{kind} << 24) | bits,
#include "hal/element_types.def"
};

// A row of element_types.def. Texts are "" if the format has no such type.
struct ElementTypeInfo {
  ElementType type;
  const char* name;
  uint8_t kind;
  uint8_t bits;
  const char* numpy;
  const char* mlir;
  int dlpack;  // DLDataTypeCode; -1: none
};
std::span<const ElementTypeInfo> ElementTypes();
// Returns the row of a type; null if it has none.
const ElementTypeInfo* FindElementType(ElementType type);

constexpr uint32_t BitCount(ElementType type) {
  return static_cast<uint32_t>(type) & 0xFF;
}
// The numerical kinds that code distinguishes.
namespace numerical_kind {
inline constexpr uint8_t kSignless = 0x10;
inline constexpr uint8_t kSigned = 0x11;
inline constexpr uint8_t kUnsigned = 0x12;
inline constexpr uint8_t kBoolean = 0x13;
inline constexpr uint8_t kFloat = 0x21;
inline constexpr uint8_t kComplex = 0x23;
}  // namespace numerical_kind
constexpr uint8_t NumericalKind(ElementType type) {
  return static_cast<uint32_t>(type) >> 24;
}
constexpr bool IsIntegerKind(ElementType type) {
  return NumericalKind(type) >= numerical_kind::kSignless &&
         NumericalKind(type) <= numerical_kind::kUnsigned;
}
constexpr bool IsIntegerOrBool(ElementType type) {
  return NumericalKind(type) >> 4 == numerical_kind::kSignless >> 4;
}
// Reports whether the types are the same, or integers or booleans of the same
// width: modules accept these for each other.
constexpr bool EqualUpToSign(ElementType a, ElementType b) {
  return a == b || (IsIntegerOrBool(a) && IsIntegerOrBool(b) &&
                    BitCount(a) == BitCount(b));
}

// Reports whether a tensor with elements of `given` may be passed where `want`
// is declared: they are equal up to their sign, or are untyped bytes of the
// same size. Any type may be passed as kNone.
bool IsTakenAs(ElementType given, ElementType want);

// Returns the distance between elements of a dense tensor in bits. Elements of
// 1, 2 and 4 bits are packed; all others take whole bytes.
constexpr uint32_t StrideBits(ElementType type) {
  const uint32_t bits = BitCount(type);
  return bits == 1 || bits == 2 || bits == 4 ? bits : (bits + 7) / 8 * 8;
}

// Returns the bytes that `count` elements take, rounded up, or nullopt on
// overflow or a negative count.
std::optional<uint64_t> DenseByteLength(ElementType type, int64_t count);
// As DenseByteLength, but for hot paths: sets `length`, or returns false
// instead of nullopt.
bool GetDenseByteLength(ElementType type, int64_t count, uint64_t& length);

// Returns the type's name: "f32". A code without a row is named after its kind
// and bits ("i24", "f80"), or "*32" if the kind is unknown.
std::string ElementTypeName(ElementType type);
// Parses a name of the table or an alias ("bool", "x8", "complex<f32>"); "i1"
// means the byte-sized boolean. NOT_FOUND suggests the nearest names: "Unknown
// element type 'f99'; did you mean f16, f32 or f64?"
absl::StatusOr<ElementType> ParseElementType(absl::string_view name);

}  // namespace eyrie::hal

#endif  // EYRIE_HAL_ELEMENT_TYPE_H_
