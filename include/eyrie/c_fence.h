/* Fences: what is to come first, and calls that begin when it has come.
 *
 * A call gets the fence that another signals as the one it waits for, and so
 * on: no thread waits in between. c.h has the rest of the API.
 */
#ifndef EYRIE_C_FENCE_H_
#define EYRIE_C_FENCE_H_

#include "eyrie/c.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Something that is reached once, or fails for good. Thread-safe. */
typedef struct eyrie_fence_t eyrie_fence_t;

/* A fence that is not reached: for the host to signal, or a call. */
EYRIE_EXPORT eyrie_error_t* eyrie_fence_create(eyrie_device_t* device,
                                               eyrie_fence_t** out_fence);
EYRIE_EXPORT void eyrie_fence_retain(eyrie_fence_t* fence);
/* NULL is allowed. What waits for a fence that is gone, and that nothing else
 * is going to signal, fails with CANCELLED. */
EYRIE_EXPORT void eyrie_fence_release(eyrie_fence_t* fence);

/* INVALID_ARGUMENT: it is reached already. A fence that failed gives its
 * failure. */
EYRIE_EXPORT eyrie_error_t* eyrie_fence_signal(eyrie_fence_t* fence);
/* Fails the fence, with a code that is not EYRIE_OK; all that waits for it
 * fails with the code and the first 32 KiB of the message. Of no effect on one
 * that has failed. */
EYRIE_EXPORT void eyrie_fence_fail(eyrie_fence_t* fence, eyrie_code_t code,
                                   const char* message);

/* Sets `out_reached` to 1 or 0. The fence's failure, if it has failed. */
EYRIE_EXPORT eyrie_error_t* eyrie_fence_query(eyrie_fence_t* fence,
                                              int* out_reached);
/* Blocks for at most so long, or below 0 for as long as it takes.
 * DEADLINE_EXCEEDED: not reached by then. Else the fence's failure. */
EYRIE_EXPORT eyrie_error_t* eyrie_fence_wait(eyrie_fence_t* fence,
                                             int64_t timeout_ns);

/* `error` is NULL if the fence was reached, else its failure, which the
 * callback frees. It must not block. */
typedef void (*eyrie_done_t)(void* user, eyrie_error_t* error);
/* Has `done` called exactly once: when the fence is reached or fails; with
 * CANCELLED if it goes away before. On the thread that signals or fails it,
 * which may be one of a device; within this function if that has been. */
EYRIE_EXPORT void eyrie_fence_on_done(eyrie_fence_t* fence, eyrie_done_t done,
                                      void* user);

/* Calls without waiting for results, else as eyrie_function_call_named. An
 * asynchronous function begins when `wait` is reached (NULL: at once), and
 * this returns before; another is called by this thread, which waits for
 * `wait`. `signal` is reached when the results are ready, and fails with
 * whatever the call fails with.
 *
 * Numbers among the results are ready when this returns, elements of arrays
 * when `signal` is reached. Arrays that are not ready yet may be arguments of
 * a call that waits for them, if they are lent (eyrie_value_lend); what is
 * lent stays as it is until `signal` is reached. If the context ends first,
 * what still waits fails with CANCELLED. The limit of time holds for what this
 * thread does in here. */
EYRIE_EXPORT eyrie_error_t* eyrie_function_start(
    eyrie_function_t* function, eyrie_value_t* const* arguments,
    size_t argument_count, const char* const* names, size_t name_count,
    eyrie_fence_t* wait, eyrie_fence_t* signal, eyrie_value_t** results,
    size_t result_capacity);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* EYRIE_C_FENCE_H_ */
