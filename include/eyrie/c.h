/* Eyrie's C API: load a compiled module, call its functions, read the results.
 *
 * The stable ABI: opaque handles, plain structs, no global state. Every call
 * that can fail returns NULL or an eyrie_error_t that the caller frees.
 * Pointers are not NULL but where that is said, and sizes are what there is.
 * Out parameters are written on success only. Handles are reference counted
 * where a retain function exists; everything else is owned by the caller and
 * freed by the function of its name. The C++ API (runtime.h) is inline over
 * this.
 */
#ifndef EYRIE_C_H_
#define EYRIE_C_H_

/* Out of memory. If the system has no memory for a block whose size a module, a
 * file or the caller decides, a function returns RESOURCE_EXHAUSTED, or a value
 * of EYRIE_KIND_NO_MEMORY (c_value.h), and the process goes on. The process
 * ends, by std::bad_alloc, if there is no memory for
 *   - a block of less than 64 KiB: handles, names, sentences, threads;
 *   - the signature of a function (eyrie_context_function);
 *   - one text of JSON, as a key in a .safetensors file;
 *   - what shaders for Vulkan declare, and what a command buffer retains;
 *   - what a recorder of traces notes.
 * docs/embedding.md, "Out of memory", says more. */

#include "eyrie/c_base.h"
#include "eyrie/c_value.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- What a host gives -------------------------------------------------- */

/* What a line of the log is. */
typedef enum eyrie_severity_t {
  EYRIE_SEVERITY_MODULE = 1,  /* what a module prints or traces */
  EYRIE_SEVERITY_NOTE = 2,    /* worth knowing, and no error */
  EYRIE_SEVERITY_WARNING = 3, /* an error that no call returns */
} eyrie_severity_t;

/* Takes a line of the log: `length` bytes of UTF-8 and a NUL, without a line's
 * end behind it; tensors that a module traces are several lines. The text is
 * valid for the call. It is called on any thread, also on several at once, and
 * must neither throw nor call the library. The library itself prints nothing,
 * with a log or without: what no log takes is dropped. */
typedef void (*eyrie_log_t)(eyrie_severity_t severity, const char* text,
                            size_t length, void* user);

/* Gives `size` bytes, 1 at least, of any content, at a multiple of `alignment`,
 * a power of two (64 in this version); NULL if it has none: what asked for
 * them fails with RESOURCE_EXHAUSTED then. */
typedef void* (*eyrie_allocate_t)(size_t size, size_t alignment, void* user);
/* Takes back what was given, with the size that was asked for. */
typedef void (*eyrie_deallocate_t)(void* memory, size_t size, void* user);

/* ---- Devices ------------------------------------------------------------ */

/* A device: thread-safe, shared by any number of contexts. */
typedef struct eyrie_device_t eyrie_device_t;

/* Which functions of modules become machine code; the interpreter runs the
 * others, and all where the system refuses memory that is executable. */
typedef enum eyrie_jit_t {
  EYRIE_JIT_LAZY = 0, /* those that are hot */
  EYRIE_JIT_OFF = 1,
  EYRIE_JIT_EAGER = 2 /* each when it is called */
} eyrie_jit_t;

