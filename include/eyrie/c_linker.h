/* Functions of the host that modules import.
 *
 *   eyrie_linker_t* linker = eyrie_linker_create();
 *   error = eyrie_linker_define(linker, "host.scale", "(f32, i32) -> f32",
 *                               Scale, NULL, NULL);
 *   options.linker = linker;  // of eyrie_context_create
 *
 * c.h has the rest of the API. docs/write_a_custom_module.md has an example.
 */
#ifndef EYRIE_C_LINKER_H_
#define EYRIE_C_LINKER_H_

#include "eyrie/c.h"
#include "eyrie/c_fence.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Calls -------------------------------------------------------------- */

/* Bytes, which are borrowed. This and eyrie_slot_t never change their size. */
typedef struct eyrie_bytes_t {
  const void* data;
  size_t size;
} eyrie_bytes_t;

/* An argument or a result of a host function. The function's signature tells
 * which member is set. Everything that an argument points to is valid during
 * the call, and must not be changed. */
typedef union eyrie_slot_t {
  int32_t i32; /* i1 (0 or 1); integers of up to 32 bits, extended by their
                * sign or, if unsigned, by zeros; the 16 bits of f16 and bf16 */
  int64_t i64; /* index, integers of 64 bits */
  float f32;
  double f64;
  const eyrie_array_t* array; /* an argument that is an array */
  eyrie_bytes_t bytes;        /* an argument of type bytes */
  void* object;               /* an argument "ref<name>"; NULL if it is null */
  /* Any other argument; or a result that is not a number, which the library
   * frees, also if the function fails. NULL is null. */
  eyrie_value_t* value;
} eyrie_slot_t;

/* A running call of a host function. It is valid until the function returns,
 * and must be used on the same thread. */
typedef struct eyrie_host_call_t eyrie_host_call_t;

/* A host function. `arguments` and `results` have one slot for each type of the
 * signature; results are 0 at first. `user` is the pointer that was defined
 * with the function.
 *
 * Returns NULL, or an error (eyrie_error_create), which the library frees. The
 * module's call then fails with its code and message, followed by the places in
 * the module that led to the call.
 *
 * The function is called on the thread that calls the module; contexts of
 * several threads may call it at the same time. It may call functions of its
 * context (eyrie_host_call_info_t::context), but must not free the context. It
 * must not throw or jump over the library's frames. */
typedef eyrie_error_t* (*eyrie_host_function_t)(eyrie_host_call_t* call,
                                                const eyrie_slot_t* arguments,
                                                eyrie_slot_t* results,
                                                void* user);

/* Creates an error. `code` must not be EYRIE_OK, which is replaced by
 * EYRIE_UNKNOWN. The first 32 KiB of the message are copied; NULL is "". */
EYRIE_EXPORT EYRIE_CHECK eyrie_error_t* eyrie_error_create(eyrie_code_t code,
                                                           const char* message);

/* A running call. Everything is borrowed, and valid as long as the call. */
typedef struct eyrie_host_call_info_t {
  size_t struct_size; /* set by the library */
  void* state;        /* of the function's module in this context; NULL if the
                       * module has none (eyrie_linker_set_state) */
  eyrie_context_t* context; /* NULL while its initializers run */
  size_t argument_count;
  /* The fences of a call of an "async" function; NULL for other functions.
   * Arguments may be read only after `wait` is reached; if it is NULL, they may
   * be read at once. If the function returns NULL, it must ensure that `signal`
   * is signalled or failed, on any thread and at any time; elements of its
   * results may be written until then. If it returns an error, the library
   * fails `signal` with it. Fences that are needed after the function has
   * returned must be retained, and arguments must be kept with
   * eyrie_host_call_copy_argument. */
  eyrie_fence_t* wait;
  eyrie_fence_t* signal;
} eyrie_host_call_info_t;

EYRIE_EXPORT const eyrie_host_call_info_t* eyrie_host_call_info(
    eyrie_host_call_t* call);

/* Creates an array for a result, in memory of the context's first device, so
 * that the result is not copied. The function must write all elements to
 * `out_data`: they may have any values at first. The caller must pass the value
 * on as a result, or free it. INVALID_ARGUMENT: the shape or the dtype.
 * FAILED_PRECONDITION: the context has no device, or one whose memory the host
 * cannot access. RESOURCE_EXHAUSTED: no memory, or the context's limit. */
EYRIE_EXPORT EYRIE_CHECK eyrie_error_t* eyrie_host_call_new_array(
    eyrie_host_call_t* call, eyrie_dtype_t dtype, size_t rank,
    const int64_t* shape, void** out_data, eyrie_value_t** out_value);
/* Returns an argument of any type as a value, which the caller must free and
 * may keep after the call. It shares the elements of arrays with the module,
 * which may change them later. OUT_OF_RANGE: `index` is not less than the
 * number of arguments. RESOURCE_EXHAUSTED: no memory. */
EYRIE_EXPORT EYRIE_CHECK eyrie_error_t* eyrie_host_call_copy_argument(
    eyrie_host_call_t* call, size_t index, eyrie_value_t** out_value);
/* Sets all results of the call from values of any kind, which are converted as
 * arguments of a call are. This takes ownership of the values, even if it
 * fails. `results` is that of the function. INVALID_ARGUMENT: the function has
 * another number of results, or a number does not fit its type. A second call
 * frees the values of the first. */
EYRIE_EXPORT EYRIE_CHECK eyrie_error_t* eyrie_host_call_set_results(
    eyrie_host_call_t* call, eyrie_value_t* const* values, size_t count,
    eyrie_slot_t* results);
