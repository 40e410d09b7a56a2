/* The C ABI of XLA FFI handlers, versions 0.1 to 0.5, for handlers written in
 * C. docs/native.md has an example.
 *
 * The layouts are those of XLA's own header on 64-bit machines. The names
 * differ, so that one file can include both headers. `size` is the number of
 * bytes of the struct that its writer knows: NAME_SIZE if that is defined, else
 * sizeof. Readers must check it with >=, and that of a call frame with ==.
 *
 * A comment "since 0.4" names the first version with a member or function. A
 * host of an earlier version does not have it: compare the size of its function
 * table before you call such a function. */
#ifndef EYRIE_XLA_FFI_H_
#define EYRIE_XLA_FFI_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The minor API version of the handler: 1 to 5. A handler may define it before
 * it includes this header. A handler that uses a lower version runs on more
 * hosts. */
#ifndef EYRIE_FFI_MINOR
#define EYRIE_FFI_MINOR 5
#endif
enum { EYRIE_FFI_MAJOR = 0, EYRIE_FFI_NEWEST_MINOR = 5 };

/* Objects of the host, opaque to handlers. */
typedef struct eyrie_ffi_error eyrie_ffi_error_t;
typedef struct eyrie_ffi_context eyrie_ffi_context_t; /* of one call */
typedef struct eyrie_ffi_future eyrie_ffi_future_t;

/* An entry of the linked list of extensions that a struct may have. Calls have
 * extensions of another form: eyrie_ffi_call_extension_t. */
typedef struct eyrie_ffi_extension {
  size_t size;
  int32_t kind; /* eyrie_ffi_extension_kind */
  struct eyrie_ffi_extension* next;
} eyrie_ffi_extension_t;
enum eyrie_ffi_extension_kind { EYRIE_FFI_EXTENSION_METADATA = 1 };

#define EYRIE_FFI_PREFIX \
  size_t size;           \
  eyrie_ffi_extension_t* extension

/* The size of a struct up to and including the member `last`. */
#define EYRIE_FFI_SIZE(type, last) \
  (offsetof(type, last) + sizeof(((type*)0)->last))

typedef struct eyrie_ffi_version {
  EYRIE_FFI_PREFIX;
  int32_t major;
  int32_t minor;
} eyrie_ffi_version_t;

/* Element types. hal/element_types.def lists their properties. */
enum eyrie_ffi_type {
  EYRIE_FFI_PRED = 1,
  EYRIE_FFI_S8 = 2,
  EYRIE_FFI_S16 = 3,
  EYRIE_FFI_S32 = 4,
  EYRIE_FFI_S64 = 5,
  EYRIE_FFI_U8 = 6,
  EYRIE_FFI_U16 = 7,
  EYRIE_FFI_U32 = 8,
  EYRIE_FFI_U64 = 9,
  EYRIE_FFI_F16 = 10,
  EYRIE_FFI_F32 = 11,
  EYRIE_FFI_F64 = 12,
  EYRIE_FFI_C64 = 15,
  EYRIE_FFI_BF16 = 16,
  EYRIE_FFI_TOKEN = 17,
  EYRIE_FFI_C128 = 18,
  EYRIE_FFI_F8E5M2 = 19,
  EYRIE_FFI_F8E4M3FN = 20,
  /* Elements of less than a byte take one byte each. */
  EYRIE_FFI_S4 = 21,
  EYRIE_FFI_U4 = 22,
  EYRIE_FFI_F8E4M3B11FNUZ = 23,
  EYRIE_FFI_F8E5M2FNUZ = 24,
  EYRIE_FFI_F8E4M3FNUZ = 25,
  EYRIE_FFI_S2 = 26,
  EYRIE_FFI_U2 = 27,
  EYRIE_FFI_F8E4M3 = 28,
  EYRIE_FFI_F8E3M4 = 29,
  EYRIE_FFI_S1 = 30,
  EYRIE_FFI_U1 = 31,
  EYRIE_FFI_F4E2M1FN = 32,
  EYRIE_FFI_F8E8M0FNU = 33
};

/* An argument or a result: dense and row-major, in the platform's memory. */
typedef struct eyrie_ffi_buffer {
  EYRIE_FFI_PREFIX;
  int32_t type; /* eyrie_ffi_type */
  void* data;
  int64_t rank;
  int64_t* dims; /* `rank` dimensions */
} eyrie_ffi_buffer_t;

typedef struct eyrie_ffi_bytes {
  const char* data;
  size_t size;
} eyrie_ffi_bytes_t;

