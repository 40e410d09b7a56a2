/* Fences, which calls wait for and signal (eyrie_call_options_t).
 *
 * If one call signals the fence that another call waits for, the calls form a
 * chain in which no thread waits. c.h includes this.
 */
#ifndef EYRIE_C_FENCE_H_
#define EYRIE_C_FENCE_H_

#include "eyrie/c_base.h"
#include "eyrie/c_device.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An event that is reached once or fails permanently. Thread-safe. */
typedef struct eyrie_fence_t eyrie_fence_t;

/* Creates a fence that is not reached. The host or a call may signal it.
 * FAILED_PRECONDITION: the device belongs to the parent of this forked process
 * and has threads. RESOURCE_EXHAUSTED: no memory. */
EYRIE_EXPORT EYRIE_CHECK eyrie_error_t* eyrie_fence_create(
    eyrie_device_t* device, eyrie_fence_t** out_fence);
EYRIE_EXPORT void eyrie_fence_retain(eyrie_fence_t* fence);
/* Releases a reference; NULL is allowed. If the last reference is released and
 * nothing else can signal the fence, everything that waits for it fails with
 * CANCELLED. */
EYRIE_EXPORT void eyrie_fence_release(eyrie_fence_t* fence);

/* Marks the fence as reached. INVALID_ARGUMENT: it is already reached. If the
 * fence has failed, returns that failure. */
EYRIE_EXPORT EYRIE_CHECK eyrie_error_t* eyrie_fence_signal(
    eyrie_fence_t* fence);
/* Fails the fence. Everything that waits for it fails with this code and the
 * first 32 KiB of the message. `code` must not be EYRIE_OK, which is replaced
 * by EYRIE_UNKNOWN. Does nothing if the fence has already failed. */
EYRIE_EXPORT void eyrie_fence_fail(eyrie_fence_t* fence, eyrie_code_t code,
                                   const char* message);

/* Sets `out_reached` to 1 if the fence is reached, else to 0. If the fence has
 * failed, returns that failure. */
EYRIE_EXPORT EYRIE_CHECK eyrie_error_t* eyrie_fence_query(eyrie_fence_t* fence,
                                                          int* out_reached);
/* Blocks until the fence is reached, for at most `timeout_ns` nanoseconds, or
 * without a limit if that is negative. DEADLINE_EXCEEDED: the fence was not
 * reached in time. If the fence fails, returns that failure. */
EYRIE_EXPORT EYRIE_CHECK eyrie_error_t* eyrie_fence_wait(eyrie_fence_t* fence,
                                                         int64_t timeout_ns);

/* Receives NULL if the fence was reached, else its failure, which the callback
 * must free. Must not block. */
typedef void (*eyrie_done_t)(void* user, eyrie_error_t* error);
/* Calls `done` exactly once: when the fence is reached or fails, or with
 * CANCELLED if the fence is destroyed before. `done` is called on the thread
 * that signals or fails the fence, which may be a thread of a device. If the
 * fence is already reached or has failed, it is called before this returns. */
EYRIE_EXPORT void eyrie_fence_on_done(eyrie_fence_t* fence, eyrie_done_t done,
                                      void* user);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* EYRIE_C_FENCE_H_ */