typedef struct eyrie_device_options_t {
  size_t struct_size; /* sizeof(eyrie_device_options_t) */
  /* Nonzero: executables of the platform's own format may be loaded. */
  int allow_system_executables;
  /* Nonzero: executables of native code are refused; a module that needs one
   * fails to load. Shaders are taken, kept to their buffers as far as the
   * device can (docs/vulkan.md). For modules from strangers. */
  int no_native_code;
  /* Takes sentences that are worth knowing and no errors (docs/vulkan.md,
   * "Notes"); may be NULL. It is called on any thread, also on several at once,
   * while anything of the device lives, and must call nothing of the device's.
   * A struct_size up to here is fine. */
  void (*notice)(const char* sentence, void* notice_data);
  void* notice_data;
  /* Called once when nothing needs notice_data any more, also if the device is
   * not opened; may be NULL. A struct_size up to here is fine. */
  void (*free_notice_data)(void* notice_data);
  /* The log of the device, which gets the notices too, and of contexts whose
   * first device it is; may be NULL. */
  eyrie_log_t log;
  void* log_data;
  void (*free_log_data)(void* log_data); /* as free_notice_data */
  /* Where a CPU device has the bytes of its buffers from, both or neither NULL;
   * NULL: the system (docs/embedding.md, "Memory"). Called on any thread, also
   * on several at once; must neither throw nor call the library. Blocks that
   * are free may be kept for later buffers until nothing refers to the device
   * nor to a value in its memory. UNIMPLEMENTED of devices with memory of their
   * own. */
  eyrie_allocate_t allocate;
  eyrie_deallocate_t deallocate;
  void* allocator_data;
  /* Called once, behind the last deallocate, also if the device is not opened;
   * may be NULL. A struct_size up to here is fine. */
  void (*free_allocator_data)(void* allocator_data);
  /* An eyrie_jit_t: of contexts whose first device this is, and of its bytecode
   * kernels. */
  int jit;
} eyrie_device_options_t;

/* Opens "local-sync" or any other name `eyrie run --list_devices` prints.
 * Options may be NULL. NOT_FOUND: no such driver or device. A child of fork()
 * cannot use its parent's devices that have threads, FAILED_PRECONDITION, and
 * opens its own (docs/embedding.md, "Processes that fork"). */
EYRIE_EXPORT eyrie_error_t* eyrie_device_open(
    const char* uri, const eyrie_device_options_t* options,
    eyrie_device_t** out_device);
EYRIE_EXPORT void eyrie_device_retain(eyrie_device_t* device);
EYRIE_EXPORT void eyrie_device_release(eyrie_device_t* device);

/* An array whose elements are copied to memory of the device, where a context
 * on it needs no further copy if the array is lent. INVALID_ARGUMENT: the
 * value is no array. RESOURCE_EXHAUSTED: the device has no room. */
EYRIE_EXPORT eyrie_error_t* eyrie_value_upload(const eyrie_value_t* array,
                                               eyrie_device_t* device,
                                               eyrie_value_t** out_value);

/* ---- Modules ------------------------------------------------------------ */

/* A loaded and verified module: immutable, shared by threads. */
typedef struct eyrie_module_t eyrie_module_t;

/* Maps the file; it must not change while the module lives. */
EYRIE_EXPORT eyrie_error_t* eyrie_module_load_file(const char* path,
                                                   eyrie_module_t** out_module);
/* Copies the bytes. */
EYRIE_EXPORT eyrie_error_t* eyrie_module_load_memory(
    const void* data, size_t size, eyrie_module_t** out_module);
EYRIE_EXPORT void eyrie_module_retain(eyrie_module_t* module);
EYRIE_EXPORT void eyrie_module_release(eyrie_module_t* module);

/* Strings are valid as long as the module. */
EYRIE_EXPORT const char* eyrie_module_name(const eyrie_module_t* module);

typedef struct eyrie_function_info_t {
  const char* name;               /* without the module's */
  const char* calling_convention; /* "0rr_r" */
  const char* declaration;        /* "sync func @add(...)", or "" */
} eyrie_function_info_t;

EYRIE_EXPORT size_t eyrie_module_function_count(const eyrie_module_t* module);
/* `index` below the count, else all fields are NULL. */
EYRIE_EXPORT eyrie_function_info_t
eyrie_module_function(const eyrie_module_t* module, size_t index);

/* ---- Native libraries --------------------------------------------------- */

/* A shared library whose functions modules may import: handlers of XLA's FFI
 * and memref functions of MLIR (docs/native.md). Immutable, shared by threads
 * and by any number of contexts. */
