/* Logs, allocators and devices of the C API. c.h includes this. */
#ifndef EYRIE_C_DEVICE_H_
#define EYRIE_C_DEVICE_H_

#include "eyrie/c_base.h"
#include "eyrie/c_value.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Logs and allocators ------------------------------------------------ */

/* The kind of a log message. */
typedef int32_t eyrie_severity_t;
enum {
  EYRIE_SEVERITY_MODULE = 1,  /* printed or traced by a module */
  EYRIE_SEVERITY_NOTE = 2,    /* information, not an error */
  EYRIE_SEVERITY_WARNING = 3, /* an error that no function returns */
};

/* Receives a log message: `length` bytes of UTF-8, followed by a NUL but not by
 * a newline. A traced tensor is one message of several lines. The text is valid
 * only during the call. May be called on any thread, and on several at the same
 * time. Must not throw or call the library. The library itself prints nothing;
 * without a log, messages are dropped. */
typedef void (*eyrie_log_t)(eyrie_severity_t severity, const char* text,
                            size_t length, void* user);

/* Allocates `size` bytes, at least 1, at a multiple of `alignment`, which is a
 * power of two (64 in this version). The content may be anything. If it returns
 * NULL, the operation that needs the memory fails with RESOURCE_EXHAUSTED. */
typedef void* (*eyrie_allocate_t)(size_t size, size_t alignment, void* user);
/* Frees memory from eyrie_allocate_t. `size` is the size that was requested. */
typedef void (*eyrie_deallocate_t)(void* memory, size_t size, void* user);

/* Allocates the buffers of CPU devices (eyrie_device_options_t) and the results
 * of calls (eyrie_call_options_t). Thread-safe; reference counted. Devices and
 * values in its memory retain it. */
typedef struct eyrie_allocator_t eyrie_allocator_t;

/* Creates an allocator. The functions may be called on any thread, and on
 * several at the same time. They must not throw or call the library.
 * `free_user(user)` is called once, after the last deallocate and the last
 * release. It may be NULL. */
EYRIE_EXPORT eyrie_allocator_t* eyrie_allocator_create(
    eyrie_allocate_t allocate, eyrie_deallocate_t deallocate, void* user,
    void (*free_user)(void* user));
EYRIE_EXPORT void eyrie_allocator_retain(eyrie_allocator_t* allocator);
EYRIE_EXPORT void eyrie_allocator_release(eyrie_allocator_t* allocator);

/* ---- Devices ------------------------------------------------------------ */

/* A device. Thread-safe; any number of contexts may share it. */
typedef struct eyrie_device_t eyrie_device_t;

/* Which bytecode functions are compiled to machine code. The interpreter runs
 * all others, and runs everything if the system refuses executable memory. */
typedef int32_t eyrie_jit_t;
enum {
  EYRIE_JIT_LAZY = 0, /* functions that are called or loop often */
  EYRIE_JIT_OFF = 1,  /* none */
  EYRIE_JIT_EAGER = 2 /* every function, when it is first called */
};

/* A Vulkan device that the program created. Handles are those of Vulkan. */
typedef struct eyrie_vulkan_device_t {
  size_t struct_size;    /* set by the caller */
  void* physical_device; /* VkPhysicalDevice, of Vulkan 1.2 or later */
  /* VkDevice, with the feature timelineSemaphore. It must exist until all
   * contexts, values and references of the Eyrie device are gone. */
  void* device;
  /* The VkDeviceCreateInfo that the VkDevice was created with, which only
   * eyrie_device_open reads. Eyrie uses the extensions that are enabled, and
   * the features that are enabled in pEnabledFeatures,
   * VkPhysicalDeviceFeatures2 or VkPhysicalDeviceVulkan11Features to
   * Vulkan13Features. Enable hostQueryReset, scalarBlockLayout and
   * shaderSubgroupExtendedTypes if the device has them, and what the modules'
   * shaders need. */
  const void* create_info;
  void* queue; /* VkQueue for compute; nothing else may use it */
  uint32_t queue_family;
  uint32_t reserved; /* must be 0 */
} eyrie_vulkan_device_t;

