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

#if EYRIE_FFI_MINOR >= 4
static HANDLER(Record) {
  BEGIN_HANDLER(frame);
  return Fail(frame, 13, "A command is recorded.");
}
#endif

static int registered;

static void Register(const char* name, const char* platform) {
  eyrie_ffi_handler_register_t args = {
      EYRIE_FFI_SIZE(eyrie_ffi_handler_register_t, traits),
      NULL,
      {name, strlen(name)},
      {platform, strlen(platform)},
#if EYRIE_FFI_MINOR >= 4
      {{NULL, NULL, NULL, Answer, Record}},
#else
      {{NULL, NULL, NULL, Answer}},
#endif
      0};
  registered += XLA_FFI_GetApi()->handler_register(&args) == NULL;
}

__attribute__((constructor)) static void RegisterAll(void) {
  Register("answer", "Host");
  Register("gpu_answer", "CUDA");
}
