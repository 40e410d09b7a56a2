// Calls into native code that may throw: an exception ends here.
//
// Eyrie is built without exceptions, so that none may pass through it; handlers
// are C++ programs of others and may throw all the same. This library alone is
// compiled with exceptions, and has nothing in it but the catch clauses. A call
// that does not throw costs what a plain call does.
// Tested by tools/native_test.sh.
#ifndef EYRIE_ABI_NATIVE_GUARDED_CALL_H_
#define EYRIE_ABI_NATIVE_GUARDED_CALL_H_

#include <memory>
#include <string>

#include "eyrie/xla_ffi.h"

namespace eyrie::native {

// What a call threw: std::exception's text, or that it was something else.
struct Thrown {
  // Null: it threw nothing.
  std::unique_ptr<const std::string> what;

  bool any() const { return what != nullptr; }
};

// Before the first of the calls below. A library may bring an unwinder of its
// own, which then meets frames of ours: what reads these must have been used
// once. Thread-safe.
void PrepareGuardedCalls();

// Calls the handler and returns what it does; null if it throws.
eyrie_ffi_error_t* CallGuarded(eyrie_ffi_handler_t* handler,
                               eyrie_ffi_call_frame_t* frame, Thrown& thrown);

// Calls a function of one pointer: a task, a deleter.
void RunGuarded(void (*function)(void* data), void* data, Thrown& thrown);

}  // namespace eyrie::native

#endif  // EYRIE_ABI_NATIVE_GUARDED_CALL_H_
