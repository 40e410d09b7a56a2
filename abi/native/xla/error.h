// Converts errors between the form of handlers and absl::Status.
// Tested by tools/native_test.sh.
#ifndef EYRIE_ABI_NATIVE_XLA_ERROR_H_
#define EYRIE_ABI_NATIVE_XLA_ERROR_H_

#include <memory>
#include <string>
#include <utility>

#include "abi/native/guarded_call.h"
#include "absl/status/status.h"
#include "base/plain_text.h"
#include "eyrie/xla_ffi.h"

// Defines the opaque type of the C ABI.
struct eyrie_ffi_error {
  absl::Status status;  // never OK
  std::string message;  // null-terminated copy of the message
};

namespace eyrie::native {

// Returns the text of an exception of native code as lines of a message.
inline std::string ThrownLines(const Thrown& thrown) {
  return MessageLines(*thrown.what, kMaxThrownText);
}

// Returns null for an OK status; otherwise an error that the receiver owns.
inline eyrie_ffi_error_t* CreateFfiError(absl::Status status) {
  if (status.ok()) return nullptr;
  std::string message(status.message());
  return std::make_unique<eyrie_ffi_error>(
             eyrie_ffi_error{std::move(status), std::move(message)})
      .release();
}

// Takes ownership of an error and returns its status; null is OK.
inline absl::Status TakeFfiError(eyrie_ffi_error_t* error) {
  if (error == nullptr) return absl::OkStatus();
  const std::unique_ptr<eyrie_ffi_error> owned(error);
  return std::move(owned->status);
}

}  // namespace eyrie::native

#endif  // EYRIE_ABI_NATIVE_XLA_ERROR_H_
