/* Eyrie's C API: what calls did and when, for trace viewers, and what each
 * kernel took.
 *
 * A trace is the process's: from its start to its stop all threads, devices
 * and contexts note in it what they do. There is one at a time. Start and stop
 * are any thread's, while calls run; a handle is used by one thread at a time.
 */
#ifndef EYRIE_C_TRACE_H_
#define EYRIE_C_TRACE_H_

#include "eyrie/c_base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct eyrie_trace_t eyrie_trace_t;

typedef struct eyrie_trace_options_t {
  size_t struct_size; /* sizeof(eyrie_trace_options_t) */
  /* Nonzero: only what kernels took is kept, not what happened when. */
  int kernels_only;
  /* Bytes that it may take; what comes later is counted only. 0: 256 MiB. */
  uint64_t max_bytes;
} eyrie_trace_options_t;

/* Options may be NULL. FAILED_PRECONDITION: a trace is being recorded. */
EYRIE_EXPORT eyrie_error_t* eyrie_trace_start(
    const eyrie_trace_options_t* options, eyrie_trace_t** out_trace);
/* Nothing is noted any more. A second time it does nothing. */
EYRIE_EXPORT void eyrie_trace_stop(eyrie_trace_t* trace);

/* All below stop it first. */

/* Writes it as JSON that ui.perfetto.dev and chrome://tracing open. A file that
 * exists keeps its links, mode and owner, and also its content unless the new
 * one is complete. NOT_FOUND, PERMISSION_DENIED, INVALID_ARGUMENT (a
 * directory), RESOURCE_EXHAUSTED (a full disk), FAILED_PRECONDITION (this
 * process has the file mapped) or INTERNAL. */
EYRIE_EXPORT eyrie_error_t* eyrie_trace_write_file(eyrie_trace_t* trace,
                                                   const char* path);

/* Takes pieces of a text in turn; nonzero ends the writing. */
typedef int (*eyrie_sink_t)(void* user, const char* text, size_t size);

/* The same to a function. ABORTED: it has ended the writing. */
EYRIE_EXPORT eyrie_error_t* eyrie_trace_write(eyrie_trace_t* trace,
                                              eyrie_sink_t sink, void* user);

/* Events that found no room. */
EYRIE_EXPORT uint64_t eyrie_trace_dropped(eyrie_trace_t* trace);

/* What the dispatches of a kernel took. */
typedef struct eyrie_kernel_time_t {
  const char* name; /* valid as long as the trace */
  uint64_t dispatches;
  uint64_t workgroups;
  double total_ns; /* of all threads together */
} eyrie_kernel_time_t;

/* Kernels by the time they took, the longest first. */
EYRIE_EXPORT size_t eyrie_trace_kernel_count(eyrie_trace_t* trace);
/* `index` below the count, else all fields are 0. */
EYRIE_EXPORT eyrie_kernel_time_t eyrie_trace_kernel(eyrie_trace_t* trace,
                                                    size_t index);

/* Stops it, if that has not been done. NULL is allowed. */
EYRIE_EXPORT void eyrie_trace_free(eyrie_trace_t* trace);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* EYRIE_C_TRACE_H_ */
