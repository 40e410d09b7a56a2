#include "abi/native/guarded_call.h"

#include <unwind.h>

#include <exception>

#include "absl/base/attributes.h"

namespace eyrie::native {
namespace {

Thrown Throwing(const char* what) {
  return {std::make_unique<const std::string>(what)};
}

}  // namespace

void PrepareGuardedCalls() {
  // Any walk of the stack fills the tables.
  _Unwind_Backtrace([](_Unwind_Context*, void*) { return _URC_END_OF_STACK; },
                    nullptr);
}

// A manifest may name another function as a handler; a child process then calls
// it. So the sanitizer must not check the function's type.
ABSL_ATTRIBUTE_NO_SANITIZE_UNDEFINED
eyrie_ffi_error_t* CallGuarded(eyrie_ffi_handler_t* handler,
                               eyrie_ffi_call_frame_t* frame, Thrown& thrown) {
  try {
    return handler(frame);
  } catch (const std::exception& exception) {
    thrown = Throwing(exception.what());
  } catch (...) {
    thrown = Throwing("an object that is not a std::exception");
  }
  return nullptr;
}

void RunGuarded(void (*function)(void* data), void* data, Thrown& thrown) {
  try {
    function(data);
  } catch (const std::exception& exception) {
    thrown = Throwing(exception.what());
  } catch (...) {
    thrown = Throwing("an object that is not a std::exception");
  }
}

}  // namespace eyrie::native
