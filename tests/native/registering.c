/* A library that registers its handlers when it is opened, one of them for
 * another platform.
 *
 * Run by native_test.sh. */
#include "tests/native/handler.h"

extern const eyrie_ffi_api_t* XLA_FFI_GetApi(void);

static HANDLER(Answer) {
  BEGIN_HANDLER(frame);
  *(int64_t*)Result(frame, 0)->data = 42;
  return NULL;
}

static int registered;

static void Register(const char* name, const char* platform) {
  eyrie_ffi_handler_register_t args = {
      EYRIE_FFI_SIZE(eyrie_ffi_handler_register_t, traits),
      NULL,
      {name, strlen(name)},
      {platform, strlen(platform)},
      {{NULL, NULL, NULL, Answer}},
      0};
  registered += XLA_FFI_GetApi()->handler_register(&args) == NULL;
}

__attribute__((constructor)) static void RegisterAll(void) {
  Register("answer", "Host");
  Register("gpu_answer", "CUDA");
}
