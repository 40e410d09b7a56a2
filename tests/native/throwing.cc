// Handlers that throw, and one with a task that throws.
//
// Run by native_test.sh.
#include <stdexcept>

#include "tests/native/handler.h"

extern "C" {

HANDLER(Throw) {
  BEGIN_HANDLER(frame);
  if (FindScalar(frame, "number", EYRIE_FFI_S32) != nullptr) throw 7;
  throw std::runtime_error("The handler gives up:\nit has had enough.\n");
}

HANDLER(ThrowInTask) {
  BEGIN_HANDLER(frame);
  eyrie_ffi_future_create_t create = {EYRIE_FFI_FUTURE_CREATE_SIZE, nullptr,
                                      nullptr};
  eyrie_ffi_error_t* error = frame->api->future_create(&create);
  if (error != nullptr) return error;
  frame->future = create.future;
  eyrie_ffi_schedule_t args = {
      EYRIE_FFI_SIZE(eyrie_ffi_schedule_t, data), nullptr, frame->context,
      [](void*) { throw std::runtime_error("The task gives up."); }, nullptr};
  return frame->api->schedule(&args);
}

}  // extern "C"
