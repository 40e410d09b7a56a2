// The calling conventions, as listed in conventions.def.
#ifndef EYRIE_ABI_NATIVE_CONVENTIONS_H_
#define EYRIE_ABI_NATIVE_CONVENTIONS_H_

#include <memory>
#include <span>

#include "abi/native/json_reader.h"
#include "abi/native/native_function.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "eyrie/xla_ffi.h"

namespace eyrie::native {

#define NATIVE_CONVENTION(name, declare)                      \
  absl::StatusOr<std::unique_ptr<NativeDeclaration>> declare( \
      absl::string_view function, JsonReader& json);
#include "abi/native/conventions.def"
#undef NATIVE_CONVENTION

// Asks symbols that must be handlers of XLA FFI for their versions, in one
// child process, so that loading each of them needs none. See ProbeTogether.
void AskFfiHandlers(std::span<eyrie_ffi_handler_t* const> symbols);

}  // namespace eyrie::native

#endif  // EYRIE_ABI_NATIVE_CONVENTIONS_H_
