// The binary interface of executable plug-ins, version 0.1. Names and offsets
// are the format's, from IREE's
// runtime/src/iree/hal/local/executable_plugin.h.
// Tested by tools/native_test.txt.
#ifndef EYRIE_HAL_CPU_PLUGIN_ABI_H_
#define EYRIE_HAL_CPU_PLUGIN_ABI_H_

#include <cstddef>
#include <cstdint>

namespace eyrie::hal::cpu::plugin_abi {

inline constexpr uint32_t kVersion = 1;  // 0.1
inline constexpr char kQuerySymbol[] = "iree_hal_executable_plugin_query";

// A status code in its low five bits. A plug-in that is linked with IREE's
// runtime may put the address of a status object above them.
using Status = uintptr_t;
inline constexpr Status kCodeMask = 0x1F;

struct Header {
  uint32_t version;
  const char* name;
  const char* description;
  uint32_t features;
  uint32_t sanitizer;  // 0: none
  uint64_t reserved[8];
};
static_assert(sizeof(Header) == 96);
static_assert(offsetof(Header, sanitizer) == 28);

enum class AllocatorCommand : uint32_t {
  kAllocate = 0,
  kAllocateZeroed = 1,
  kReallocate = 2,
  kFree = 3,
};

struct AllocationParams {
  size_t byte_length;
};

struct Allocator {
  void* self;
  Status (*control)(void* self, AllocatorCommand command,
                    const AllocationParams* params, void** pointer);
};

struct Environment {
  Allocator host_allocator;
};

struct StringPair {
  const char* key;
  size_t key_size;
  const char* value;
  size_t value_size;
};

struct ResolveParams {
  size_t count;
  const char* const* names;
  void** functions;
  void** contexts;
};

struct Plugin {
  const Header* header;
  Status (*load)(const Environment* environment, size_t param_count,
                 const StringPair* params, void** self);
  void (*unload)(void* self);
  Status (*resolve)(void* self, const ResolveParams* params,
                    uint32_t* resolution);
};
static_assert(sizeof(Plugin) == 32);

// Returns the plug-in, or null if it is newer than `max_version`.
using Query = const Plugin* (*)(uint32_t max_version, void* reserved);

}  // namespace eyrie::hal::cpu::plugin_abi

#endif  // EYRIE_HAL_CPU_PLUGIN_ABI_H_
