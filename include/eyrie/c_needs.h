/* The needs of a module, and whether this machine meets them: the answers of
 * `eyrie inspect`. No code of the module is run. */
#ifndef EYRIE_C_NEEDS_H_
#define EYRIE_C_NEEDS_H_

#include "eyrie/c.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The needs of a module when they were read. Immutable. Each list is valid as
 * long as the struct. */
typedef struct eyrie_needs_t {
  size_t struct_size; /* set by the library */
  /* Nonzero: a device of this machine can run the module, provided that it gets
   * what the notes say. */
  int32_t runs_here;
  int32_t reserved;           /* 0 */
  const char* const* devices; /* names of devices, any of which can run it */
  size_t device_count;
  const char* const* reasons; /* why it cannot run here: sentences */
  size_t reason_count;
  const char* const* notes; /* what else it needs: sentences */
  size_t note_count;
  const char* const* patterns; /* patterns of names of devices: "vulkan*" */
  size_t pattern_count;
  const char* const* formats; /* formats of executables; one of them suffices */
  size_t format_count;
  const char* const* modules; /* other modules that it imports */
  size_t module_count;
  const char* const* scopes; /* scopes of parameters; "" is one, too */
  size_t scope_count;
} eyrie_needs_t;

/* Reads the needs of a module. Opens the devices that it asks for, those of the
 * CPU if it asks for none. Of `options`, which may be NULL, only
 * allow_system_executables, isolate and no_native_code have an effect.
 * INVALID_ARGUMENT: wrong options. */
EYRIE_EXPORT EYRIE_CHECK eyrie_error_t* eyrie_needs_create(
    const eyrie_module_t* module, const eyrie_device_options_t* options,
    const eyrie_needs_t** out_needs);
EYRIE_EXPORT void eyrie_needs_free(const eyrie_needs_t* needs);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* EYRIE_C_NEEDS_H_ */
