/* Helpers for test handlers: metadata, attributes, errors.
 *
 * Uses only eyrie/xla_ffi.h. Compiled for each version of the API, which
 * EYRIE_FFI_MINOR selects; 9 is one that does not exist yet. */
#ifndef EYRIE_TESTS_NATIVE_HANDLER_H_
#define EYRIE_TESTS_NATIVE_HANDLER_H_

#include <stdio.h>
#include <string.h>

#include "eyrie/xla_ffi.h"

/* The size that a struct of the host must have at least. */
#define NEEDED_SIZE(type, last) \
  (offsetof(type, last) + sizeof(((type*)0)->last))
#if EYRIE_FFI_MINOR > 5
/* A later version, which passes larger structs. */
#undef EYRIE_FFI_SIZE
#define EYRIE_FFI_SIZE(type, last) (NEEDED_SIZE(type, last) + 64)
#endif

#define HANDLER(name) eyrie_ffi_error_t* name(eyrie_ffi_call_frame_t* frame)
/* Answers a metadata request, and checks every other frame. */
#define BEGIN_HANDLER(frame)                                    \
  do {                                                          \
    if ((frame)->extension != NULL) return Introduce(frame, 0); \
    if ((frame)->size != EYRIE_FFI_CALL_FRAME_SIZE)             \
      return Fail(frame, 3, "The frame has another size.");     \
  } while (0)

static inline eyrie_ffi_error_t* Fail(const eyrie_ffi_call_frame_t* frame,
                                      int32_t code, const char* message) {
  eyrie_ffi_error_create_t args = {
      EYRIE_FFI_SIZE(eyrie_ffi_error_create_t, code), NULL, message, code};
  return frame->api->error_create(&args);
}

static inline eyrie_ffi_error_t* Introduce(eyrie_ffi_call_frame_t* frame,
                                           int64_t state_type) {
  eyrie_ffi_metadata_extension_t* asked =
      (eyrie_ffi_metadata_extension_t*)(void*)frame->extension;
  if (asked->base.kind != EYRIE_FFI_EXTENSION_METADATA) {
    return Fail(frame, 12, "The extension is unknown.");
  }
  if (asked->metadata->size < EYRIE_FFI_METADATA_SIZE) {
    return Fail(frame, 3, "The metadata is too small.");
  }
  asked->metadata->api_version.major = EYRIE_FFI_MAJOR;
  asked->metadata->api_version.minor = EYRIE_FFI_MINOR;
  asked->metadata->traits = EYRIE_FFI_COMMAND_BUFFER_COMPATIBLE;
#if EYRIE_FFI_MINOR >= 2
  asked->metadata->state_type = state_type;
#else
  (void)state_type;
#endif
  return NULL;
}

static inline const eyrie_ffi_buffer_t* Arg(const eyrie_ffi_call_frame_t* frame,
                                            int64_t index) {
  return (const eyrie_ffi_buffer_t*)frame->args.values[index];
}

static inline const eyrie_ffi_buffer_t* Result(
    const eyrie_ffi_call_frame_t* frame, int64_t index) {
  return (const eyrie_ffi_buffer_t*)frame->results.values[index];
}

static inline int64_t CountOf(const eyrie_ffi_buffer_t* buffer) {
  int64_t count = 1;
  for (int64_t i = 0; i < buffer->rank; ++i) count *= buffer->dims[i];
  return count;
}

/* Returns the value of an attribute of this kind, or null. */
static inline const void* Find(const eyrie_ffi_attributes_t* attributes,
                               const char* name, int32_t kind) {
  for (int64_t i = 0; i < attributes->count; ++i) {
    const eyrie_ffi_bytes_t* own = attributes->names[i];
    if (own->size == strlen(name) && memcmp(own->data, name, own->size) == 0) {
      return attributes->kinds[i] == kind ? attributes->values[i] : NULL;
    }
  }
  return NULL;
}

/* Returns the value of a scalar attribute of this type, or null. */
static inline const void* FindScalar(const eyrie_ffi_call_frame_t* frame,
                                     const char* name, int32_t type) {
  const eyrie_ffi_scalar_t* scalar = (const eyrie_ffi_scalar_t*)Find(
      &frame->attributes, name, EYRIE_FFI_SCALAR);
  return scalar != NULL && scalar->type == type ? scalar->value : NULL;
}

#endif /* EYRIE_TESTS_NATIVE_HANDLER_H_ */
