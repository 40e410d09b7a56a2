// Decoded executables for Vulkan, from which pipelines are created.
//
// One reader handles all releases. Before 20240828 the file has another schema
// (older_executable.h). Until 3.8 it is a bare FlatBuffer (executable.fbs).
// Since 3.9 a header of 64 bytes precedes it: "VKE1", u32 version 0, u64 size
// of the FlatBuffer, 48 reserved bytes. Tested by executable_def_test.cc,
// testing/executable_fuzz.cc.
#ifndef EYRIE_HAL_VULKAN_EXECUTABLE_DEF_H_
#define EYRIE_HAL_VULKAN_EXECUTABLE_DEF_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/ref.h"
#include "hal/pipeline_layout.h"
#include "hal/vulkan/spirv.h"

namespace eyrie::hal::vulkan {

// How a kernel receives its buffers and constants.
enum class DispatchAbi : uint8_t {
  kDescriptors,      // set 0; constants start at byte 0 of the push constants
  kBufferAddresses,  // pushes a root of 32 bytes and the constants
};

enum class DescriptorKind : uint8_t { kUniformBuffer, kStorageBuffer };

// A descriptor of set 0. Its index in the list is the HAL's binding ordinal.
struct DescriptorBinding {
  uint32_t binding;  // Vulkan's number; unique within a layout
  DescriptorKind kind;
};

// A pipeline layout. Several exports may share one.
struct PipelineLayout {
  bool has_set = false;  // if false, there is no descriptor set
  std::vector<DescriptorBinding> bindings;
  // The range of push constants, in bytes; both are multiples of 4. Size 0
  // means none.
  uint32_t push_constants_offset = 0;
  uint32_t push_constants_size = 0;
};

// The properties that a kernel assumes of a buffer that is passed by address.
struct AddressedBinding {
  uint32_t minimum_alignment = 1;  // bytes, a power of two
  uint64_t minimum_length = 0;     // bytes
};

// Size in bytes of the root of kBufferAddresses: u64 address of the address
// table, u64 address of constants (0), u32 first binding, u32 first constant,
// u32 flags, u32 reserved.
inline constexpr uint32_t kAddressRootSize = 32;

// The layout for kBufferAddresses. The offsets are in bytes within the push
// constants; the parts lie within the layout's range and do not overlap.
struct AddressLayout {
  uint32_t root_offset = 0;
  uint32_t constants_offset = 0;
  std::vector<AddressedBinding> bindings;  // one per HAL binding
};

struct ShaderModule {
  std::vector<uint32_t> words;  // as modified by ReadSpirv
  SpirvModule spirv;
};

// One export, which becomes one pipeline.
struct PipelineDef {
  std::string name;  // of an existing entry point; not empty
  uint32_t shader_module;
  uint32_t layout;
  uint32_t subgroup_size = 0;  // 0: any
  DispatchAbi abi = DispatchAbi::kDescriptors;
  uint32_t constant_count = 0;  // 32-bit words
  uint32_t binding_count = 0;   // for either ABI
  uint32_t workgroup_size[3] = {1, 1, 1};
  AddressLayout addresses;  // for kBufferAddresses
  std::string source_file;  // empty if unknown
  int32_t source_line = 0;
};

// Owns all its data. All indices are in range. Each layout contains the
// descriptors and push constants that its entry points are known to use.
struct ExecutableDef {
  std::vector<ShaderModule> shader_modules;
  std::vector<PipelineLayout> layouts;
  std::vector<PipelineDef> pipelines;  // in the order of export ordinals
};

// Reads an executable of the format vulkan-spirv-fb or vulkan-spirv-bda-v1.
// `data` may be unaligned and is not used after the call. `layouts` are those
// of the exports before 20240828; see UpgradeExecutable.
// INVALID_ARGUMENT: the data is damaged or inconsistent. UNIMPLEMENTED: it uses
// a form that no compiler from 20230209 to 3.13 writes. RESOURCE_EXHAUSTED: it
// has more exports, bindings or shader words than the limits.
absl::StatusOr<ExecutableDef> ReadExecutable(
    std::span<const uint8_t> data,
    std::span<const Ref<hal::PipelineLayout>> layouts = {});

}  // namespace eyrie::hal::vulkan

#endif  // EYRIE_HAL_VULKAN_EXECUTABLE_DEF_H_
