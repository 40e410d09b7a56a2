/* The state of a context: globals by name, and snapshots of all globals.
 *
 *   eyrie_snapshot_t* ready = NULL;
 *   error = eyrie_snapshot_create(context, &ready);
 *   options.snapshot = ready;  // for contexts that begin where this one is
 */
#ifndef EYRIE_C_STATE_H_
#define EYRIE_C_STATE_H_

#include "eyrie/c.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Globals ------------------------------------------------------------ */

/* A global that a module exports: a public ml_program.global of its source.
 * Other globals have no names in the file. The strings are valid as long as the
 * module. */
typedef struct eyrie_global_info_t {
  size_t struct_size; /* set by the library */
  const char* name;   /* without the module's name */
  int32_t is_mutable; /* nonzero: it can be set */
  int32_t reserved;   /* 0 */
} eyrie_global_info_t;

EYRIE_EXPORT size_t eyrie_module_global_count(const eyrie_module_t* module);
/* Returns a global; NULL if `index` is not less than the count. */
EYRIE_EXPORT const eyrie_global_info_t* eyrie_module_global(
    const eyrie_module_t* module, size_t index);

/* Returns the value of a global, "name" or "module.name"; a name without a
 * module is looked up in the last module first. The function that reads it is
 * called with the limits of the context. NOT_FOUND: no such global; the message
 * lists those that exist. Otherwise the errors of eyrie_function_call. */
EYRIE_EXPORT EYRIE_CHECK eyrie_error_t* eyrie_context_copy_global(
    eyrie_context_t* context, const char* name, eyrie_value_t** out_value);
/* Sets a global; `value` is borrowed and copied. NOT_FOUND: no such global, or
 * it is a constant. Otherwise the errors of eyrie_function_call, such as
 * INVALID_ARGUMENT for a value of another type. */
EYRIE_EXPORT EYRIE_CHECK eyrie_error_t* eyrie_context_set_global(
    eyrie_context_t* context, const char* name, eyrie_value_t* value);

/* ---- Snapshots ---------------------------------------------------------- */

/* Copies the globals of a context, with those that have no names. The snapshot
 * is immutable and may be shared by threads; it retains the modules and
 * devices. Constants are not copied but shared. Objects of host functions are
 * not part of a snapshot. Results of all earlier calls must be ready, and no
 * pending call (eyrie_pending_call_t) may exist.
 *
 * FAILED_PRECONDITION: a call is running, or the context has failed.
 * UNIMPLEMENTED: a global holds an object that cannot be copied, such as one of
 * the host; the message names it. RESOURCE_EXHAUSTED: no memory.
 * DEADLINE_EXCEEDED: the timeout of the context passed. */
EYRIE_EXPORT EYRIE_CHECK eyrie_error_t* eyrie_snapshot_create(
    eyrie_context_t* context, eyrie_snapshot_t** out_snapshot);
EYRIE_EXPORT void eyrie_snapshot_retain(eyrie_snapshot_t* snapshot);
EYRIE_EXPORT void eyrie_snapshot_release(eyrie_snapshot_t* snapshot);

/* Sets all globals to those of a snapshot, which may be restored any number of
 * times. eyrie_context_options_t::snapshot does this for a new context. If this
 * fails because of memory, the globals are unchanged. INVALID_ARGUMENT: the
 * snapshot is of other modules or devices; modules that are loaded again are
 * other modules. FAILED_PRECONDITION: a call is running, or the context has
 * failed. RESOURCE_EXHAUSTED: no memory, or over the context's limit. */
EYRIE_EXPORT EYRIE_CHECK eyrie_error_t* eyrie_context_restore(
    eyrie_context_t* context, const eyrie_snapshot_t* snapshot);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* EYRIE_C_STATE_H_ */
