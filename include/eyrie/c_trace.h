/* Eyrie's C API: records the times of calls for trace viewers, and the time
 * that each kernel takes.
 *
 * A trace records the whole process: all threads, devices and contexts. The
 * process can record only one at a time. A trace may be started and stopped on
 * any thread while calls run, but only one thread at a time may use its handle.
 */
#ifndef EYRIE_C_TRACE_H_
#define EYRIE_C_TRACE_H_

#include "eyrie/c_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A recording, which is active until it is stopped. */
typedef struct eyrie_trace_t eyrie_trace_t;

typedef struct eyrie_trace_options_t {
  size_t struct_size; /* sizeof(eyrie_trace_options_t), or an older one's */
  /* Nonzero: only the times of kernels are recorded, no single events. */
  int32_t kernels_only;
  int32_t reserved; /* 0 */
  /* The most memory that the trace may use, in bytes; 0 means 256 MiB. Further
   * events are dropped and counted. */
  uint64_t max_bytes;
} eyrie_trace_options_t;

/* Starts a recording. `options` may be NULL. FAILED_PRECONDITION: the process
 * is already recording a trace. INVALID_ARGUMENT: a struct_size that is too
 * small, or a member that this library does not know. */
EYRIE_EXPORT EYRIE_CHECK eyrie_error_t* eyrie_trace_create(
    const eyrie_trace_options_t* options, eyrie_trace_t** out_trace);
/* Stops the recording. Does nothing if it is already stopped. */
EYRIE_EXPORT void eyrie_trace_stop(eyrie_trace_t* trace);

/* All functions below stop the recording first. */

/* Writes the trace to a file as JSON, which ui.perfetto.dev and
 * chrome://tracing can open. An existing file keeps its links, mode and owner;
 * its content is replaced only by a complete trace.
 *
 * NOT_FOUND: the folder does not exist. PERMISSION_DENIED: the file may not be
 * written. INVALID_ARGUMENT: a directory. RESOURCE_EXHAUSTED: the disk is full.
 * FAILED_PRECONDITION: this process uses the file, for example as a mapped
 * module. INTERNAL: another error of the system. */
EYRIE_EXPORT EYRIE_CHECK eyrie_error_t* eyrie_trace_write_file(
    eyrie_trace_t* trace, const char* path);

/* Receives the next `size` bytes of a text, which are valid during the call.
 * Returns 0 to continue, or another number to abort. */
typedef int (*eyrie_sink_t)(void* user, const char* text, size_t size);

/* Passes the JSON to a function. ABORTED: `sink` has aborted the writing. */
EYRIE_EXPORT EYRIE_CHECK eyrie_error_t* eyrie_trace_write(eyrie_trace_t* trace,
                                                          eyrie_sink_t sink,
                                                          void* user);

/* Returns the number of events that were dropped, see max_bytes. */
EYRIE_EXPORT uint64_t eyrie_trace_dropped(eyrie_trace_t* trace);

/* The time that all dispatches of a kernel took. */
typedef struct eyrie_kernel_time_t {
  size_t struct_size; /* set by the library */
  const char* name;   /* valid as long as the trace */
  uint64_t dispatches;
  uint64_t workgroups;
  double total_ns; /* nanoseconds, the sum over all threads */
} eyrie_kernel_time_t;

/* Returns the number of kernels that were dispatched. */
EYRIE_EXPORT size_t eyrie_trace_kernel_count(eyrie_trace_t* trace);
/* Returns a kernel, in descending order of total_ns, which is valid as long as
 * the trace. NULL if `index` is not less than the count. */
EYRIE_EXPORT const eyrie_kernel_time_t* eyrie_trace_kernel(eyrie_trace_t* trace,
                                                           size_t index);

/* Stops the recording and frees the trace. NULL is allowed. */
EYRIE_EXPORT void eyrie_trace_free(eyrie_trace_t* trace);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* EYRIE_C_TRACE_H_ */
