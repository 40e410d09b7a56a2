/* Programs with custom calls, such as JAX's with jax.ffi.
 *
 *   eyrie_linked_program_t* program = NULL;
 *   eyrie_linked_program_create(text, strlen(text), "xla", &program);
 *   // compile eyrie_linked_program_text(program) with iree-compile, and open
 *   // libraries with eyrie_linked_program_manifest(program).
 *
 * c.h has the rest of the API; docs/native.md describes what is linked.
 */
#ifndef EYRIE_C_PROGRAM_H_
#define EYRIE_C_PROGRAM_H_

#include "eyrie/c.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A program whose custom calls are imports. Immutable; may be shared by
 * threads. */
typedef struct eyrie_linked_program_t eyrie_linked_program_t;

/* Reports (1 or 0) whether a program has custom calls, or a comment that names
 * them. If it has none, eyrie_linked_program_create fails. */
EYRIE_EXPORT int eyrie_program_has_custom_calls(const char* text, size_t size);

/* Turns each stablehlo.custom_call of a program in MLIR's text into a call of
 * an import of `module`. INVALID_ARGUMENT: the text is malformed, has no custom
 * call, or `module` is not a name. UNIMPLEMENTED: a call does not use XLA FFI,
 * or has types or attributes that imports or handlers cannot have. */
EYRIE_EXPORT EYRIE_CHECK eyrie_error_t* eyrie_linked_program_create(
    const char* text, size_t size, const char* module,
    eyrie_linked_program_t** out_program);
EYRIE_EXPORT void eyrie_linked_program_free(eyrie_linked_program_t* program);

/* Return the program for a compiler, and the manifest of its imports. They are
 * valid as long as the object. */
EYRIE_EXPORT const char* eyrie_linked_program_text(
    const eyrie_linked_program_t* program);
EYRIE_EXPORT const char* eyrie_linked_program_manifest(
    const eyrie_linked_program_t* program);
/* Returns the name of a handler that the program calls, in order. NULL if
 * `index` is not less than their number. */
EYRIE_EXPORT const char* eyrie_linked_program_target(
    const eyrie_linked_program_t* program, size_t index);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* EYRIE_C_PROGRAM_H_ */
