/* Handlers that use what versions 0.4 and 0.5 have added, and functions that no
 * version has.
 *
 * Run by native_test.sh, built for each version of the API. */
#include "tests/native/handler.h"

/* results: the number of functions in the table, and the table's version. */
HANDLER(Table) {
  BEGIN_HANDLER(frame);
  const eyrie_ffi_api_t* api = frame->api;
  int64_t* out = Result(frame, 0)->data;
  out[0] = (int64_t)((api->size - offsetof(eyrie_ffi_api_t, error_create)) /
                     sizeof(void*));
  out[1] = api->version.major;
  out[2] = api->version.minor;
  return NULL;
}

/* results: the code of an error, whether its message is right, and whether the
 * host leaves the code of a struct of 0.3 alone. */
HANDLER(Details) {
  BEGIN_HANDLER(frame);
  const int32_t* code = FindScalar(frame, "code", EYRIE_FFI_S32);
  if (code == NULL) return Fail(frame, 3, "Details lacks its code.");
  static const char kText[] = "An error to look at.";
  eyrie_ffi_error_t* error = Fail(frame, *code, kText);
  eyrie_ffi_error_details_t args = {
      EYRIE_FFI_SIZE(eyrie_ffi_error_details_t, code), NULL, error, NULL, -1};
  frame->api->error_details(&args);
  eyrie_ffi_error_details_t older = {
      NEEDED_SIZE(eyrie_ffi_error_details_t, message), NULL, error, NULL, -1};
  frame->api->error_details(&older);
  int64_t* out = Result(frame, 0)->data;
  out[0] = args.code;
  out[1] = args.message != NULL && strcmp(args.message, kText) == 0 &&
           older.message == args.message;
  out[2] = older.code == -1;
  eyrie_ffi_error_destroy_t destroy = {
      EYRIE_FFI_SIZE(eyrie_ffi_error_destroy_t, error), NULL, error};
  frame->api->error_destroy(&destroy);
  return NULL;
}

/* Fails as the host does. */
HANDLER(FindExtension) {
  BEGIN_HANDLER(frame);
  const int64_t* kind = FindScalar(frame, "kind", EYRIE_FFI_S64);
  if (kind == NULL) return Fail(frame, 3, "FindExtension lacks its kind.");
  eyrie_ffi_find_extension_t args = {
      EYRIE_FFI_SIZE(eyrie_ffi_find_extension_t, found), NULL, frame->context,
      *kind, NULL};
  return frame->api->find_extension(&args);
}

/* result: the number of options. */
HANDLER(Options) {
  BEGIN_HANDLER(frame);
  eyrie_ffi_custom_options_t args = {
      EYRIE_FFI_SIZE(eyrie_ffi_custom_options_t, options), NULL, frame->context,
      NULL};
  eyrie_ffi_error_t* error = frame->api->custom_options(&args);
  if (error == NULL) *(int64_t*)Result(frame, 0)->data = args.options->count;
  return error;
}

/* Calls the function that follows the last one known. */
HANDLER(PastTheEnd) {
  BEGIN_HANDLER(frame);
  struct {
    EYRIE_FFI_PREFIX;
    eyrie_ffi_context_t* context;
  } args = {sizeof(args), NULL, frame->context};
  eyrie_ffi_error_t* (*next)(void*);
  memcpy(&next, (const char*)frame->api + sizeof(eyrie_ffi_api_t),
         sizeof(next));
  return next(&args);
}

/* --- A handler with the stage record, which is never called. */

HANDLER(Recorded) {
  BEGIN_HANDLER(frame);
  *(int64_t*)Result(frame, 0)->data = frame->stage;
  return NULL;
}

HANDLER(Record) {
  BEGIN_HANDLER(frame);
  return Fail(frame, 13, "A command is recorded.");
}