typedef struct eyrie_native_library_t eyrie_native_library_t;

/* Opens the library at this path, which runs its constructors; it is trusted
 * with all that the process can do, and is never unloaded. What its functions
 * are is said by the manifest, a JSON file, or, if that is NULL, by the
 * library's note or by the file of its name with ".json" behind. The path is
 * not searched for. NOT_FOUND: no such file, or no manifest, or a symbol that
 * the library has not. INVALID_ARGUMENT: no library, or a malformed manifest.
 * UNIMPLEMENTED: a library for another machine. FAILED_PRECONDITION: the system
 * cannot load it. */
EYRIE_EXPORT eyrie_error_t* eyrie_native_library_open(
    const char* path, const char* manifest,
    eyrie_native_library_t** out_library);
EYRIE_EXPORT void eyrie_native_library_retain(eyrie_native_library_t* library);
EYRIE_EXPORT void eyrie_native_library_release(eyrie_native_library_t* library);

EYRIE_EXPORT size_t
eyrie_native_library_function_count(const eyrie_native_library_t* library);
/* "xffi.scale", as modules import it; as long as the library. `index` below
 * the count, else NULL. */
EYRIE_EXPORT const char* eyrie_native_library_function_name(
    const eyrie_native_library_t* library, size_t index);

/* What handlers get that ask for user data of a type. */
typedef struct eyrie_native_data_t {
  const char* type; /* the name that the type is registered by */
  void* data;       /* not NULL; outlives the context */
} eyrie_native_data_t;

/* ---- Contexts ----------------------------------------------------------- */

/* Linked modules with globals of their own. One thread at a time. */
typedef struct eyrie_context_t eyrie_context_t;

/* Links the modules in order, dependencies first, and runs their
 * initialisers. The context retains modules and devices. */
EYRIE_EXPORT eyrie_error_t* eyrie_context_create(eyrie_module_t* const* modules,
                                                 size_t module_count,
                                                 eyrie_device_t* const* devices,
                                                 size_t device_count,
                                                 eyrie_context_t** out_context);
EYRIE_EXPORT void eyrie_context_free(eyrie_context_t* context);

/* What a context may use; 0 in any field but the first is no limit of one's
 * own. A call that passes a limit fails with RESOURCE_EXHAUSTED, of the time
 * with DEADLINE_EXCEEDED, and the context with it: all later calls are
 * FAILED_PRECONDITION. Other contexts go on. Native code is not interrupted:
 * the call fails when it comes back. */
typedef struct eyrie_context_options_t {
  size_t struct_size;  /* sizeof(eyrie_context_options_t) */
  uint64_t fuel;       /* of each call: 1 unit a branch backwards, a call, a KiB
                        * that an instruction or import works on, and what
                        * docs/limits.md lists; taken before it is done */
  int64_t timeout_ns;  /* nanoseconds, of each call with its wait for results */
  uint64_t max_memory; /* bytes of host and device memory held at a time */
  size_t max_stack;    /* bytes; 4 MiB if 0 */
  /* Files that programs load parameters from, .irpa, .safetensors or .gguf:
   * "path", or "scope=path". They are mapped, and never written. */
  const char* const* parameter_files;
  size_t parameter_file_count;
  /* Whose functions the modules may import; retained by the context. Results
   * lie in memory of the first device. A struct_size up to here is fine. */
  eyrie_native_library_t* const* native_libraries;
  size_t native_library_count;
  const eyrie_native_data_t* native_data; /* a type once */
  size_t native_data_count; /* a struct_size up to here is fine, too */
  /* The context's log; NULL: that of its first device. */
  eyrie_log_t log;
  void* log_data;
  /* Called once when nothing needs log_data any more, also if there comes to be
   * no context; may be NULL. */
  void (*free_log_data)(void* log_data);
} eyrie_context_options_t;

