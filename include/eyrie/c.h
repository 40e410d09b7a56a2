/* Eyrie's C API: loads compiled modules and calls their functions.
 *
 * This is the stable ABI: opaque handles and plain structs. A function that can
 * fail returns NULL on success, or an eyrie_error_t that the caller must free.
 * Pointers must be non-NULL unless stated otherwise; functions that free or
 * release accept NULL. Sizes are in bytes. Out parameters are written only on
 * success. A handle with a retain function is reference counted and is created
 * with one reference. The caller must free any other handle unless stated
 * otherwise. The C++ API (runtime.h) is inline code over this one.
 */
#ifndef EYRIE_C_H_
#define EYRIE_C_H_

/* Out of memory. If the system has no memory for a block whose size is decided
 * by a module, a file or the caller, a function returns RESOURCE_EXHAUSTED or a
 * value of EYRIE_KIND_NO_MEMORY (c_value.h), and the process continues.
 * std::bad_alloc ends the process if there is no memory for
 *   - a block of less than 64 KiB, such as a handle, a name or a message;
 *   - the signature of a function (eyrie_context_find_function);
 *   - one JSON string, such as a key in a .safetensors file;
 *   - the declarations of Vulkan shaders, or the list of objects that a command
 *     buffer retains;
 *   - the events of a trace.
 * See docs/embedding.md, "Out of memory".
 *
 * Structs. A later version may add members at the end of a struct. So each one
 * begins with a struct_size, in bytes. The caller sets it in structs that it
 * passes: members that an older version does not have count as 0, and members
 * that this library does not know must be 0. The library sets it in structs
 * that it returns: members beyond it do not exist. Only eyrie_slot_t and its
 * eyrie_bytes_t (c_linker.h) have none, and never change their size.
 *
 * Ownership. A pointer for callbacks, with the function that frees it, belongs
 * to the library as soon as it is passed: the function is called exactly once,
 * also if the call that took it fails (then before it returns). In options,
 * this holds unless struct_size is too small. File descriptors remain the
 * caller's, except for the one that eyrie_value_new_imported takes if it
 * succeeds.
 *
 * Process-wide state. There is nothing to initialize or to shut down, and there
 * are no process-wide settings. The process can record one trace at a time
 * (c_trace.h). Internally, the library creates and manages objects of the
 * process when they are first needed, such as
 *   - fork() handlers, which keep child processes consistent;
 *   - a thread for timeouts, which exists only while contexts have timeouts;
 *   - native libraries, which are never unloaded;
 *   - Vulkan instances, which devices share;
 *   - JIT compilers, which contexts share, and gdb's list of their code;
 *   - memory of messages between ranks that were in flight at the end. */

#include "eyrie/c_base.h"
#include "eyrie/c_call.h"
#include "eyrie/c_device.h"
#include "eyrie/c_fence.h"
#include "eyrie/c_value.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Modules ------------------------------------------------------------ */

/* How the library uses the caller's memory. */
typedef int32_t eyrie_memory_use_t;
enum {
  EYRIE_MEMORY_COPY = 0, /* it copies what it needs */
  /* It uses the memory in place where it can. Devices use a parameter in place,
   * as EYRIE_ACCESS_LEND_CONST allows it, if it is aligned to 64 bytes, the
   * device can access it, and the module marks the parameter as constant.
   * Otherwise they get copies. */
  EYRIE_MEMORY_LEND_CONST = 1,
};

/* A loaded and verified module. Immutable; may be shared by threads. */
typedef struct eyrie_module_t eyrie_module_t;

/* Loads and verifies a module file (.vmfb). The file is mapped, so it must not
 * change as long as the module or a context of it exists. "-" reads standard
 * input.
 *
 * NOT_FOUND: no such file. PERMISSION_DENIED: the file may not be read.
 * INVALID_ARGUMENT: a directory, or not a module, or a malformed one.
 * OUT_OF_RANGE: a malformed module, with an index or offset past the end.
 * UNIMPLEMENTED: a version or feature that this library does not support.
 * RESOURCE_EXHAUSTED: no memory. INTERNAL: the system cannot read the file. */
EYRIE_EXPORT EYRIE_CHECK eyrie_error_t* eyrie_module_load_file(
    const char* path, eyrie_module_t** out_module);
/* Loads a file's bytes in memory. The bytes must remain valid and must not
 * change until `release(user)` is called: once, on any thread.
 * EYRIE_MEMORY_COPY copies them and calls it before this returns.
 * EYRIE_MEMORY_LEND_CONST calls it when no module, context or value uses them;
 * constants that devices use are copied to them, because compiled code may
 * write to constants. `release` may be NULL. If this fails, it is called before
 * this returns. INVALID_ARGUMENT, OUT_OF_RANGE, UNIMPLEMENTED and
 * RESOURCE_EXHAUSTED as for a file; INVALID_ARGUMENT: also an unknown use. */
