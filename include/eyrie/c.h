/* Eyrie's C API: load a compiled module, call its functions, read the results.
 *
 * The stable ABI: opaque handles, plain structs, no global state. Every call
 * that can fail returns NULL or an eyrie_error_t that the caller frees. Out
 * parameters are written on success only. Handles are reference counted where
 * a retain function exists; everything else is owned by the caller and freed
 * by the function of its name. The C++ API (runtime.h) is inline over this.
 */
#ifndef EYRIE_C_H_
#define EYRIE_C_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define EYRIE_EXPORT __attribute__((visibility("default")))

/* ---- Errors ------------------------------------------------------------- */

/* The codes of gRPC and Abseil, by their numbers. */
typedef enum eyrie_code_t {
  EYRIE_OK = 0,
  EYRIE_CANCELLED = 1,
  EYRIE_UNKNOWN = 2,
  EYRIE_INVALID_ARGUMENT = 3,    /* malformed module, wrong type or shape */
  EYRIE_DEADLINE_EXCEEDED = 4,
  EYRIE_NOT_FOUND = 5,           /* no such function, import, file, device */
  EYRIE_ALREADY_EXISTS = 6,
  EYRIE_PERMISSION_DENIED = 7,
  EYRIE_RESOURCE_EXHAUSTED = 8,  /* memory or a configured limit */
  EYRIE_FAILED_PRECONDITION = 9,
  EYRIE_ABORTED = 10,
  EYRIE_OUT_OF_RANGE = 11,       /* index or offset past the end */
  EYRIE_UNIMPLEMENTED = 12,      /* valid, but a feature this build lacks */
  EYRIE_INTERNAL = 13,
  EYRIE_UNAVAILABLE = 14,
  EYRIE_DATA_LOSS = 15,
  EYRIE_UNAUTHENTICATED = 16,
} eyrie_code_t;

typedef struct eyrie_error_t eyrie_error_t;

EYRIE_EXPORT eyrie_code_t eyrie_error_code(const eyrie_error_t* error);
/* A sentence; valid as long as the error. */
EYRIE_EXPORT const char* eyrie_error_message(const eyrie_error_t* error);
/* NULL is allowed. */
EYRIE_EXPORT void eyrie_error_free(eyrie_error_t* error);

/* "0.1.0" */
EYRIE_EXPORT const char* eyrie_version(void);

/* ---- Devices ------------------------------------------------------------ */

/* A device: thread-safe, shared by any number of contexts. */
typedef struct eyrie_device_t eyrie_device_t;

typedef struct eyrie_device_options_t {
  size_t struct_size; /* sizeof(eyrie_device_options_t) */
  /* Nonzero: executables of the platform's own format may be loaded. */
  int allow_system_executables;
  /* Nonzero: executables of native code are refused; a module that needs one
   * fails to load. For modules from strangers. */
  int no_native_code;
} eyrie_device_options_t;

/* Opens "local-sync" or any other name `eyrie run --list_devices` prints.
 * Options may be NULL. NOT_FOUND: no such driver or device. */
EYRIE_EXPORT eyrie_error_t* eyrie_device_open(
    const char* uri, const eyrie_device_options_t* options,
    eyrie_device_t** out_device);
EYRIE_EXPORT void eyrie_device_retain(eyrie_device_t* device);
EYRIE_EXPORT void eyrie_device_release(eyrie_device_t* device);

/* ---- Modules ------------------------------------------------------------ */

/* A loaded and verified module: immutable, shared by threads. */
typedef struct eyrie_module_t eyrie_module_t;

/* Maps the file; it must not change while the module lives. */
EYRIE_EXPORT eyrie_error_t* eyrie_module_load_file(const char* path,
                                                   eyrie_module_t** out_module);
/* Copies the bytes. */
EYRIE_EXPORT eyrie_error_t* eyrie_module_load_memory(
    const void* data, size_t size, eyrie_module_t** out_module);