/* The same with options, which may be NULL. Initialisers run within the
 * limits of a call. ALREADY_EXISTS: two native libraries have a function of the
 * same name. PERMISSION_DENIED: there are native libraries, and a device that
 * was opened with no_native_code. */
EYRIE_EXPORT eyrie_error_t* eyrie_context_create_with_options(
    eyrie_module_t* const* modules, size_t module_count,
    eyrie_device_t* const* devices, size_t device_count,
    const eyrie_context_options_t* options, eyrie_context_t** out_context);

/* Ends the running call, or the next, with CANCELLED, and fails the context as
 * a limit does. From any thread while the context lives, and from a signal
 * handler. */
EYRIE_EXPORT void eyrie_context_cancel(eyrie_context_t* context);

/* Nonzero: a call has passed a limit, or the context was cancelled; calls fail
 * from now on. Whoever wants to go on frees it and creates another one, whose
 * globals have their initial values. Nothing else that a call fails with makes
 * it so. The context's thread's. */
EYRIE_EXPORT int eyrie_context_failed(const eyrie_context_t* context);

/* ---- Functions ---------------------------------------------------------- */

/* A function of a context: found, and its signature read, once. The context
 * owns it; it is valid as long, and the same thread's. */
typedef struct eyrie_function_t eyrie_function_t;

/* "module.function", or "function", which is sought in the last module first.
 * NOT_FOUND names those that there are. */
EYRIE_EXPORT eyrie_error_t* eyrie_context_function(
    eyrie_context_t* context, const char* name,
    eyrie_function_t** out_function);

/* What a function takes and returns: by its metadata, else by the source's
 * declaration, else by registers. Strings are valid as long as the function. */
typedef struct eyrie_signature_t {
  const char* text;   /* "add(x: 4xf32, y: ?xf32) -> 4xf32" */
  const char* json;   /* an object, as `eyrie dump --json` prints it */
  const char* source; /* "iree.abi", "calling convention", ... */
  const char* doc;    /* what the source says of the function, or "" */
  const char* error;  /* what is wrong with the metadata, which is then not
                       * used; "" if nothing is */
  size_t argument_count;
  size_t result_count;
} eyrie_signature_t;

EYRIE_EXPORT eyrie_signature_t
eyrie_function_signature(const eyrie_function_t* function);

typedef struct eyrie_parameter_t {
  const char* name;     /* or "" */
  const char* type;     /* "?x4xf32", "{a: i32, b: bytes}" */
  int is_keyword;       /* nonzero: the argument may be given by name */
  int storage_of;       /* the result that the argument is storage for, or -1 */
  eyrie_kind_t kind;    /* of the values that it takes or gives */
  eyrie_dtype_t dtype;  /* of numbers and arrays, if it is known */
  int64_t rank;         /* of arrays; -1 if it is not known, or no array */
  const int64_t* shape; /* `rank` dimensions, -1 where they are not known */
} eyrie_parameter_t;

/* `index` below the signature's count, else all fields are 0. */
EYRIE_EXPORT eyrie_parameter_t
eyrie_function_argument(const eyrie_function_t* function, size_t index);
EYRIE_EXPORT eyrie_parameter_t
eyrie_function_result(const eyrie_function_t* function, size_t index);

/* Calls, and waits for the results. Arguments are by position; they are
 * borrowed, and never changed but for the elements of lent arrays. `results`
 * has room for `result_capacity` values: where there is NULL a new one is put,
 * which is the caller's; a value that is there becomes the result. With values
 * handed in again and again calls with numbers allocate nothing. One may be
 * argument and result.
 *
 * INVALID_ARGUMENT: an argument that is missing, not expected, given twice or
 * not what the signature says. RESOURCE_EXHAUSTED: more results than room,
 * found before the call, or a limit is passed, or there is no memory, or an
 * argument is of EYRIE_KIND_NO_MEMORY. Else what the function fails with.
 * Results are left alone then. */
