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
#define FFI_TYPE(id, number, name, bytes, element, since) k##id = number,
#include "abi/native/ffi_types.def"
#undef FFI_TYPE
};

// A row of ffi_types.def.
struct FfiTypeInfo {
  FfiType type;
  const char* name;
  int bytes;                 // of an element
  hal::ElementType element;  // kNone: no tensor has this type
  int since;                 // minor version of the API
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

// Reports whether a tensor of `have` may be passed as `want`: the types must be
// equal, or differ only in that `have` is signless.
bool IsTakenAs(hal::ElementType have, FfiType want);

}  // namespace eyrie::native

#endif  // EYRIE_ABI_NATIVE_FFI_TYPES_H_
