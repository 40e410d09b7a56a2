/* Limits of single calls, and what calls use.
 *
 *   eyrie_call_options_t options = {sizeof(options)};
 *   options.timeout_ns = 50 * 1000 * 1000;
 *   error = eyrie_function_call_with(function, arguments, 2, NULL, 0, &options,
 *                                    results, 1);
 */
#ifndef EYRIE_C_LIMITS_H_
#define EYRIE_C_LIMITS_H_

/* If a call exceeds one of its options, it fails with RESOURCE_EXHAUSTED
 * (fuel), DEADLINE_EXCEEDED (timeout) or CANCELLED (cancel), and the context
 * can still be called. Globals of modules keep what the call wrote, so a module
 * may have stopped halfway through a change of them; to be sure, create a new
 * context. The limits of the context apply to such calls, too, and still fail
 * it: those of memory and stack always, those of fuel and time unless the
 * call's own limit is lower. */
#include "eyrie/c.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Cancel tokens ------------------------------------------------------ */

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

/* ---- Calls with options ------------------------------------------------- */

/* The options of one call. A field that is 0 has no effect. */
typedef struct eyrie_call_options_t {
  size_t struct_size; /* sizeof(eyrie_call_options_t), or an older one's */
  uint64_t fuel;      /* units, counted as eyrie_context_options_t::fuel */
  int64_t timeout_ns; /* from the start of the call until its results are ready;
                       * nanoseconds */
  eyrie_cancel_token_t* cancel; /* the call retains it */
  /* Allocate and free the memory of the arrays in the results, aligned to 64
   * bytes. Both or neither must be NULL. A function that takes storage for a
   * result writes to this memory itself (not in a prepared or pending call);
   * any other result is copied to it, unless it is written to an array of the
   * caller. The bytes count as memory of the context until `deallocate` is
   * called: on any thread, when the value and its copies are freed and no
   * module uses them. Must not throw or call the library. If `allocate` returns
   * NULL, the call fails with RESOURCE_EXHAUSTED; if the memory is not aligned,
   * with FAILED_PRECONDITION. */
  eyrie_allocate_t allocate;
  eyrie_deallocate_t deallocate;
  void* allocator_data;
  /* Called once after the last deallocate of this call, even if the call fails.
   * May be NULL. */
  void (*free_allocator_data)(void* allocator_data);
} eyrie_call_options_t;

/* Calls a function as eyrie_function_call_named does, with options, which may
 * be NULL. The errors are those of eyrie_function_call_named, and also:
 *
 * INVALID_ARGUMENT: a struct_size that is too small, a field that this library
 * does not know, a negative timeout, or only one of the allocator functions.
 * FAILED_PRECONDITION: options are given for a call that a host function makes
 * while another call of the same context runs; its limits are those of the
 * other call. */
EYRIE_EXPORT eyrie_error_t* eyrie_function_call_with(
    eyrie_function_t* function, eyrie_value_t* const* arguments,
    size_t argument_count, const char* const* names, size_t name_count,
    const eyrie_call_options_t* options, eyrie_value_t** results,
    size_t result_capacity);

/* The same for eyrie_function_call_out. */
EYRIE_EXPORT eyrie_error_t* eyrie_function_call_out_with(
    eyrie_function_t* function, eyrie_value_t* const* arguments,
    size_t argument_count, const char* const* names, size_t name_count,
    eyrie_value_t* const* outs, size_t out_count,
    const eyrie_call_options_t* options, eyrie_value_t** results,
    size_t result_capacity);

/* The same for eyrie_prepared_call. */
EYRIE_EXPORT eyrie_error_t* eyrie_prepared_call_with(
    eyrie_prepared_t* prepared, const eyrie_call_options_t* options,
    eyrie_value_t** results, size_t result_capacity);

/* The same for eyrie_function_begin. The options apply to all pieces of the
 * call together, and to the time between them. When the timeout passes or the
 * token is cancelled, `wake` is called, and the next eyrie_call_run ends the
 * call. It is then over, also if devices still work for it: their work is
 * stopped, and the memory that it uses is kept until it has ended. */
EYRIE_EXPORT eyrie_error_t* eyrie_function_begin_with(
    eyrie_function_t* function, eyrie_value_t* const* arguments,
    size_t argument_count, const char* const* names, size_t name_count,
    const eyrie_call_options_t* options, eyrie_wake_t wake, void* user,
    eyrie_call_t** out_call);

/* ---- Usage -------------------------------------------------------------- */

/* The fuel and memory that a context uses. */
typedef struct eyrie_context_usage_t {
  size_t struct_size;   /* set by the caller */
  uint64_t fuel;        /* units that the last call used, without those of
                         * devices; for a pending call, all its pieces; before
                         * the first call, those of the last initializer */
  uint64_t memory;      /* bytes in use. This and the next are counted only for
                         * contexts with max_memory, and are 0 for others */
  uint64_t peak_memory; /* the most bytes that were in use at a time */
} eyrie_context_usage_t;

/* Fills the fields that this library and struct_size have. Must be called on
 * the context's thread, while no call runs. INVALID_ARGUMENT: a struct_size
 * that is too small. */
EYRIE_EXPORT eyrie_error_t* eyrie_context_usage(const eyrie_context_t* context,
                                                eyrie_context_usage_t* usage);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* EYRIE_C_LIMITS_H_ */