/* The kind of an attribute, which decides what its pointer points to. */
enum eyrie_ffi_attribute_kind {
  EYRIE_FFI_ARRAY = 1,      /* eyrie_ffi_array_t */
  EYRIE_FFI_DICTIONARY = 2, /* eyrie_ffi_attributes_t */
  EYRIE_FFI_SCALAR = 3,     /* eyrie_ffi_scalar_t */
  EYRIE_FFI_STRING = 4      /* eyrie_ffi_bytes_t */
};
typedef struct eyrie_ffi_scalar {
  int32_t type;
  const void* value;
} eyrie_ffi_scalar_t;
typedef struct eyrie_ffi_array {
  int32_t type;
  size_t count;
  const void* data;
} eyrie_ffi_array_t;

enum { EYRIE_FFI_BUFFER = 1 }; /* the only kind of arguments and results */
typedef struct eyrie_ffi_values {
  EYRIE_FFI_PREFIX;
  int64_t count;
  int32_t* kinds;
  void** values; /* eyrie_ffi_buffer_t* each */
} eyrie_ffi_values_t;

/* Attributes, in ascending order of their names' bytes. */
typedef struct eyrie_ffi_attributes {
  EYRIE_FFI_PREFIX;
  int64_t count;
  int32_t* kinds; /* eyrie_ffi_attribute_kind */
  eyrie_ffi_bytes_t** names;
  void** values;
} eyrie_ffi_attributes_t;

enum eyrie_ffi_stage {
  EYRIE_FFI_INSTANTIATE = 0, /* once, with attributes only */
  EYRIE_FFI_PREPARE = 1,
  EYRIE_FFI_INITIALIZE = 2,
  EYRIE_FFI_EXECUTE = 3,
  /* Since 0.4: called instead of the stage execute while commands are recorded
   * for a GPU. Eyrie does not call it. */
  EYRIE_FFI_RECORD = 4,
#if EYRIE_FFI_MINOR >= 4
  EYRIE_FFI_STAGES = 5
#else
  EYRIE_FFI_STAGES = 4
#endif
};

struct eyrie_ffi_api;
typedef struct eyrie_ffi_call_frame {
  EYRIE_FFI_PREFIX; /* size is exactly EYRIE_FFI_CALL_FRAME_SIZE */
  const struct eyrie_ffi_api* api;
  eyrie_ffi_context_t* context;
  int32_t stage;
  eyrie_ffi_values_t args;
  eyrie_ffi_values_t results;
  eyrie_ffi_attributes_t attributes;
  eyrie_ffi_future_t* future; /* out: set by a handler that is still working */
} eyrie_ffi_call_frame_t;
/* Does not include the future. */
#define EYRIE_FFI_CALL_FRAME_SIZE offsetof(eyrie_ffi_call_frame_t, future)

/* Returns NULL, or an error that the host takes ownership of. */
typedef eyrie_ffi_error_t* eyrie_ffi_handler_t(eyrie_ffi_call_frame_t* frame);

/* If a frame has this extension, the handler must fill in `metadata` and do
 * nothing else. */
enum { EYRIE_FFI_COMMAND_BUFFER_COMPATIBLE = 1 }; /* a trait */
typedef struct eyrie_ffi_metadata {
  size_t size;
  eyrie_ffi_version_t api_version;
  uint32_t traits;
  int64_t state_type; /* since 0.2, past EYRIE_FFI_METADATA_SIZE */
} eyrie_ffi_metadata_t;
#define EYRIE_FFI_METADATA_SIZE EYRIE_FFI_SIZE(eyrie_ffi_metadata_t, traits)
typedef struct eyrie_ffi_metadata_extension {
  eyrie_ffi_extension_t base;
  eyrie_ffi_metadata_t* metadata;
} eyrie_ffi_metadata_extension_t;

/* The arguments of the functions below. */
typedef struct eyrie_ffi_error_create {
  EYRIE_FFI_PREFIX;
  const char* message;
  int32_t code; /* 1 to 16, as absl::StatusCode */
} eyrie_ffi_error_create_t;
typedef struct eyrie_ffi_error_details {
  EYRIE_FFI_PREFIX;
  eyrie_ffi_error_t* error;
  const char* message; /* out: valid as long as the error */
  int32_t code;        /* out, since 0.4; earlier hosts do not write it */
} eyrie_ffi_error_details_t;
typedef struct eyrie_ffi_error_destroy {
  EYRIE_FFI_PREFIX;
  eyrie_ffi_error_t* error;
} eyrie_ffi_error_destroy_t;

