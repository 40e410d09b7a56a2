/* Programs with custom calls, such as JAX's with jax.ffi.
 *
 *   const eyrie_linked_program_t* program = NULL;
 *   error = eyrie_linked_program_create(text, strlen(text), "xla", &program);
 *   // Compile program->text with iree-compile, and open libraries with
 *   // program->manifest.
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
 * threads. The texts are valid as long as the struct. */
typedef struct eyrie_linked_program_t {
  size_t struct_size;         /* set by the library */
  const char* text;           /* the program for a compiler */
  const char* manifest;       /* of its imports, as JSON */
  const char* const* targets; /* names of handlers that it calls, in order */
  size_t target_count;
} eyrie_linked_program_t;

/* Reports (1 or 0) whether a program has custom calls, or a comment that names
 * them. If it has none, eyrie_linked_program_create fails. */
EYRIE_EXPORT int eyrie_program_has_custom_calls(const char* text, size_t size);

/* Turns each stablehlo.custom_call of a program in MLIR's text into a call of
 * an import of `module`. INVALID_ARGUMENT: the text is malformed, has no custom
 * call, or `module` is not a name. UNIMPLEMENTED: a call does not use XLA FFI,
 * or has types or attributes that imports or handlers cannot have. */
EYRIE_EXPORT EYRIE_CHECK eyrie_error_t* eyrie_linked_program_create(
    const char* text, size_t size, const char* module,
    const eyrie_linked_program_t** out_program);
EYRIE_EXPORT void eyrie_linked_program_free(
    const eyrie_linked_program_t* program);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* EYRIE_C_PROGRAM_H_ */
