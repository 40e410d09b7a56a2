/* The needs of a module, and whether this machine meets them: the answers of
 * `eyrie inspect`. No code of the module is run. */
#ifndef EYRIE_C_NEEDS_H_
#define EYRIE_C_NEEDS_H_

#include "eyrie/c.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The needs of a module when they were read. Immutable. */
typedef struct eyrie_needs_t eyrie_needs_t;

/* Reads the needs of a module. Opens the devices that it asks for, those of the
 * CPU if it asks for none. Of `options`, which may be NULL, only
 * allow_system_executables, isolate and no_native_code have an effect.
 * INVALID_ARGUMENT: wrong options. */
EYRIE_EXPORT EYRIE_CHECK eyrie_error_t* eyrie_needs_create(
    const eyrie_module_t* module, const eyrie_device_options_t* options,
    eyrie_needs_t** out_needs);
EYRIE_EXPORT void eyrie_needs_free(eyrie_needs_t* needs);

/* Returns nonzero if a device of this machine can run the module, provided that
 * it gets what the notes say. */
EYRIE_EXPORT int eyrie_needs_runs_here(const eyrie_needs_t* needs);

/* The lists of eyrie_needs_t. */
typedef int32_t eyrie_needs_list_t;
enum {
  EYRIE_NEEDS_DEVICES = 0,  /* names of devices, any of which can run it */
  EYRIE_NEEDS_REASONS = 1,  /* why it cannot run here: sentences */
  EYRIE_NEEDS_NOTES = 2,    /* what else it needs: sentences */
  EYRIE_NEEDS_PATTERNS = 3, /* patterns of names of devices: "vulkan*" */
  EYRIE_NEEDS_FORMATS = 4,  /* formats of executables; one of them suffices */
  EYRIE_NEEDS_MODULES = 5,  /* other modules that it imports */
  EYRIE_NEEDS_SCOPES = 6,   /* scopes of parameters; "" is one, too */
};

/* Returns the length of a list; 0 if the list is unknown. */
EYRIE_EXPORT size_t eyrie_needs_count(const eyrie_needs_t* needs,
                                      eyrie_needs_list_t list);
/* Returns a text of a list, which is valid as long as `needs`. NULL if `index`
 * is not less than the count. */
EYRIE_EXPORT const char* eyrie_needs_text(const eyrie_needs_t* needs,
                                          eyrie_needs_list_t list,
                                          size_t index);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* EYRIE_C_NEEDS_H_ */