/* The handlers of the stages, of which only execute is required. The host finds
 * the number of stages in the size of the struct below. */
typedef struct eyrie_ffi_bundle {
  eyrie_ffi_handler_t* stages[EYRIE_FFI_STAGES];
} eyrie_ffi_bundle_t;
typedef struct eyrie_ffi_handler_register {
  EYRIE_FFI_PREFIX;
  eyrie_ffi_bytes_t name;
  eyrie_ffi_bytes_t platform;
  eyrie_ffi_bundle_t bundle;
  uint32_t traits;
} eyrie_ffi_handler_register_t;

typedef struct eyrie_ffi_type_id {
  int64_t id; /* 0: the host assigns one */
} eyrie_ffi_type_id_t;
typedef struct eyrie_ffi_type_info {
  EYRIE_FFI_PREFIX;
  void (*deleter)(void* object);
} eyrie_ffi_type_info_t;
typedef struct eyrie_ffi_type_register {
  EYRIE_FFI_PREFIX;
  eyrie_ffi_bytes_t name;
  eyrie_ffi_type_id_t* type_id;           /* in and out */
  const eyrie_ffi_type_info_t* type_info; /* since 0.2, not part of size */
} eyrie_ffi_type_register_t;
#define EYRIE_FFI_TYPE_REGISTER_SIZE \
  EYRIE_FFI_SIZE(eyrie_ffi_type_register_t, type_id)

typedef struct eyrie_ffi_context_get {
  EYRIE_FFI_PREFIX;
  eyrie_ffi_context_t* context;
  eyrie_ffi_type_id_t* type_id;
  void* data; /* out */
} eyrie_ffi_context_get_t;

/* The state of a stage, in the layout of each version. The same struct is used
 * to set `state` and to get it. */
typedef struct eyrie_ffi_state_1 {
  EYRIE_FFI_PREFIX;
  eyrie_ffi_context_t* context;
  eyrie_ffi_type_id_t* type_id;
  void* state;
  void (*deleter)(void* state); /* only to set a state */
} eyrie_ffi_state_1_t;
typedef struct eyrie_ffi_state_2 {
  EYRIE_FFI_PREFIX;
  eyrie_ffi_context_t* context;
  eyrie_ffi_type_id_t* type_id;
  void* state;
} eyrie_ffi_state_2_t;
typedef struct eyrie_ffi_state_3 {
  EYRIE_FFI_PREFIX;
  eyrie_ffi_context_t* context;
  int32_t stage;
  eyrie_ffi_type_id_t* type_id;
  void* state;
} eyrie_ffi_state_3_t;

typedef struct eyrie_ffi_stream_get {
  EYRIE_FFI_PREFIX;
  eyrie_ffi_context_t* context;
  void* stream; /* out */
} eyrie_ffi_stream_get_t;
typedef struct eyrie_ffi_memory_allocate {
  EYRIE_FFI_PREFIX;
  eyrie_ffi_context_t* context;
  size_t byte_count;
  size_t alignment;
  void* data; /* out */
} eyrie_ffi_memory_allocate_t;
typedef struct eyrie_ffi_memory_free {
  EYRIE_FFI_PREFIX;
  eyrie_ffi_context_t* context;
  size_t byte_count;
  void* data;
} eyrie_ffi_memory_free_t;
typedef struct eyrie_ffi_schedule {
  EYRIE_FFI_PREFIX;
  eyrie_ffi_context_t* context;
  void (*task)(void* data);
  void* data;
} eyrie_ffi_schedule_t;
typedef struct eyrie_ffi_thread_count {
  EYRIE_FFI_PREFIX;
  eyrie_ffi_context_t* context;
  int64_t* count; /* out */
} eyrie_ffi_thread_count_t;

typedef struct eyrie_ffi_future_create {
  EYRIE_FFI_PREFIX;
  eyrie_ffi_future_t* future; /* out, not part of size */
} eyrie_ffi_future_create_t;
#define EYRIE_FFI_FUTURE_CREATE_SIZE offsetof(eyrie_ffi_future_create_t, future)
typedef struct eyrie_ffi_future_available {
  EYRIE_FFI_PREFIX;
  eyrie_ffi_future_t* future;
} eyrie_ffi_future_available_t;
typedef struct eyrie_ffi_future_error {
  EYRIE_FFI_PREFIX;
  eyrie_ffi_future_t* future;
  eyrie_ffi_error_t* error; /* the host takes ownership */
} eyrie_ffi_future_error_t;

