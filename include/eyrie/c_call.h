/* Functions and calls.
 *
 *   eyrie_call_args_t args = {.struct_size = sizeof(args),
 *                             .values = values, .value_count = 2};
 *   eyrie_call_options_t options = {.struct_size = sizeof(options),
 *                                   .timeout_ns = 50 * 1000 * 1000};
 *   error = eyrie_function_call(function, &args, &options, results, 1);
 *
 * Functions are called once, repeatedly with the same arguments (_prepare), or
 * in pieces (_begin). c.h includes this.
 */
#ifndef EYRIE_C_CALL_H_
#define EYRIE_C_CALL_H_

#include "eyrie/c_base.h"
#include "eyrie/c_device.h"
#include "eyrie/c_fence.h"
#include "eyrie/c_value.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Functions ---------------------------------------------------------- */

/* A function of a context, which owns it (eyrie_context_find_function). It is
 * valid as long as the context, and must not be used by two threads at the same
 * time. A caller that keeps a function retains its context. */
typedef struct eyrie_function_t eyrie_function_t;

/* An argument or a result. */
typedef struct eyrie_argument_info_t {
  size_t struct_size;   /* set by the library */
  const char* name;     /* or "" */
  const char* type;     /* "?x4xf32", "{a: i32, b: bytes}" */
  int32_t is_keyword;   /* nonzero: the argument may be passed by name */
  int32_t storage_of;   /* index of the result that this argument is storage
                         * for, or -1 */
  eyrie_kind_t kind;    /* of its values */
  eyrie_dtype_t dtype;  /* of numbers and arrays, or EYRIE_DTYPE_NONE */
  int64_t rank;         /* of arrays; -1 if unknown or not an array */
  const int64_t* shape; /* `rank` dimensions; -1 for each unknown one */
} eyrie_argument_info_t;

/* The arguments and results of a function. They come from its metadata, or else
 * from the declaration in the source, or else from what the code checks and the
 * types of registers. The strings are valid as long as the function. */
typedef struct eyrie_signature_t {
  size_t struct_size; /* set by the library */
  const char* text;   /* "add(x: 4xf32, y: ?xf32) -> 4xf32" */
  const char* json;   /* an object, as `eyrie dump --json` prints it */
  const char* source; /* "iree.abi", "calling convention", ... */
  const char* doc;    /* the function's documentation, or "" */
  const char* error;  /* why the metadata is malformed and not used, or "" */
  size_t argument_count;
  const eyrie_argument_info_t* const* arguments;
  size_t result_count;
  const eyrie_argument_info_t* const* results;
  /* Nonzero: the function returns before its results are ready, and signals a
   * fence when they are (eyrie_call_options_t::signal). */
  int32_t is_async;
  int32_t reserved; /* 0 */
} eyrie_signature_t;

EYRIE_EXPORT const eyrie_signature_t* eyrie_function_signature(
    const eyrie_function_t* function);

/* ---- Arguments ---------------------------------------------------------- */

/* The arguments of a call, and arrays for its results. Everything is borrowed
 * until the function that takes it returns. No value changes, except for the
 * elements of lent arrays and of `outs`. */
typedef struct eyrie_call_args_t {
  size_t struct_size; /* sizeof(eyrie_call_args_t), or an older one's */
  eyrie_value_t* const* values; /* the arguments; a NULL entry is null */
  size_t value_count;
  const char* const* names; /* of the last `name_count` values; the others are
                             * passed by position */
  size_t name_count;
  /* At most one entry for each result, in order. An array gets the elements of
   * the result, and the result is a value that shares its memory; NULL leaves
   * the result to the call. A function that takes storage for the result writes
   * to the array itself, if that is dense, aligned to 64 bytes and not lent to
   * the call; any other result is copied. If the call fails, the arrays may
   * have been written to. */
  eyrie_value_t* const* outs;
  size_t out_count;
} eyrie_call_args_t;

/* ---- Options ------------------------------------------------------------ */

/* Cancels calls from other threads. Thread-safe; reference counted. Any number
 * of calls, also of several contexts, may use the same token. A token stays
 * cancelled; use a new one for the next calls. */
typedef struct eyrie_cancel_token_t eyrie_cancel_token_t;

EYRIE_EXPORT eyrie_cancel_token_t* eyrie_cancel_token_create(void);
EYRIE_EXPORT void eyrie_cancel_token_retain(eyrie_cancel_token_t* token);
EYRIE_EXPORT void eyrie_cancel_token_release(eyrie_cancel_token_t* token);

/* Ends all calls that use the token with CANCELLED: those that run, at the same
 * points as a timeout, and later ones before the module's code runs. Calls that
 * have ended are not affected, nor are calls without this token. Wakes pending
 * calls. Must not be called by a signal handler. */