typedef struct eyrie_device_options_t {
  size_t struct_size; /* sizeof(eyrie_device_options_t), or an older one's */
  /* Nonzero: executables in the platform's own format may be loaded. */
  int32_t allow_system_executables;
  /* Nonzero: native executables are refused, and a context of a module that
   * needs one cannot be created. Shaders are still accepted; the device keeps
   * their accesses within their buffers as far as it can (docs/vulkan.md). Use
   * this for untrusted modules. */
  int32_t no_native_code;
  /* Nonzero: machine code of modules runs in a process of its own, which can do
   * nothing but compute (docs/isolation.md). Use this for untrusted modules.
   * Each device starts one. UNAVAILABLE or UNIMPLEMENTED: this system or this
   * device cannot do that. INVALID_ARGUMENT: an allocator is given, too. */
  int32_t isolate;
  /* For the device's bytecode kernels and for contexts whose first device this
   * is. */
  eyrie_jit_t jit;
  /* Receives information that is not an error (docs/vulkan.md, "Notes"). May be
   * NULL. May be called on any thread, and on several at the same time, while
   * the device or an object of it exists. Must not use the device. */
  void (*notice)(const char* sentence, void* notice_data);
  void* notice_data;
  /* Called once when notice_data is no longer needed, even if the device cannot
   * be opened. May be NULL. */
  void (*free_notice_data)(void* notice_data);
  /* The log of the device, which also receives its notices, and of contexts
   * whose first device this is. May be NULL. */
  eyrie_log_t log;
  void* log_data;
  void (*free_log_data)(void* log_data); /* as free_notice_data */
  /* Allocates the buffers of a CPU device; NULL: the system does
   * (docs/embedding.md, "Memory"). Free blocks may be cached for later buffers
   * as long as the device or a value in its memory exists. Devices with memory
   * of their own (Vulkan) return UNIMPLEMENTED. */
  eyrie_allocator_t* allocator;
  /* Limit of the memory that the device keeps for later buffers, in bytes. 0: a
   * quarter of the memory that this process, or the GPU, has; 1: nothing is
   * kept. Memory that is not used for 10 s is freed. */
  uint64_t max_idle_memory;
  /* The threads of "local-task" (docs/threads.md); other devices ignore them.
   * How many: 0 means one per core, at most 64. */
  uint32_t thread_count;
  /* Their processors, such as "0-3,8", one thread for each; NULL means any. */
  const char* thread_cpus;
  /* How long an idle thread polls, in microseconds: 0 means 50, -1 not at all.
   */
  int64_t thread_spin_us;
  /* The folder of Vulkan's pipeline caches (docs/vulkan.md); NULL means none.
   * Other devices ignore it. */
  const char* pipeline_cache;
  /* Opens this device; the name must be "vulkan". NULL means that the library
   * creates a device. Other devices ignore it. */
  const eyrie_vulkan_device_t* vulkan_device;
} eyrie_device_options_t;

/* Opens a device by its name, such as "local-sync"; eyrie_device_list_create
 * lists them. A name may end with settings, which replace those of `options`:
 * "local-task://?threads=4&cpus=0-3&spin_us=0", "vulkan://?pipeline_cache=DIR".
 * `options` may be NULL.
 *
 * NOT_FOUND: no such driver or device. INVALID_ARGUMENT: wrong options, with a
 * struct_size that is too small, an unknown setting, an unknown jit, or an
 * option of a newer header.
 * UNIMPLEMENTED: an allocator for a device with its own memory, or a feature
 * that the device lacks. UNAVAILABLE: the machine has no Vulkan loader or
 * driver. RESOURCE_EXHAUSTED: no memory or threads.
 *
 * In a child of fork(), a device with threads that the parent opened returns
 * FAILED_PRECONDITION from all functions; the child must open its own. */
EYRIE_EXPORT EYRIE_CHECK eyrie_error_t* eyrie_device_open(
    const char* uri, const eyrie_device_options_t* options,
    eyrie_device_t** out_device);
EYRIE_EXPORT void eyrie_device_retain(eyrie_device_t* device);
EYRIE_EXPORT void eyrie_device_release(eyrie_device_t* device);

/* A device that can be opened. The strings are valid as long as the list. */
typedef struct eyrie_device_info_t {
  size_t struct_size;      /* set by the library */
  const char* uri;         /* "local-sync://" */
  const char* driver;      /* "local-sync" */
  const char* description; /* of the driver, in one line */
  const char* properties;  /* lines of "key: value", or "" */
  /* Why the driver has no devices; then `uri` and `properties` are "". Else "".
   */
  const char* error;
} eyrie_device_info_t;

/* The devices of this machine, when the list was created. */
typedef struct eyrie_device_list_t {
  size_t struct_size; /* set by the library */
  const eyrie_device_info_t* const* devices;
  size_t count;
} eyrie_device_list_t;

/* Lists the devices of all drivers. This loads Vulkan's drivers. */
EYRIE_EXPORT const eyrie_device_list_t* eyrie_device_list_create(void);
EYRIE_EXPORT void eyrie_device_list_free(const eyrie_device_list_t* list);

/* Creates an array in the device's memory, with a copy of the elements. If the
 * result is lent (EYRIE_ACCESS_LEND), calls on this device do not copy it
 * again. INVALID_ARGUMENT: `array` is not an array. RESOURCE_EXHAUSTED: no
 * memory. */
EYRIE_EXPORT EYRIE_CHECK eyrie_error_t* eyrie_value_new_uploaded(
    const eyrie_value_t* array, eyrie_device_t* device,
    eyrie_value_t** out_value);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* EYRIE_C_DEVICE_H_ */