EYRIE_EXPORT void eyrie_module_retain(eyrie_module_t* module);
EYRIE_EXPORT void eyrie_module_release(eyrie_module_t* module);

/* Strings are valid as long as the module. */
EYRIE_EXPORT const char* eyrie_module_name(const eyrie_module_t* module);

typedef struct eyrie_function_info_t {
  const char* name;               /* without the module's */
  const char* calling_convention; /* "0rr_r" */
  const char* declaration;        /* "sync func @add(...)", or "" */
} eyrie_function_info_t;

EYRIE_EXPORT size_t eyrie_module_function_count(const eyrie_module_t* module);
/* `index` below the count, else all fields are NULL. */
EYRIE_EXPORT eyrie_function_info_t eyrie_module_function(
    const eyrie_module_t* module, size_t index);

/* ---- Values ------------------------------------------------------------- */

/* Element types, by the codes that compiled modules use. */
typedef enum eyrie_dtype_t {
  EYRIE_DTYPE_BOOL8 = 0x13000008,
  EYRIE_DTYPE_I8 = 0x10000008,
  EYRIE_DTYPE_I16 = 0x10000010,
  EYRIE_DTYPE_I32 = 0x10000020,
  EYRIE_DTYPE_I64 = 0x10000040,
  EYRIE_DTYPE_SI8 = 0x11000008,
  EYRIE_DTYPE_SI16 = 0x11000010,
  EYRIE_DTYPE_SI32 = 0x11000020,
  EYRIE_DTYPE_SI64 = 0x11000040,
  EYRIE_DTYPE_UI8 = 0x12000008,
  EYRIE_DTYPE_UI16 = 0x12000010,
  EYRIE_DTYPE_UI32 = 0x12000020,
  EYRIE_DTYPE_UI64 = 0x12000040,
  EYRIE_DTYPE_F16 = 0x21000010,
  EYRIE_DTYPE_F32 = 0x21000020,
  EYRIE_DTYPE_F64 = 0x21000040,
  EYRIE_DTYPE_BF16 = 0x22000010,
  EYRIE_DTYPE_C64 = 0x23000040,
  EYRIE_DTYPE_C128 = 0x23000080,
  EYRIE_DTYPE_F8E5M2 = 0x24000008,
  EYRIE_DTYPE_F8E4M3FN = 0x25000008,
  EYRIE_DTYPE_F8E5M2FNUZ = 0x26000008,
  EYRIE_DTYPE_F8E4M3FNUZ = 0x27000008,
  /* No type; any code may be passed and is then refused with a sentence. */
  EYRIE_DTYPE_MAX_ENUM = 0x7FFFFFFF,
} eyrie_dtype_t;

typedef enum eyrie_kind_t {
  EYRIE_KIND_I32 = 0,
  EYRIE_KIND_I64 = 1,
  EYRIE_KIND_F32 = 2,
  EYRIE_KIND_F64 = 3,
  EYRIE_KIND_TENSOR = 4,
  EYRIE_KIND_NULL = 5,
  EYRIE_KIND_OTHER = 6, /* a reference the host can only pass on */
} eyrie_kind_t;

/* One argument or result; not to be used by two threads at once. */
typedef struct eyrie_value_t eyrie_value_t;

EYRIE_EXPORT eyrie_value_t* eyrie_value_i32(int32_t value);
EYRIE_EXPORT eyrie_value_t* eyrie_value_i64(int64_t value);
EYRIE_EXPORT eyrie_value_t* eyrie_value_f32(float value);
EYRIE_EXPORT eyrie_value_t* eyrie_value_f64(double value);
/* A dense row-major tensor on the device, its elements copied from `data`:
 * `size` must be what shape and dtype need. */
EYRIE_EXPORT eyrie_error_t* eyrie_value_tensor(
    eyrie_device_t* device, eyrie_dtype_t dtype, size_t rank,
    const int64_t* shape, const void* data, size_t size,
    eyrie_value_t** out_value);
