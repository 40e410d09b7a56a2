// The element types of XLA FFI and the corresponding HAL types.
// Tested by abi/native/attributes_test.cc.
#ifndef EYRIE_ABI_NATIVE_FFI_TYPES_H_
#define EYRIE_ABI_NATIVE_FFI_TYPES_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "hal/element_type.h"

namespace eyrie::native {

enum class FfiType : int32_t {
  kNone = 0,
#define XLA_ELEMENT_TYPE(id, name, kind, bits, numpy, mlir, dlpack, xla_id, \
                         number, xla_name, since)                           \
  k##xla_id = number,
#define XLA_TYPE(xla_id, number, xla_name, since, bytes) k##xla_id = number,
#include "hal/element_types.def"
};

// A type of XLA FFI, from element_types.def.
struct FfiTypeInfo {
  FfiType type;
  const char* name;
  int bytes;                 // of an element
  hal::ElementType element;  // kNone: no tensor has this type
  int since;                 // minor version of the API
  int dlpack;                // DLDataTypeCode; -1: none
};

// Returns the row of a type, which must be in the table.
const FfiTypeInfo& InfoOf(FfiType type);

// Parses a name such as "f32". A boolean is "pred" or "i1"; signless integers
// become signed. NOT_FOUND: the name is unknown; the message suggests the
// nearest.
absl::StatusOr<FfiType> ParseFfiType(absl::string_view name);

// Returns the type that a handler sees for a tensor's elements, or kNone if XLA
// FFI has no such type.
FfiType FfiTypeOf(hal::ElementType element);

// Returns the letter of the calling convention that carries a scalar of this
// type: 'i', 'I', 'f' or 'F'. Those of f16 and bf16 are carried as their bits.
// 0: there are no such scalars.
char ScalarLetter(hal::ElementType element);

// Reports whether a tensor of `have` may be passed as `want`: the types must be
// equal, or differ only in that `have` is signless.
bool IsTakenAs(hal::ElementType have, FfiType want);

}  // namespace eyrie::native

#endif  // EYRIE_ABI_NATIVE_FFI_TYPES_H_
