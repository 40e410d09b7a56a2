/* Parameters of modules from files, descriptors, memory and functions.
 *
 *   eyrie_parameters_t* parameters = eyrie_parameters_create();
 *   error = eyrie_parameters_add_descriptor(parameters, "model", fd, 0, 0);
 *   options.parameters = parameters;  // of eyrie_context_create
 */
#ifndef EYRIE_C_PARAMETERS_H_
#define EYRIE_C_PARAMETERS_H_

#include "eyrie/c.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An eyrie_parameters_t is a set of parameters, each with a scope and a key.
 * Any number of contexts may share it; a context takes the parameters that are
 * added before it is created. Two threads must not add parameters at the same
 * time, or while a context is created. `scope` may be NULL, which means "".
 *
 * If a key is added twice to a scope, the first one is used. All functions that
 * add parameters can fail with ALREADY_EXISTS (a file has a key twice) and
 * RESOURCE_EXHAUSTED (no memory). After an error, nothing was added, and
 * `release` or `free_user` was called. Modules cannot write to these
 * parameters: PERMISSION_DENIED. */
EYRIE_EXPORT eyrie_parameters_t* eyrie_parameters_create(void);
EYRIE_EXPORT void eyrie_parameters_retain(eyrie_parameters_t* parameters);
/* Releases a reference; NULL is allowed. Contexts keep what they use. */
EYRIE_EXPORT void eyrie_parameters_release(eyrie_parameters_t* parameters);

/* Adds the parameters of a .irpa, .safetensors or .gguf file, which is mapped.
 * It must not change as long as the set or a context with it exists.
 *
 * NOT_FOUND: no such file. PERMISSION_DENIED: it may not be read.
 * INVALID_ARGUMENT, OUT_OF_RANGE: a malformed file. UNIMPLEMENTED: a version or
 * feature that this library does not support. */
EYRIE_EXPORT EYRIE_CHECK eyrie_error_t* eyrie_parameters_add_file(
    eyrie_parameters_t* parameters, const char* scope, const char* path);
/* Adds the parameters in `size` bytes at `offset` of an open regular file; a
 * size of 0 means all bytes up to its end. The descriptor is duplicated, so it
 * may be closed. The errors are those for a file. INVALID_ARGUMENT: also if it
 * is not open or not a regular file. OUT_OF_RANGE: also if the range exceeds
 * the file. */
EYRIE_EXPORT EYRIE_CHECK eyrie_error_t* eyrie_parameters_add_descriptor(
    eyrie_parameters_t* parameters, const char* scope, int descriptor,
    uint64_t offset, uint64_t size);

/* Adds the parameters of such a file in the caller's memory. The
 * memory must remain valid and must not change until
 * `release(user)` is called: once, on any thread, when neither the set nor a
 * context uses it. `release` may be NULL. Errors are those of a file. */
EYRIE_EXPORT EYRIE_CHECK eyrie_error_t* eyrie_parameters_add_memory(
    eyrie_parameters_t* parameters, const char* scope, const void* data,
    size_t size, eyrie_memory_use_t use, void (*release)(void* user),
    void* user);
/* Adds one parameter whose bytes are in the caller's memory. */
EYRIE_EXPORT EYRIE_CHECK eyrie_error_t* eyrie_parameters_add_bytes(
    eyrie_parameters_t* parameters, const char* scope, const char* key,
    const void* data, size_t size, eyrie_memory_use_t use,
    void (*release)(void* user), void* user);

/* Stores `size` bytes, which begin `offset` bytes after the start of the
 * parameter, at `target`. Returns NULL, or an error (eyrie_error_create), which
 * the library frees and the loading of the module returns. Called on any
 * thread, and on several at the same time. Must not throw or use a context. */
typedef eyrie_error_t* (*eyrie_read_parameter_t)(uint64_t offset, void* target,
                                                 size_t size, void* user);
/* Adds one parameter of `size` bytes, which `read` reads when a module loads
 * it, in pieces, directly into memory that the device uses or copies from.
 * `free_user(user)` is called once, when neither the set nor a context can call
 * `read` any more. It may be NULL. */
EYRIE_EXPORT EYRIE_CHECK eyrie_error_t* eyrie_parameters_add_reader(
    eyrie_parameters_t* parameters, const char* scope, const char* key,
    uint64_t size, eyrie_read_parameter_t read, void* user,
    void (*free_user)(void* user));

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* EYRIE_C_PARAMETERS_H_ */