EYRIE_EXPORT eyrie_error_t* eyrie_function_call(eyrie_function_t* function,
                                                eyrie_value_t* const* arguments,
                                                size_t argument_count,
                                                eyrie_value_t** results,
                                                size_t result_capacity);

/* The same with the last `name_count` arguments given by these names. */
EYRIE_EXPORT eyrie_error_t* eyrie_function_call_named(
    eyrie_function_t* function, eyrie_value_t* const* arguments,
    size_t argument_count, const char* const* names, size_t name_count,
    eyrie_value_t** results, size_t result_capacity);

/* ---- Calls made ready --------------------------------------------------- */

/* A call that is made again and again: its arguments are checked and laid out
 * once. The context's thread's; ends before the context. */
typedef struct eyrie_prepared_t eyrie_prepared_t;

/* Arguments as for eyrie_function_call_named, whose values are not needed any
 * more when it returns. Elements of lent arrays are read at every call, if
 * eyrie_function_statistics says that they are lent and not copied; all else
 * is as it is now. Copies, and storage for results that is left out, are made
 * once: a function that writes there finds what the call before has left. */
EYRIE_EXPORT eyrie_error_t* eyrie_function_prepare(
    eyrie_function_t* function, eyrie_value_t* const* arguments,
    size_t argument_count, const char* const* names, size_t name_count,
    eyrie_prepared_t** out_prepared);

/* Calls, and waits. Results as eyrie_function_call gives them, and fails as
 * that does. */
EYRIE_EXPORT eyrie_error_t* eyrie_prepared_call(eyrie_prepared_t* prepared,
                                                eyrie_value_t** results,
                                                size_t result_capacity);

/* NULL is allowed. */
EYRIE_EXPORT void eyrie_prepared_free(eyrie_prepared_t* prepared);

/* ---- Calls in pieces ---------------------------------------------------- */

/* A call that the host's event loop drives. It runs in pieces, and gives way
 * where the function yields or waits for a fence; between them the context is
 * free for other calls. The context's thread's; ends before the context. */
typedef struct eyrie_call_t eyrie_call_t;

/* Says that the call has something to run: once by eyrie_function_begin, later
 * whenever it can go on, on any thread but not on two at once. The host runs
 * it later, on the context's thread: not in here. */
typedef void (*eyrie_wake_t)(void* user);

/* Arguments as for eyrie_function_call_named. The limits of a call hold for
 * all pieces together. INVALID_ARGUMENT as there. */
EYRIE_EXPORT eyrie_error_t* eyrie_function_begin(
    eyrie_function_t* function, eyrie_value_t* const* arguments,
    size_t argument_count, const char* const* names, size_t name_count,
    eyrie_wake_t wake, void* user, eyrie_call_t** out_call);

/* Runs what there is to run, if there is. Nonzero: the call is over. */
EYRIE_EXPORT int eyrie_call_run(eyrie_call_t* call);

/* What the call returned, once, as eyrie_function_call gives it.
 * FAILED_PRECONDITION: it is not over, or they are taken. Else what it failed
 * with. */
EYRIE_EXPORT eyrie_error_t* eyrie_call_results(eyrie_call_t* call,
                                               eyrie_value_t** results,
                                               size_t result_capacity);

/* Drops the call where it stands; nobody is woken any more. NULL is allowed. */
EYRIE_EXPORT void eyrie_call_free(eyrie_call_t* call);

/* What became of the arrays of a call, arguments and results together. */
typedef struct eyrie_call_statistics_t {
  uint32_t lent;      /* used in place */
  uint32_t copied;    /* as they were */
  uint32_t packed;    /* from strides or lists */
  uint32_t converted; /* to another element type */
  uint64_t bytes;     /* copied, packed or converted */
} eyrie_call_statistics_t;

/* Of the last call. */
EYRIE_EXPORT eyrie_call_statistics_t
eyrie_function_statistics(const eyrie_function_t* function);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* EYRIE_C_H_ */