typedef struct eyrie_ffi_run_id {
  EYRIE_FFI_PREFIX; /* some handlers set size to 40, so check with >= */
  eyrie_ffi_context_t* context;
  int64_t run_id; /* out */
} eyrie_ffi_run_id_t;
typedef struct eyrie_ffi_device_ordinal {
  EYRIE_FFI_PREFIX;
  eyrie_ffi_context_t* context;
  int32_t ordinal; /* out */
} eyrie_ffi_device_ordinal_t;

/* Data or functions that a host offers to the handler of a call, since 0.4. A
 * type of extension has versions of its own, which a handler must compare. The
 * members after these depend on the type. */
typedef struct eyrie_ffi_call_extension {
  size_t size;
  int64_t type; /* eyrie_ffi_call_extension_type, or a host's own */
  int32_t major;
  int32_t minor;
  const struct eyrie_ffi_call_extension* next;
} eyrie_ffi_call_extension_t;
enum eyrie_ffi_call_extension_type {
  EYRIE_FFI_CALL_RECORD = 128,     /* records commands; not offered by Eyrie */
  EYRIE_FFI_CALL_COLLECTIVES = 129 /* communicators; not offered by Eyrie */
};
typedef struct eyrie_ffi_find_extension {
  EYRIE_FFI_PREFIX;
  eyrie_ffi_context_t* context;
  int64_t type;
  const eyrie_ffi_call_extension_t* found; /* out: valid during the call */
} eyrie_ffi_find_extension_t;

/* Options of one call, since 0.5. */
typedef struct eyrie_ffi_custom_options {
  EYRIE_FFI_PREFIX;
  eyrie_ffi_context_t* context;
  const eyrie_ffi_attributes_t* options; /* out: valid during the call */
} eyrie_ffi_custom_options_t;

/* The host's functions, none of which is NULL. `size` covers the functions of
 * the version. Functions that return an error return NULL on success. state_set
 * and state_get take the struct of the version that the handler has reported in
 * its metadata. */
typedef struct eyrie_ffi_api {
  EYRIE_FFI_PREFIX;
  eyrie_ffi_version_t version;
  const void* internal; /* null */
  eyrie_ffi_error_t* (*error_create)(eyrie_ffi_error_create_t*);
  void (*error_details)(eyrie_ffi_error_details_t*);
  void (*error_destroy)(eyrie_ffi_error_destroy_t*);
  eyrie_ffi_error_t* (*handler_register)(eyrie_ffi_handler_register_t*);
  eyrie_ffi_error_t* (*stream_get)(eyrie_ffi_stream_get_t*);
  eyrie_ffi_error_t* (*type_register)(eyrie_ffi_type_register_t*);
  eyrie_ffi_error_t* (*context_get)(eyrie_ffi_context_get_t*);
  eyrie_ffi_error_t* (*state_set)(void*);
  eyrie_ffi_error_t* (*state_get)(void*);
  eyrie_ffi_error_t* (*memory_allocate)(eyrie_ffi_memory_allocate_t*);
  eyrie_ffi_error_t* (*memory_free)(eyrie_ffi_memory_free_t*);
  eyrie_ffi_error_t* (*schedule)(eyrie_ffi_schedule_t*);
  eyrie_ffi_error_t* (*thread_count)(eyrie_ffi_thread_count_t*);
  eyrie_ffi_error_t* (*future_create)(eyrie_ffi_future_create_t*);
  eyrie_ffi_error_t* (*future_available)(eyrie_ffi_future_available_t*);
  eyrie_ffi_error_t* (*future_error)(eyrie_ffi_future_error_t*);
  eyrie_ffi_error_t* (*run_id)(eyrie_ffi_run_id_t*);
  eyrie_ffi_error_t* (*device_ordinal)(eyrie_ffi_device_ordinal_t*);
  /* Since 0.4. UNIMPLEMENTED: the call has no extension of this type. */
  eyrie_ffi_error_t* (*find_extension)(eyrie_ffi_find_extension_t*);
  /* Since 0.5. Eyrie's calls have no options. */
  eyrie_ffi_error_t* (*custom_options)(eyrie_ffi_custom_options_t*);
} eyrie_ffi_api_t;

#ifdef __cplusplus
}
#endif

#endif /* EYRIE_XLA_FFI_H_ */