EYRIE_EXPORT EYRIE_CHECK eyrie_error_t* eyrie_module_load_memory(
    const void* data, size_t size, eyrie_memory_use_t use,
    void (*release)(void* user), void* user, eyrie_module_t** out_module);
/* Loads `size` bytes at `offset` of an open regular file, which are mapped; a
 * size of 0 means all bytes up to its end. The descriptor is duplicated, so it
 * may be closed. The errors are those for a file. The bytes must not change as
 * long as the module or a context of it exists. Large constants are private
 * pages of the file if `offset` is a multiple of 64. INVALID_ARGUMENT: also if
 * the descriptor is not open or not a regular file. OUT_OF_RANGE: also if the
 * range exceeds the file. */
EYRIE_EXPORT EYRIE_CHECK eyrie_error_t* eyrie_module_load_descriptor(
    int descriptor, uint64_t offset, uint64_t size,
    eyrie_module_t** out_module);
EYRIE_EXPORT void eyrie_module_retain(eyrie_module_t* module);
EYRIE_EXPORT void eyrie_module_release(eyrie_module_t* module);

/* Returns the module's name, which is valid as long as the module. */
EYRIE_EXPORT const char* eyrie_module_name(const eyrie_module_t* module);

/* An exported function. The strings are valid as long as the module. */
typedef struct eyrie_function_info_t {
  size_t struct_size;             /* set by the library */
  const char* name;               /* without the module's name */
  const char* calling_convention; /* "0rr_r" */
  const char* declaration;        /* "sync func @add(...)", or "" */
} eyrie_function_info_t;

/* Returns the number of exported functions, without those that only a runtime
 * calls, such as "__init". */
EYRIE_EXPORT size_t eyrie_module_function_count(const eyrie_module_t* module);
/* Returns a function; NULL if `index` is not less than the count. */
EYRIE_EXPORT const eyrie_function_info_t* eyrie_module_function(
    const eyrie_module_t* module, size_t index);

/* A function that a module imports. The strings are valid as long as the
 * module. */
typedef struct eyrie_import_info_t {
  size_t struct_size;             /* set by the library */
  const char* name;               /* "host.scale" */
  const char* calling_convention; /* "0rf_r" */
  int32_t is_optional;            /* nonzero: it may be missing */
  int32_t reserved;               /* 0 */
} eyrie_import_info_t;

EYRIE_EXPORT size_t eyrie_module_import_count(const eyrie_module_t* module);
/* Returns an import; NULL if `index` is not less than the count. */
EYRIE_EXPORT const eyrie_import_info_t* eyrie_module_import(
    const eyrie_module_t* module, size_t index);

/* ---- Native libraries --------------------------------------------------- */

/* A shared library with functions that modules can import: XLA FFI handlers and
 * MLIR memref functions (docs/native.md). Immutable; may be shared by threads
 * and by any number of contexts. */
typedef struct eyrie_native_library_t eyrie_native_library_t;

/* A function that is linked into this program. */
typedef struct eyrie_native_symbol_t {
  size_t struct_size; /* sizeof(eyrie_native_symbol_t), in all symbols */
  const char* name;   /* as the manifest has it */
  void* address;
} eyrie_native_symbol_t;

/* A native library, and the JSON text that describes its functions. */
typedef struct eyrie_native_source_t {
  size_t struct_size; /* sizeof(eyrie_native_source_t), or an older one's */
  /* A shared library, which is not searched for in other folders. NULL: the
   * functions are linked into this program (`symbols`). */
  const char* path;
  /* The manifest's text. NULL: that of `manifest_path`. */
  const char* manifest_text;
  /* The manifest's file. NULL: the library's ELF note, or else the file
   * `path`.json. */
  const char* manifest_path;
  const eyrie_native_symbol_t* symbols; /* only without a path */
  size_t symbol_count;
} eyrie_native_source_t;

/* Opens a library. If it has a path, this runs its constructors, so it must be
 * trusted; it is never unloaded.
 *
 * NOT_FOUND: no such file, no manifest, or a symbol of the manifest is not
 * given. INVALID_ARGUMENT: not a shared library, a malformed manifest, an
 * address that is NULL, symbols with a path, neither a path nor a manifest's
 * text, or a struct_size that is too small or, for a symbol, differs from that
 * of the first one. UNIMPLEMENTED: a library for another machine, or an unknown
 * manifest version. FAILED_PRECONDITION: the system cannot load the library. */