EYRIE_EXPORT void eyrie_cancel_token_cancel(eyrie_cancel_token_t* token);
/* Returns nonzero after eyrie_cancel_token_cancel. */
EYRIE_EXPORT int eyrie_cancel_token_is_cancelled(
    const eyrie_cancel_token_t* token);

/* The options of one call. A field that is 0 has no effect. The struct may be
 * used for any number of calls, at the same time, too. Objects in it are
 * borrowed; a call that needs them for longer retains them.
 *
 * If a call exceeds its options, it fails with RESOURCE_EXHAUSTED (fuel),
 * DEADLINE_EXCEEDED (timeout) or CANCELLED (cancel), and the context can still
 * be called. Globals of modules keep what the call wrote, so a module may have
 * stopped halfway through a change of them; to be sure, create a new context.
 * The limits of the context apply to such calls, too, and still fail it: those
 * of memory and stack always, those of fuel and time unless the call's own
 * limit is lower. */
typedef struct eyrie_call_options_t {
  size_t struct_size; /* sizeof(eyrie_call_options_t), or an older one's */
  uint64_t fuel;      /* units, counted as eyrie_context_options_t::fuel */
  int64_t timeout_ns; /* from the start of the call until its results are ready;
                       * nanoseconds */
  eyrie_cancel_token_t* cancel;
  /* Allocates the memory of the arrays in the results, aligned to 64 bytes. A
   * function that takes storage for a result writes to this memory itself (not
   * in a prepared or pending call); any other result is copied to it, unless it
   * is written to an array of the caller. The bytes count as memory of the
   * context until they are freed: on any thread, when the value and its copies
   * are freed and no module uses them. If the allocator returns NULL, the call
   * fails with RESOURCE_EXHAUSTED; if the memory is not aligned, with
   * FAILED_PRECONDITION. */
  eyrie_allocator_t* allocator;
  /* The call begins when this fence is reached. If the fence fails, so does the
   * call. */
  eyrie_fence_t* wait;
  /* The call signals this fence when its results are ready, or fails it with
   * its own error. eyrie_function_call and eyrie_prepared_call_run then return
   * without waiting for the results; see eyrie_function_call. */
  eyrie_fence_t* signal;
} eyrie_call_options_t;

/* ---- Calls -------------------------------------------------------------- */

/* Calls the function and waits for its results. `args` may be NULL for a
 * function without arguments, and `options` may be NULL.
 *
 * `results` has `result_capacity` entries. **The caller must initialize them.**
 * An entry that is NULL receives a new value, which the caller must free; the
 * value of any other entry is replaced by the result. If results are reused in
 * this way, calls with numbers allocate nothing. A value may be both argument
 * and result. Results are not written if the call fails.
 *
 * With `options->signal`, this does not wait. An asynchronous function begins
 * when `options->wait` is reached, or at once if that is NULL, and this returns
 * before it ends. If the call fails, `signal` fails with the same error; this
 * returns the error too if it is known by then. Numbers among the results are
 * valid when this returns; the elements of arrays are valid only when `signal`
 * is reached. Before that, such an array may already be passed to a call that
 * waits for `signal`, if it is lent (EYRIE_ACCESS_LEND). Lent memory must not
 * be changed or freed until `signal` is reached. If the context is freed first,
 * calls that still wait fail with CANCELLED.
 *
 * Otherwise the call runs on this thread after the wait for `options->wait`:
 * without `signal`, if the function is not asynchronous, or if there are `outs`
 * or an allocator, because results may have to be copied. The results are ready
 * when this returns. The timeout of the context does not include the wait.
 *
 * INVALID_ARGUMENT: an argument is missing, unexpected, passed twice, or does
 * not match the signature; there are more names than values; `results` is too
 * small (checked before the call); an array in `outs` is read-only, has another
 * shape or dtype than its result, has elements that share memory, or overlaps
 * the array of another result (only what the signature leaves open is checked
 * after the call); a negative timeout; `wait` and `signal` are the same fence;
 * a struct_size that is too small, or a field that this library does not know.
 * RESOURCE_EXHAUSTED: a limit is exceeded, there is no memory, or an argument
 * is of EYRIE_KIND_NO_MEMORY. DEADLINE_EXCEEDED, CANCELLED: the call was
 * stopped. FAILED_PRECONDITION: the context has failed before; or limits are
 * given for a call that a host function makes while another call of the same
 * context runs, whose limits apply; or the call would run on this thread after
 * a wait for a signal of the host, which could wait without end because neither
 * the context nor the call has a timeout or a token. Otherwise the error of the
 * function. */
EYRIE_EXPORT EYRIE_CHECK eyrie_error_t* eyrie_function_call(
    eyrie_function_t* function, const eyrie_call_args_t* args,
    const eyrie_call_options_t* options, eyrie_value_t** results,
    size_t result_capacity);

/* ---- Prepared calls ----------------------------------------------------- */

