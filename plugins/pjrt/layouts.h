// The extension for layouts: arrays are row-major.
// Tested by hostile_test.cc.
#ifndef EYRIE_PLUGINS_PJRT_LAYOUTS_H_
#define EYRIE_PLUGINS_PJRT_LAYOUTS_H_

#include <cstddef>
#include <cstdint>

#include "plugins/pjrt/c_types.h"

namespace eyrie::pjrt {

struct SerializedLayout;

// The functions of the extension, as api.def has those of the API.
#define LAYOUT_FUNCTIONS(FUNCTION, HANDLE, IN, OUT)                           \
  FUNCTION(Layouts_MemoryLayout_Destroy, IN(MemoryLayout*, layout))           \
  FUNCTION(Layouts_MemoryLayout_Serialize,                                    \
           HANDLE(MemoryLayout*, layout) OUT(const char*, serialized_bytes)   \
               OUT(size_t, serialized_bytes_size)                             \
                   OUT(SerializedLayout*, serialized_layout) OUT(             \
                       Deleter<SerializedLayout>, serialized_layout_deleter)) \
  FUNCTION(Layouts_Client_GetDefaultLayout,                                   \
           HANDLE(Client*, client) IN(int, type) IN(const int64_t*, dims)     \
               IN(size_t, num_dims) OUT(MemoryLayout*, layout))               \
  FUNCTION(Layouts_Buffer_MemoryLayout,                                       \
           HANDLE(Buffer*, buffer) OUT(MemoryLayout*, layout))                \
  FUNCTION(Layouts_Topology_GetDefaultLayout,                                 \
           HANDLE(TopologyDescription*, topology) IN(int, type)               \
               IN(const int64_t*, dims) IN(size_t, num_dims)                  \
                   OUT(MemoryLayout*, layout))                                \
  FUNCTION(Layouts_Executable_GetOutputLayouts,                               \
           HANDLE(Executable*, executable) OUT(size_t, num_outputs)           \
               OUT(MemoryLayout**, layouts))                                  \
  FUNCTION(Layouts_Executable_GetParameterLayouts,                            \
           HANDLE(Executable*, executable) OUT(size_t, num_parameters)        \
               OUT(MemoryLayout**, layouts))

#define FIELD(type, name) type name;
#define ARGUMENTS(name, fields)                           \
  struct name##_Args {                                    \
    size_t struct_size;                                   \
    const Extension* extension_start;                     \
    fields                                                \
  };                                                      \
  template <>                                             \
  struct LeastSize<name##_Args> {                         \
    static constexpr size_t kBytes = sizeof(name##_Args); \
    static constexpr const char* kName = "PJRT_" #name;   \
  };
LAYOUT_FUNCTIONS(ARGUMENTS, FIELD, FIELD, FIELD)
#undef ARGUMENTS

struct LayoutsTable {
  Extension base;
#define POINTER(name, fields) Error* (*name)(name##_Args*);
  LAYOUT_FUNCTIONS(POINTER, FIELD, FIELD, FIELD)
};
#undef POINTER
#undef FIELD

// Returns the extension, before `next` in the list.
const Extension* LayoutsExtension(const Extension* next);

}  // namespace eyrie::pjrt

#endif  // EYRIE_PLUGINS_PJRT_LAYOUTS_H_
