// The calling conventions, as listed in conventions.def.
#ifndef EYRIE_ABI_NATIVE_CONVENTIONS_H_
#define EYRIE_ABI_NATIVE_CONVENTIONS_H_

#include <memory>

#include "abi/native/json_reader.h"
#include "abi/native/native_function.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace eyrie::native {

#define NATIVE_CONVENTION(name, declare)                      \
  absl::StatusOr<std::unique_ptr<NativeDeclaration>> declare( \
      absl::string_view function, JsonReader& json);
#include "abi/native/conventions.def"
#undef NATIVE_CONVENTION

}  // namespace eyrie::native

#endif  // EYRIE_ABI_NATIVE_CONVENTIONS_H_