/* Charges `fuel` units to the running call; 0 only checks it. Long functions
 * must call this now and then. If it returns an error, the call was cancelled
 * or has exceeded a limit, and the function must return this error. */
EYRIE_EXPORT EYRIE_CHECK eyrie_error_t* eyrie_host_call_check(
    eyrie_host_call_t* call, uint32_t fuel);

/* ---- Objects of the host ------------------------------------------------ */

/* Creates a reference to an object of the host. Modules can keep it and pass it
 * on; host functions take it as an argument "ref<type>". `free(object)` is
 * called once, on any thread, when no value, module or context refers to the
 * object any more. It may be NULL. `object` must not be NULL.
 *
 * The name alone tells C functions what `object` points to, so it must belong
 * to one type of the program. Objects of C++ (std::shared_ptr, host_types.h)
 * are named after their types; do not use such a name. */
EYRIE_EXPORT eyrie_value_t* eyrie_value_new_object(const char* type,
                                                   void* object,
                                                   void (*free)(void* object));
/* Returns the object, or NULL if the value is not an object of this type. */
EYRIE_EXPORT void* eyrie_value_get_object(const eyrie_value_t* value,
                                          const char* type);

/* ---- Linkers ------------------------------------------------------------ */

/* An eyrie_linker_t is a set of host functions, for any number of contexts. A
 * context takes the functions that are defined when it is created. Two threads
 * must not define functions at the same time, or while a context is created. */
EYRIE_EXPORT eyrie_linker_t* eyrie_linker_create(void);
EYRIE_EXPORT void eyrie_linker_retain(eyrie_linker_t* linker);
/* Releases a reference; NULL is allowed. Contexts keep their functions. */
EYRIE_EXPORT void eyrie_linker_release(eyrie_linker_t* linker);

/* Defines the function "module.function". `signature` has the types of the
 * arguments and the results, as a module declares them or as a signature's text
 * shows them:
 *
 *   "(tensor<?xf32>, i32) -> tensor<?xf32>"   "(?xf32, bytes) -> (f32, list)"
 *
 *   i1, i8 … i64, ui8 … ui64, index, f16, bf16, f32, f64   numbers
 *   4xf32, ?x4xf32, *xf32, array, tensor<…>                arrays
 *   bytes, !util.buffer                                    bytes or text
 *   list, list<i32>, [i32, f32], (i32, f32), {a: i32}      lists, tuples, dicts
 *   ref<name>                                              objects of the host
 *   any                                                    any reference
 *
 * A module passes lists, tuples and dicts as lists, a dict's items in the order
 * of its keys. Arguments may have names: "(x: f32)". "async (…) -> …" is a
 * function that gets two fences. A module may also import any other function
 * with fences; the library then waits for one and signals the other. Arguments
 * are checked before a call.
 *
 * `free_user(user)` is called once, when neither the linker nor a context can
 * call the function any more, or before this returns an error. It may be NULL.
 *
 * INVALID_ARGUMENT: the name is not "module.function", or the signature is
 * malformed. UNIMPLEMENTED: a number of another type. ALREADY_EXISTS: the name
 * is already defined. */
EYRIE_EXPORT EYRIE_CHECK eyrie_error_t* eyrie_linker_define(
    eyrie_linker_t* linker, const char* name, const char* signature,
    eyrie_host_function_t function, void* user, void (*free_user)(void* user));

/* Gives each context its own state for the functions of a module. `create` sets
 * `out_state`, or returns an error, with which the context cannot be created.
 * `free(state)` is called when the context is freed, after all calls; it may be
 * NULL. `free_user` is as above. ALREADY_EXISTS: the module has a state. */
EYRIE_EXPORT EYRIE_CHECK eyrie_error_t* eyrie_linker_set_state(
    eyrie_linker_t* linker, const char* module,
    eyrie_error_t* (*create)(void* user, void** out_state),
    void (*free)(void* state), void* user, void (*free_user)(void* user));

/* Adds all functions of a native library, which may also be one of this program
 * (eyrie_native_library_open). ALREADY_EXISTS: a name is already defined.
 * After an error, the linker keeps the functions that were added before it. */
EYRIE_EXPORT EYRIE_CHECK eyrie_error_t* eyrie_linker_add_library(
    eyrie_linker_t* linker, eyrie_native_library_t* library);

/* Defines a function that MLIR lowered to memref descriptors, and that is
 * linked into this program: `function` is "_mlir_ciface_…", and `type` its
 * type, such as "(memref<?xf32>, f32) -> memref<?xf32>" (docs/native.md). A
 * wrong type is undefined behaviour. Errors are those of eyrie_linker_define;
 * UNIMPLEMENTED: memref functions do not run on this machine. */
EYRIE_EXPORT EYRIE_CHECK eyrie_error_t* eyrie_linker_define_memref(
    eyrie_linker_t* linker, const char* name, const char* type, void* function);
/* Defines an XLA FFI handler that is linked into this program. `declaration` is
 * the JSON object of the function in a manifest, without "convention" and
 * "symbol": {"arguments": ["?xf32"], "results": [{"like": 0}]}. */
EYRIE_EXPORT EYRIE_CHECK eyrie_error_t* eyrie_linker_define_xla_ffi(
    eyrie_linker_t* linker, const char* name, const char* declaration,
    void* handler);

/* Returns the number of functions. */
EYRIE_EXPORT size_t eyrie_linker_count(const eyrie_linker_t* linker);
/* Returns the name of a function, such as "host.scale", in order. NULL if
 * `index` is not less than the count. Valid until the linker changes. */
EYRIE_EXPORT const char* eyrie_linker_name(const eyrie_linker_t* linker,
                                           size_t index);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* EYRIE_C_LINKER_H_ */
