/* The basis of the C API: errors, versions and the export of functions. */
#ifndef EYRIE_C_BASE_H_
#define EYRIE_C_BASE_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define EYRIE_EXPORT __attribute__((visibility("default")))
/* The compiler warns if a caller drops the error. */
#define EYRIE_CHECK __attribute__((warn_unused_result))

/* Error codes: those of gRPC and Abseil, with the same numbers. */
typedef int32_t eyrie_code_t;
enum {
  EYRIE_OK = 0,
  EYRIE_CANCELLED = 1,
  EYRIE_UNKNOWN = 2,
  EYRIE_INVALID_ARGUMENT = 3, /* malformed module, wrong type or shape */
  EYRIE_DEADLINE_EXCEEDED = 4,
  EYRIE_NOT_FOUND = 5, /* no such function, import, file or device */
  EYRIE_ALREADY_EXISTS = 6,
  EYRIE_PERMISSION_DENIED = 7,
  EYRIE_RESOURCE_EXHAUSTED = 8, /* memory or a configured limit */
  EYRIE_FAILED_PRECONDITION = 9,
  EYRIE_ABORTED = 10,
  EYRIE_OUT_OF_RANGE = 11,  /* index or offset past the end */
  EYRIE_UNIMPLEMENTED = 12, /* valid, but a feature this build lacks */
  EYRIE_INTERNAL = 13,
  EYRIE_UNAVAILABLE = 14,
  EYRIE_DATA_LOSS = 15,
  EYRIE_UNAUTHENTICATED = 16,
};

/* A code and a message. Immutable; owned by the caller of the function that
 * returned it. */
typedef struct eyrie_error_t eyrie_error_t;

/* Returns the code, which is EYRIE_OK only for NULL. */
EYRIE_EXPORT eyrie_code_t eyrie_error_code(const eyrie_error_t* error);
/* Returns the message, which is valid as long as the error; "" for NULL. */
EYRIE_EXPORT const char* eyrie_error_message(const eyrie_error_t* error);
/* Frees the error. NULL is allowed. */
EYRIE_EXPORT void eyrie_error_free(eyrie_error_t* error);

/* The version of these headers. */
#define EYRIE_VERSION_MAJOR 0
#define EYRIE_VERSION_MINOR 1
#define EYRIE_VERSION_PATCH 0
#define EYRIE_VERSION "0.1.0"

/* Nonzero if these headers have at least this version; for #if. */
#define EYRIE_VERSION_AT_LEAST(major, minor, patch) \
  (EYRIE_VERSION_MAJOR > (major) ||                 \
   (EYRIE_VERSION_MAJOR == (major) &&               \
    (EYRIE_VERSION_MINOR > (minor) ||               \
     (EYRIE_VERSION_MINOR == (minor) && EYRIE_VERSION_PATCH >= (patch)))))

/* Reports whether the library has a feature: a driver ("vulkan"), a convention
 * of native functions ("xla_ffi"), or "jit" or "mpi". The machine may still
 * lack what it needs, such as a GPU. Unknown names are features that it does
 * not have. */
EYRIE_EXPORT int eyrie_has_feature(const char* name);
/* Returns the names of all features, in order. The last entry is NULL. The
 * array is static. */
EYRIE_EXPORT const char* const* eyrie_features(void);

/* Returns the version of the library, such as "0.1.0". The string is static. */
EYRIE_EXPORT const char* eyrie_version(void);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* EYRIE_C_BASE_H_ */
