// The structs and codes of the PJRT C API, major version 0, without "PJRT_".
//
// The arguments of its functions are made from api.def. The layouts are
// those of minor version 114. A struct begins with its size, so that both sides
// know which fields the other one has: Entry (entry.h) reads and writes no
// others. Handles are classes of this plug-in. Tested by pjrt_test.cc.
#ifndef EYRIE_PLUGINS_PJRT_C_TYPES_H_
#define EYRIE_PLUGINS_PJRT_C_TYPES_H_

#include <cstddef>
#include <cstdint>

namespace eyrie::pjrt {

inline constexpr int kMajorVersion = 0;
inline constexpr int kMinorVersion = 114;

// Handles. A client reads the first word of an Error and of a Memory: a pointer
// to the functions below.
class AsyncHostToDeviceTransferManager;
class Buffer;
class Client;
class Device;
class DeviceDescription;
class Event;
class Executable;
class ExecuteContext;
class LoadedExecutable;
class Memory;
class MemoryLayout;
class TopologyDescription;
struct Error;
// Objects that no function of this plug-in returns.
struct AsyncTrackingEvent;
struct CopyToDeviceStream;
struct FulfillAliasBufferCallback;
// Bytes that the caller must free with a deleter.
struct DeviceAssignmentSerialized;
struct DeviceAttributes;
struct SerializedCompileOptions;
struct SerializedExecutable;
struct SerializedTopology;

// The values are those of absl::StatusCode.
using Error_Code = int;

enum Buffer_Type : int {
#define ELEMENT_TYPE(name, code, dtype, mlir) kBufferType##name = code,
#include "plugins/pjrt/element_types.def"
};

enum HostBufferSemantics : int {
  kImmutableOnlyDuringCall = 0,
  kImmutableUntilTransferCompletes = 1,
  kImmutableZeroCopy = 2,
  kMutableZeroCopy = 3,
};

enum class ExtensionType : int {
  kLayouts = 4,
  kFfi = 5,
  kMemoryDescriptions = 6,
};

struct Extension {
  size_t struct_size;
  ExtensionType type;
  const Extension* next;
};

enum class NamedType : int {
  kString = 0,
  kInt64 = 1,
  kInt64List = 2,
  kFloat = 3,
  kBool = 4,
};

// A name and its value.
struct NamedValue {
  size_t struct_size;
  const Extension* extension_start;
  const char* name;
  size_t name_size;
  NamedType type;
  union {
    const char* string_value;
    int64_t int64_value;
    const int64_t* int64_array_value;
    float float_value;
    uint8_t bool_value;  // a bool
  };
  size_t value_size;  // of a string or a list, else 1
};

struct Program {
  size_t struct_size;
  const Extension* extension_start;
  char* code;
  size_t code_size;
  const char* format;
  size_t format_size;
};

// The order of dimensions in memory, which may be tiled; or their steps.
struct Buffer_MemoryLayout {
  static constexpr int kTiled = 0;
  static constexpr int kStrides = 1;

  struct Tiled {
    size_t struct_size;
    const Extension* extension_start;
    const int64_t* minor_to_major;
    size_t minor_to_major_size;
    const int64_t* tile_dims;
    const size_t* tile_dim_sizes;
    size_t num_tiles;
  };
  struct Strides {
    size_t struct_size;
    const Extension* extension_start;
    const int64_t* byte_strides;
    size_t num_byte_strides;
  };

  size_t struct_size;
  const Extension* extension_start;
  union {
    Tiled tiled;
    Strides strides;
  };
  int type;
};

struct ShapeSpec {
  size_t struct_size;
  const Extension* extension_start;
  const int64_t* dims;
  size_t num_dims;
  Buffer_Type element_type;
};

// The options of an execution. Later fields are not read.
struct ExecuteOptions {
  size_t struct_size;
  const Extension* extension_start;
  const void* send_callbacks;
  const void* recv_callbacks;
  size_t num_send_ops;
  size_t num_recv_ops;
  int launch_id;
  const int64_t* non_donatable_input_indices;
  size_t num_non_donatable_input_indices;
  // Since minor version 55.
  ExecuteContext* context;
};

struct Chunk;
struct ProcessInfo;
struct LogicalDeviceIds {
  int replica;
  int partition;
};

template <typename T>
using Deleter = void (*)(T*);
using DeleteCallback = void (*)(void* device_buffer_ptr, void* user_arg);
using Event_OnReadyCallback = void (*)(Error* error, void* user_arg);
using Error_PayloadVisitor = void (*)(const char* key, size_t key_size,
                                      const char* value, size_t value_size,
                                      void* user_arg);
// Not called by this plug-in.
using KeyValueGetCallback = Error* (*)(void* args);
using KeyValuePutCallback = Error* (*)(void* args);
using KeyValueTryGetCallback = Error* (*)(void* args);
using CopyRawToHostFutureCallback = void*;
using DonateCallback = void*;

// The functions that the first word of an Error points to.
struct ErrorFunctions {
  size_t struct_size;
  size_t instance_size;
  const Extension* extension_start;
  void (*destroy)(Error* error);
  void (*message)(const Error* error, const char** message,
                  size_t* message_size);
  Error_Code (*get_code)(const Error* error);
  void (*for_each_payload)(const Error* error, Error_PayloadVisitor visitor,
                           void* user_arg);
};

// The functions that the first word of a Memory points to.
struct MemoryFunctions {
  size_t struct_size;
  const Extension* extension_start;
  size_t instance_struct_size;
  void* (*get_user_data)(Memory* memory, const void* key);
  void (*set_user_data)(Memory* memory, const void* key, void* data,
                        void (*destroy)(void* data));
};

// The arguments of each function, such as Client_Create_Args.
#define IN(type, name) type name;
#define FUNCTION(name, fields)        \
  struct name##_Args {                \
    size_t struct_size;               \
    const Extension* extension_start; \
    fields                            \
  };
#include "plugins/pjrt/api.def"

// The bytes of the arguments that each client must have.
template <typename Args>
struct LeastSize;
#define IN(type, name) type name;
#define LATER_IN(type, name)
#define FUNCTION(name, fields)                                    \
  struct name##_Least {                                           \
    size_t struct_size;                                           \
    const Extension* extension_start;                             \
    fields char end;                                              \
  };                                                              \
  template <>                                                     \
  struct LeastSize<name##_Args> {                                 \
    static constexpr size_t kBytes = offsetof(name##_Least, end); \
    static constexpr const char* kName = "PJRT_" #name;           \
  };
#include "plugins/pjrt/api.def"

struct Version {
  size_t struct_size;
  const Extension* extension_start;
  int major_version;
  int minor_version;
};

// The table of functions. Error_Destroy and Error_Message return nothing, which
// a caller of the C interface does not see.
struct Api {
  size_t struct_size;
  const Extension* extension_start;
  Version version;
#define FUNCTION(name, fields) Error* (*name)(name##_Args * args);
#include "plugins/pjrt/api.def"
};

}  // namespace eyrie::pjrt

#endif  // EYRIE_PLUGINS_PJRT_C_TYPES_H_
