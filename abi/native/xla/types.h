// The element types of XLA FFI, and ours for them.
//
// Tested by abi/native/attributes_test.cc.
#ifndef EYRIE_ABI_NATIVE_XLA_TYPES_H_
#define EYRIE_ABI_NATIVE_XLA_TYPES_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "hal/element_type.h"

namespace eyrie::native {

enum class FfiType : int32_t {
  kNone = 0,
#define FFI_TYPE(id, number, name, bytes, element, since) k##id = number,
#include "abi/native/xla/types.def"
#undef FFI_TYPE
};

// A row of types.def.
struct FfiTypeInfo {
  FfiType type;
  const char* name;
  int bytes;                 // of an element
  hal::ElementType element;  // kNone: no tensor has the type
  int since;                 // the minor version of the API
};

// The row of a number that stands in the table.
const FfiTypeInfo& InfoOf(FfiType type);

// "f32"; a boolean is "pred" or "i1", signless integers are signed ones.
// NOT_FOUND suggests the nearest.
absl::StatusOr<FfiType> ParseFfiType(absl::string_view name);

// What a handler sees of a tensor's elements; kNone: it has no such type.
FfiType FfiTypeOf(hal::ElementType element);

// True if a tensor of `have` may be taken as `want`: signless integers for
// those of a sign, and the same.
bool IsTakenAs(hal::ElementType have, FfiType want);

}  // namespace eyrie::native

#endif  // EYRIE_ABI_NATIVE_XLA_TYPES_H_