EYRIE_EXPORT EYRIE_CHECK eyrie_error_t* eyrie_native_library_open(
    const eyrie_native_source_t* source, eyrie_native_library_t** out_library);
EYRIE_EXPORT void eyrie_native_library_retain(eyrie_native_library_t* library);
EYRIE_EXPORT void eyrie_native_library_release(eyrie_native_library_t* library);

/* Returns the number of functions in the manifest. */
EYRIE_EXPORT size_t
eyrie_native_library_function_count(const eyrie_native_library_t* library);
/* Returns the name that modules import, such as "xffi.scale". It is valid as
 * long as the library. NULL if `index` is not less than the count. */
EYRIE_EXPORT const char* eyrie_native_library_function_name(
    const eyrie_native_library_t* library, size_t index);

/* User data that handlers can ask for by its type. */
typedef struct eyrie_native_data_t {
  size_t struct_size; /* sizeof(eyrie_native_data_t), in all entries */
  const char* type;   /* the type's registered name */
  void* data;         /* must outlive the context */
} eyrie_native_data_t;

/* ---- Contexts ----------------------------------------------------------- */

/* A set of functions of the host (c_linker.h). */
typedef struct eyrie_linker_t eyrie_linker_t;

/* A set of parameters (c_parameters.h). */
typedef struct eyrie_parameters_t eyrie_parameters_t;

/* The globals of a context at one moment (c_state.h). */
typedef struct eyrie_snapshot_t eyrie_snapshot_t;

/* Linked modules with their own globals. Reference counted. Only one thread at
 * a time may use a context and its functions and calls, except for
 * eyrie_context_cancel and eyrie_context_retain. */
typedef struct eyrie_context_t eyrie_context_t;

EYRIE_EXPORT void eyrie_context_retain(eyrie_context_t* context);
/* Releases a reference; NULL is allowed. Prepared and pending calls have
 * references of their own, so they and the context may be released in any
 * order, and on any thread while no other thread uses the context. The last
 * release frees the context and its functions. A host function or a log must
 * not release the last reference to the context that calls it, and the state of
 * a host function must not own a call of its context. */
EYRIE_EXPORT void eyrie_context_release(eyrie_context_t* context);

/* The limits and resources of a context. A field that is 0 has no effect unless
 * stated otherwise.
 *
 * A call that exceeds a limit of the context fails with RESOURCE_EXHAUSTED, or
 * with DEADLINE_EXCEEDED for the timeout. This fails the context permanently:
 * all its later calls return FAILED_PRECONDITION. Other contexts are not
 * affected. Limits of a single call, which do not fail the context, are in
 * eyrie_call_options_t. Native code is not interrupted; the call fails when the
 * code returns. */
typedef struct eyrie_context_options_t {
  size_t struct_size;  /* sizeof(eyrie_context_options_t), or an older one's */
  uint64_t fuel;       /* units per call: 1 for each backward branch, call, and
                        * KiB that an instruction or import processes; see
                        * docs/limits.md */
  int64_t timeout_ns;  /* per call, with the wait for results; nanoseconds */
  uint64_t max_memory; /* bytes of host and device memory in use at a time */
  size_t max_stack;    /* bytes; 0 means 4 MiB */
  /* Files that modules load parameters from: .irpa, .safetensors or .gguf.
   * Each is "path" or "scope=path"; a path with a '=' is given as "=path". If
   * two files of a scope have the same key, the first one is used. They are
   * mapped and never written, and must not change as long as the context
   * exists. */
  const char* const* parameter_files;
  size_t parameter_file_count;
  /* Libraries with functions that the modules may import. The context retains
   * them. Results are in memory of the first device. */
  eyrie_native_library_t* const* native_libraries;
  size_t native_library_count;
  const eyrie_native_data_t* native_data; /* at most one entry per type */
  size_t native_data_count;
  /* The context's log. If NULL, the log of its first device. */
  eyrie_log_t log;
  void* log_data;
  /* Called once when log_data is no longer needed, even if the context cannot
   * be created. May be NULL. */
  void (*free_log_data)(void* log_data);
  /* Functions of the host that the modules may import (c_linker.h). The context
   * retains them. May be NULL. */
  const eyrie_linker_t* linker;
  /* The limits of all initializers together, instead of fuel and timeout_ns. If
   * both are 0, each initializer has the limits of a call; if one is 0, all of
   * them together have this limit of a call. */
  uint64_t initializer_fuel;
  int64_t initializer_timeout_ns;
  /* The globals to begin with; no initializers run. The modules and devices
   * must be those of the snapshot. May be NULL. */
  const eyrie_snapshot_t* snapshot;
  /* More parameters, from files, descriptors, memory and functions of the host
   * (c_parameters.h), which come before parameter_files. The context keeps
   * them. May be NULL. */
  const eyrie_parameters_t* parameters;
} eyrie_context_options_t;