/* A call that is made repeatedly, with arguments that are checked and converted
 * only once. Retains the context, and must be used on its thread. */
typedef struct eyrie_prepared_call_t eyrie_prepared_call_t;

/* Prepares a call. The values may be freed or changed afterwards. The elements
 * of lent arrays are read at every call, provided that
 * eyrie_function_statistics counts them as lent and not as copied; all other
 * arguments keep their present values. Copies of arguments, and storage for
 * results that is not passed, are created only once: a function that writes to
 * them sees what the previous call has left there. Each call writes to the same
 * `outs`, whose memory must remain valid as long as the prepared call.
 * INVALID_ARGUMENT and RESOURCE_EXHAUSTED as for eyrie_function_call. */
EYRIE_EXPORT EYRIE_CHECK eyrie_error_t* eyrie_function_prepare(
    eyrie_function_t* function, const eyrie_call_args_t* args,
    eyrie_prepared_call_t** out_prepared);

/* Makes the call. Options, results and errors are as for eyrie_function_call.
 * With `signal`, the next call must not begin before that is reached, unless it
 * waits for it. */
EYRIE_EXPORT EYRIE_CHECK eyrie_error_t* eyrie_prepared_call_run(
    eyrie_prepared_call_t* prepared, const eyrie_call_options_t* options,
    eyrie_value_t** results, size_t result_capacity);

/* Frees the call and releases its context. NULL is allowed. */
EYRIE_EXPORT void eyrie_prepared_call_free(eyrie_prepared_call_t* prepared);

/* ---- Calls in pieces ---------------------------------------------------- */

/* A call that the host's event loop drives. It runs in pieces: a piece ends if
 * the function yields or waits for a fence. Between pieces the context may be
 * used for other calls. Retains the context, and must be used on its thread. */
typedef struct eyrie_pending_call_t eyrie_pending_call_t;

/* Tells the host to call eyrie_pending_call_poll soon, on the context's thread.
 * May be called on any thread, but not on two at the same time. Must not use
 * the call itself, or wait for the context's thread. */
typedef void (*eyrie_wake_t)(void* user);

/* Begins a call. The first piece is ready when this returns, so the host must
 * poll the call without waiting for `wake`. After the first poll has begun,
 * `wake(user)` is called each time the call can continue, on any thread, until
 * the call is freed; never before this returns.
 *
 * The options apply to all pieces of the call together, and to the time between
 * them. When the timeout passes or the token is cancelled, `wake` is called,
 * and the next poll ends the call. It is then over, also if devices still work
 * for it: their work is stopped, and the memory that it uses is kept until it
 * has ended. `options->signal` is signalled by the poll that ends the call; it
 * fails with CANCELLED if the call is freed before. The memory of `outs` must
 * remain valid until the call is freed.
 *
 * INVALID_ARGUMENT, RESOURCE_EXHAUSTED: as for eyrie_function_call; `signal`
 * fails with such an error, too. The error of the function is returned by
 * eyrie_pending_call_results. */
EYRIE_EXPORT EYRIE_CHECK eyrie_error_t* eyrie_function_begin(
    eyrie_function_t* function, const eyrie_call_args_t* args,
    const eyrie_call_options_t* options, eyrie_wake_t wake, void* user,
    eyrie_pending_call_t** out_call);

/* Runs the next piece, if it is ready. Returns nonzero if the call is over. */
EYRIE_EXPORT int eyrie_pending_call_poll(eyrie_pending_call_t* call);

/* Stores the results of a call that is over, as eyrie_function_call does. May
 * be called only once. FAILED_PRECONDITION: the call has not finished, or its
 * results have been taken. INVALID_ARGUMENT: `results` is too small; this may
 * be called again. Otherwise the error of the call. */
EYRIE_EXPORT EYRIE_CHECK eyrie_error_t* eyrie_pending_call_results(
    eyrie_pending_call_t* call, eyrie_value_t** results,
    size_t result_capacity);

/* Frees the call, even if it is not over; the rest of it does not run. Releases
 * its context. `wake` is not called after this returns. NULL is allowed. */
EYRIE_EXPORT void eyrie_pending_call_free(eyrie_pending_call_t* call);

/* ---- Statistics --------------------------------------------------------- */

/* How many arrays of a call, arguments and results together, were */
typedef struct eyrie_call_statistics_t {
  size_t struct_size; /* set by the library */
  uint32_t lent;      /* used in place */
  uint32_t copied;    /* copied unchanged */
  uint32_t packed;    /* made dense from strides or lists */
  uint32_t converted; /* converted to another element type */
  uint64_t bytes;     /* the bytes copied, packed or converted */
} eyrie_call_statistics_t;

/* Returns the statistics of the last call of this function, valid until the
 * next call of it. */
EYRIE_EXPORT const eyrie_call_statistics_t* eyrie_function_statistics(
    eyrie_function_t* function);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* EYRIE_C_CALL_H_ */