EYRIE_EXPORT void eyrie_value_free(eyrie_value_t* value);

EYRIE_EXPORT eyrie_kind_t eyrie_value_kind(const eyrie_value_t* value);
/* The scalar of that kind; 0 if the value is of another kind. */
EYRIE_EXPORT int32_t eyrie_value_get_i32(const eyrie_value_t* value);
EYRIE_EXPORT int64_t eyrie_value_get_i64(const eyrie_value_t* value);
EYRIE_EXPORT float eyrie_value_get_f32(const eyrie_value_t* value);
EYRIE_EXPORT double eyrie_value_get_f64(const eyrie_value_t* value);

typedef struct eyrie_tensor_t {
  eyrie_dtype_t dtype;
  size_t rank;
  const int64_t* shape; /* `rank` dimensions */
  const void* data;     /* `size` bytes, dense row-major */
  size_t size;
} eyrie_tensor_t;

/* What a tensor holds, readable until the value is freed. INVALID_ARGUMENT:
 * not a tensor. FAILED_PRECONDITION: its memory is not the host's to see. */
EYRIE_EXPORT eyrie_error_t* eyrie_value_get_tensor(eyrie_value_t* value,
                                                   eyrie_tensor_t* out_tensor);

/* ---- Contexts ----------------------------------------------------------- */

/* Linked modules with globals of their own. One thread at a time. */
typedef struct eyrie_context_t eyrie_context_t;

/* Links the modules in order, dependencies first, and runs their
 * initialisers. The context retains modules and devices. */
EYRIE_EXPORT eyrie_error_t* eyrie_context_create(
    eyrie_module_t* const* modules, size_t module_count,
    eyrie_device_t* const* devices, size_t device_count,
    eyrie_context_t** out_context);
EYRIE_EXPORT void eyrie_context_free(eyrie_context_t* context);

/* What a context may use; 0 in any field but the first is no limit of one's
 * own. A call that passes a limit fails with RESOURCE_EXHAUSTED, of the time
 * with DEADLINE_EXCEEDED, and the context with it: all later calls are
 * FAILED_PRECONDITION. Other contexts go on. Native code is not interrupted:
 * the call fails when it comes back. */
typedef struct eyrie_context_options_t {
  size_t struct_size; /* sizeof(eyrie_context_options_t) */
  uint64_t fuel;      /* branches backwards and calls, of each call */
  int64_t timeout_ns; /* nanoseconds, of each call with its wait for results */
  uint64_t max_memory; /* bytes of host and device memory held at a time */
  size_t max_stack;    /* bytes; 4 MiB if 0 */
} eyrie_context_options_t;

/* The same with options, which may be NULL. Initialisers run within the
 * limits of a call. */
EYRIE_EXPORT eyrie_error_t* eyrie_context_create_with_options(
    eyrie_module_t* const* modules, size_t module_count,
    eyrie_device_t* const* devices, size_t device_count,
    const eyrie_context_options_t* options, eyrie_context_t** out_context);

/* Ends the running call, or the next, with CANCELLED, and fails the context as
 * a limit does. From any thread while the context lives, and from a signal
 * handler. */
EYRIE_EXPORT void eyrie_context_cancel(eyrie_context_t* context);

/* Calls "function" of the last module, or "module.function", and waits for the
 * results. Arguments are borrowed and never changed; NULL is a null reference.
 * `out_results` has room for `result_capacity` values; the caller frees those
 * written. `out_count` is the function's number of results.
 * RESOURCE_EXHAUSTED: more than fit, found before the call. */
EYRIE_EXPORT eyrie_error_t* eyrie_context_call(
    eyrie_context_t* context, const char* function,
    eyrie_value_t* const* arguments, size_t argument_count,
    eyrie_value_t** out_results, size_t result_capacity, size_t* out_count);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* EYRIE_C_H_ */