/* Links the modules, each to those before it, and runs their initializers. Of
 * several modules with the same name, the last one before the importing module
 * provides its imports. The context retains modules and devices. At least one
 * module is required; devices are required only by modules that use them, and
 * `devices` may be NULL if there are none,
 * and `options` may be NULL.
 *
 * NOT_FOUND: a required module or function is missing. UNIMPLEMENTED: an
 * imported module is too old, or an imported function has another signature.
 * INVALID_ARGUMENT: no modules, or no device for a module with inline
 * execution. RESOURCE_EXHAUSTED: no memory. FAILED_PRECONDITION: a device of
 * the parent of this forked process. Otherwise the error of an initializer, for
 * example because no device can run the executables.
 *
 * With options, also:
 * INVALID_ARGUMENT: a struct_size that is too small, a negative timeout, user
 * data that is NULL or has the type of another entry, native libraries without
 * a device, a snapshot of other modules or devices, or a malformed parameter
 * file. OUT_OF_RANGE and UNIMPLEMENTED: a
 * malformed parameter file, or one with an unsupported feature. NOT_FOUND: no
 * such parameter file, or a native library lacks a symbol of its manifest.
 * ALREADY_EXISTS: two native libraries have a function of the same name, or a
 * parameter file has a key twice. PERMISSION_DENIED: a parameter file
 * may not be read, or there are native libraries and a device was opened with
 * no_native_code. RESOURCE_EXHAUSTED or DEADLINE_EXCEEDED: a limit. */
EYRIE_EXPORT EYRIE_CHECK eyrie_error_t* eyrie_context_create(
    eyrie_module_t* const* modules, size_t module_count,
    eyrie_device_t* const* devices, size_t device_count,
    const eyrie_context_options_t* options, eyrie_context_t** out_context);

/* Creates a context of one module, loaded from a file, on one device without
 * options. `device` is a name such as "local-sync"; NULL: none. Both are the
 * context's alone. The errors are those of eyrie_module_load_file,
 * eyrie_device_open and eyrie_context_create. */
EYRIE_EXPORT EYRIE_CHECK eyrie_error_t* eyrie_context_open(
    const char* path, const char* device,
    const eyrie_context_options_t* options, eyrie_context_t** out_context);

/* Ends the running call, or the next one, with CANCELLED, and fails the context
 * permanently, as a limit does. May be called from any thread and from a signal
 * handler, as long as the context exists. */
EYRIE_EXPORT void eyrie_context_cancel(eyrie_context_t* context);

/* Reports whether a call has exceeded a limit or the context was cancelled. If
 * so, all later calls fail; to continue, free the context and create a new one,
 * with globals that have their initial values. Other errors of calls do not
 * fail a context. */
EYRIE_EXPORT int eyrie_context_failed(const eyrie_context_t* context);

/* ---- Functions ---------------------------------------------------------- */

/* Finds a function by "module.function" or by "function". A name without a
 * module is looked up in the last module first, as is one of several modules
 * that have the same name. The same name returns the same handle. c_call.h has
 * the calls. NOT_FOUND: no such function; the message lists those that exist.
 */
EYRIE_EXPORT EYRIE_CHECK eyrie_error_t* eyrie_context_find_function(
    eyrie_context_t* context, const char* name,
    eyrie_function_t** out_function);

/* ---- Usage -------------------------------------------------------------- */

/* The fuel and memory that a context uses. */
typedef struct eyrie_context_usage_t {
  size_t struct_size;   /* set by the caller */
  uint64_t fuel;        /* units that the last call used, without those of
                         * devices; for a pending call, all its pieces; before
                         * the first call, those of the last initializer */
  uint64_t memory;      /* bytes in use. This and the next are counted only for
                         * contexts with max_memory, and are 0 for others */
  uint64_t peak_memory; /* the most bytes that were in use at a time */
} eyrie_context_usage_t;

/* Fills the fields that this library and struct_size have. Must be called on
 * the context's thread, while no call runs. INVALID_ARGUMENT: a struct_size
 * that is too small. */
EYRIE_EXPORT EYRIE_CHECK eyrie_error_t* eyrie_context_usage(
    const eyrie_context_t* context, eyrie_context_usage_t* usage);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* EYRIE_C_H_ */
