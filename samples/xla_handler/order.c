/* order.argsort: returns the indices that would sort an array.
 *
 * An XLA FFI handler in C, which needs only Eyrie's header of the C ABI. (A
 * tensor compiler would create a sorting network.) order.json declares its
 * arguments and results, README.md says how to build and run it, and
 * order_xla.cc is the same with XLA's headers. */
#define _GNU_SOURCE /* qsort_r */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "eyrie/xla_ffi.h"

static eyrie_ffi_error_t* Fail(const eyrie_ffi_call_frame_t* frame,
                               const char* message) {
  eyrie_ffi_error_create_t error = {
      EYRIE_FFI_SIZE(eyrie_ffi_error_create_t, code), NULL, message, 3};
  return frame->api->error_create(&error); /* 3: INVALID_ARGUMENT */
}

/* Answers a frame with an extension, which only asks for the API version. */
static eyrie_ffi_error_t* Introduce(eyrie_ffi_call_frame_t* frame) {
  eyrie_ffi_metadata_t* metadata =
      ((eyrie_ffi_metadata_extension_t*)(void*)frame->extension)->metadata;
  metadata->api_version.major = EYRIE_FFI_MAJOR;
  metadata->api_version.minor = EYRIE_FFI_MINOR;
  return NULL;
}

/* Returns the attribute "descending", a pred, or NULL. */
static const uint8_t* Descending(const eyrie_ffi_attributes_t* attributes) {
  for (int64_t i = 0; i < attributes->count; ++i) {
    const eyrie_ffi_bytes_t* name = attributes->names[i];
    if (name->size != 10 || memcmp(name->data, "descending", 10) != 0 ||
        attributes->kinds[i] != EYRIE_FFI_SCALAR) {
      continue;
    }
    const eyrie_ffi_scalar_t* scalar = attributes->values[i];
    return scalar->type == EYRIE_FFI_PRED ? scalar->value : NULL;
  }
  return NULL;
}

typedef struct {
  const float* keys;
  int descending;
} Order;

/* Sorts NaNs last and keeps the order of equal elements. */
static int Compare(const void* left, const void* right, void* user) {
  const Order* order = user;
  const int32_t a = *(const int32_t*)left, b = *(const int32_t*)right;
  const float x = order->keys[a], y = order->keys[b];
  const int nan = isnan(x) - isnan(y);
  if (nan != 0) return nan;
  if (x < y) return order->descending ? 1 : -1;
  if (x > y) return order->descending ? -1 : 1;
  return a < b ? -1 : 1;
}

eyrie_ffi_error_t* ArgSort(eyrie_ffi_call_frame_t* frame) {
  if (frame->extension != NULL) return Introduce(frame);
  /* The host has checked arguments, attributes and results against a manifest,
   * but cannot know whether the manifest belongs to this handler. */
  const uint8_t* descending = Descending(&frame->attributes);
  if (descending == NULL) return Fail(frame, "argsort lacks descending: pred.");
  const eyrie_ffi_buffer_t* keys = frame->args.values[0];
  const eyrie_ffi_buffer_t* indices = frame->results.values[0];
  const int64_t count = keys->dims[0];
  if (count > INT32_MAX) return Fail(frame, "An index does not fit in s32.");
  int32_t* out = indices->data;
  for (int64_t i = 0; i < count; ++i) out[i] = (int32_t)i;
  Order order = {keys->data, *descending};
  if (count > 1) qsort_r(out, (size_t)count, sizeof(*out), Compare, &order);
  return NULL;
}
