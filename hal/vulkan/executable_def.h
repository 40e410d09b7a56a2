// Executables for Vulkan, decoded: what pipelines are made from.
//
// One reader for all releases. The FlatBuffer (executable.fbs) stands alone
// until 3.8; from 3.9 on a header of 64 bytes is before it: "VKE1", u32
// version 0, u64 size of what follows, 48 bytes reserved.
// Tested by executable_def_test.cc, executable_fuzz.cc.
#ifndef EYRIE_HAL_VULKAN_EXECUTABLE_DEF_H_
#define EYRIE_HAL_VULKAN_EXECUTABLE_DEF_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "hal/vulkan/spirv.h"

namespace eyrie::hal::vulkan {

// How a kernel is given its buffers and constants.
enum class DispatchAbi : uint8_t {
  kDescriptors,      // set 0; constants from byte 0 of the push constants on
  kBufferAddresses,  // a root of 32 bytes and the constants are pushed
};

enum class DescriptorKind : uint8_t { kUniformBuffer, kStorageBuffer };

// A descriptor of set 0. Its place in the list is the HAL's binding ordinal.
struct DescriptorBinding {
  uint32_t binding;  // Vulkan's number; distinct within a layout
  DescriptorKind kind;
};

// A pipeline layout, which several exports may share.
struct PipelineLayout {
  bool has_set = false;  // else there is no descriptor set at all
  std::vector<DescriptorBinding> bindings;
  // One range of push constants, bytes; multiples of 4. Size 0: none.
  uint32_t push_constants_offset = 0;
  uint32_t push_constants_size = 0;
};

// What a kernel takes for granted of a buffer passed by address.
struct AddressedBinding {
  uint32_t minimum_alignment = 1;  // bytes, a power of two
  uint64_t minimum_length = 0;     // bytes
};

// Bytes of kBufferAddresses' root: u64 address of the table of addresses, u64
// address of constants (0), u32 first binding, u32 first constant, u32 flags,
// u32 reserved.
inline constexpr uint32_t kAddressRootSize = 32;

// Of kBufferAddresses: offsets are bytes within the push constants, lie
// within the layout's range and do not overlap.
struct AddressLayout {
  uint32_t root_offset = 0;
  uint32_t constants_offset = 0;
  std::vector<AddressedBinding> bindings;  // one per HAL binding
};

struct ShaderModule {
  std::vector<uint32_t> words;  // as ReadSpirv left them
  SpirvModule spirv;
};

// An export: one pipeline.
struct PipelineDef {
  std::string name;  // of the entry point, which exists; not empty
  uint32_t shader_module;
  uint32_t layout;
  uint32_t subgroup_size = 0;  // required; 0: any
  DispatchAbi abi = DispatchAbi::kDescriptors;
  uint32_t constant_count = 0;  // 32-bit words
  uint32_t binding_count = 0;   // of either ABI
  uint32_t workgroup_size[3] = {1, 1, 1};
  AddressLayout addresses;  // of kBufferAddresses
  std::string source_file;  // empty: unknown
  int32_t source_line = 0;
};

// Owns all it holds. Indices in it are in range, and the descriptors and push
// constants that an entry point is known to use are in its layout.
struct ExecutableDef {
  std::vector<ShaderModule> shader_modules;
  std::vector<PipelineLayout> layouts;
  std::vector<PipelineDef> pipelines;  // in the order of export ordinals
};

// Reads an executable of the formats vulkan-spirv-fb and vulkan-spirv-bda-v1.
// `data` needs no alignment and is not used after the call.
// INVALID_ARGUMENT: damaged, or what it says contradicts itself.
// UNIMPLEMENTED: what no compiler of 3.1 to 3.13 writes. RESOURCE_EXHAUSTED:
// more exports, bindings or shader words than the limits.
absl::StatusOr<ExecutableDef> ReadExecutable(std::span<const uint8_t> data);

}  // namespace eyrie::hal::vulkan

#endif  // EYRIE_HAL_VULKAN_EXECUTABLE_DEF_H_
