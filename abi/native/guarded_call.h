// Calls native code that may throw, and catches its exceptions.
//
// Eyrie is built without exceptions, so none may propagate through it, but
// handlers are third-party C++ and may throw. Only this library is compiled
// with exceptions, and it contains only the catch clauses. A call that does not
// throw costs as much as a plain call.
// Tested by tools/native_test.sh.
#ifndef EYRIE_ABI_NATIVE_GUARDED_CALL_H_
#define EYRIE_ABI_NATIVE_GUARDED_CALL_H_

#include <cstddef>
#include <memory>
#include <string>

#include "eyrie/xla_ffi.h"

namespace eyrie::native {

// Bytes of an exception's text in an error.
inline constexpr size_t kMaxThrownText = 400;

// An exception that a call threw: the text of std::exception, or a note that it
// had another type.
struct Thrown {
  // Null if nothing was thrown.
  std::unique_ptr<const std::string> what;

  bool any() const { return what != nullptr; }
};

// Must be called before the first of the calls below. A library may bring its
// own unwinder, which then sees our frames; this ensures that ours has been
// used once before. Thread-safe.
void PrepareGuardedCalls();

// Calls the handler and returns its result, or null if it throws.
eyrie_ffi_error_t* CallGuarded(eyrie_ffi_handler_t* handler,
                               eyrie_ffi_call_frame_t* frame, Thrown& thrown);

// Calls a function with one pointer argument, such as a task or a deleter.
void RunGuarded(void (*function)(void* data), void* data, Thrown& thrown);

}  // namespace eyrie::native

#endif  // EYRIE_ABI_NATIVE_GUARDED_CALL_H_
