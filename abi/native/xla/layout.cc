// Checks that the structs of eyrie/xla_ffi.h have the layout that handlers were
// compiled with. For each struct of XLA's header: its size, the size that it
// declares, and the offsets of its members.
#include <cstddef>

#include "eyrie/xla_ffi.h"

static_assert(sizeof(void*) == 8, "The layouts are those of 64-bit machines.");

#define SIZES(name, whole, said, last)                    \
  static_assert(sizeof(eyrie_ffi_##name##_t) == (whole)); \
  static_assert(EYRIE_FFI_SIZE(eyrie_ffi_##name##_t, last) == (said))
#define PLACE(name, member, offset) \
  static_assert(offsetof(eyrie_ffi_##name##_t, member) == (offset))

SIZES(extension, 24, 24, next);
PLACE(extension, kind, 8);
SIZES(version, 24, 24, minor);
PLACE(version, major, 16);
SIZES(buffer, 48, 48, dims);
PLACE(buffer, type, 16);
PLACE(buffer, data, 24);
PLACE(buffer, rank, 32);
SIZES(bytes, 16, 16, size);
SIZES(scalar, 16, 16, value);
SIZES(array, 24, 24, data);
PLACE(array, count, 8);
SIZES(values, 40, 40, values);
PLACE(values, kinds, 24);
SIZES(attributes, 48, 48, values);
PLACE(attributes, names, 32);
SIZES(call_frame, 176, 176, future);
static_assert(EYRIE_FFI_CALL_FRAME_SIZE == 168);
PLACE(call_frame, api, 16);
PLACE(call_frame, context, 24);
PLACE(call_frame, stage, 32);
PLACE(call_frame, args, 40);
PLACE(call_frame, results, 80);
PLACE(call_frame, attributes, 120);
SIZES(metadata, 48, 48, state_type);
static_assert(EYRIE_FFI_METADATA_SIZE == 36);
PLACE(metadata, api_version, 8);
PLACE(metadata, traits, 32);
SIZES(metadata_extension, 32, 32, metadata);
SIZES(error_create, 32, 28, code);
SIZES(error_details, 40, 36, code);
PLACE(error_details, message, 24);
SIZES(error_destroy, 24, 24, error);
SIZES(bundle, 40, 40, stages);
SIZES(handler_register, 96, 92, traits);
PLACE(handler_register, platform, 32);
PLACE(handler_register, bundle, 48);
SIZES(type_info, 24, 24, deleter);
SIZES(type_register, 48, 48, type_info);
static_assert(EYRIE_FFI_TYPE_REGISTER_SIZE == 40);
SIZES(context_get, 40, 40, data);
SIZES(state_1, 48, 48, deleter);
PLACE(state_1, state, 32);
SIZES(state_2, 40, 40, state);
SIZES(state_3, 48, 48, state);
PLACE(state_3, type_id, 32);
SIZES(stream_get, 32, 32, stream);
SIZES(memory_allocate, 48, 48, data);
SIZES(memory_free, 40, 40, data);
SIZES(schedule, 40, 40, data);
SIZES(thread_count, 32, 32, count);
SIZES(future_create, 24, 24, future);
static_assert(EYRIE_FFI_FUTURE_CREATE_SIZE == 16);
SIZES(future_available, 24, 24, future);
SIZES(future_error, 32, 32, error);
SIZES(run_id, 32, 32, run_id);
SIZES(device_ordinal, 32, 28, ordinal);
SIZES(call_extension, 32, 32, next);
PLACE(call_extension, type, 8);
PLACE(call_extension, major, 16);
PLACE(call_extension, minor, 20);
SIZES(find_extension, 40, 40, found);
PLACE(find_extension, type, 24);
SIZES(custom_options, 32, 32, options);

SIZES(api, 208, 208, custom_options);
PLACE(api, internal, 40);
PLACE(api, error_create, 48);
PLACE(api, error_destroy, 64);
PLACE(api, handler_register, 72);
PLACE(api, stream_get, 80);
PLACE(api, type_register, 88);
PLACE(api, context_get, 96);
PLACE(api, state_set, 104);
PLACE(api, memory_allocate, 120);
PLACE(api, schedule, 136);
PLACE(api, thread_count, 144);
PLACE(api, future_create, 152);
PLACE(api, future_error, 168);
PLACE(api, run_id, 176);
PLACE(api, find_extension, 192);
