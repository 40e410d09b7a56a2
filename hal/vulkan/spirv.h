// Reads from SPIR-V the facts that a driver needs to create a pipeline and that
// executables do not record.
//
// This is not validation; see spirv_validate.h. The facts returned are within
// range; nothing else in the shader is checked.
// Tested by spirv_test.cc, testing/spirv_fuzz.cc.
#ifndef EYRIE_HAL_VULKAN_SPIRV_H_
#define EYRIE_HAL_VULKAN_SPIRV_H_

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "hal/vulkan/spirv_float_control.h"

namespace eyrie::hal::vulkan {

// A variable that is bound to a descriptor.
struct SpirvResource {
  uint32_t set;
  uint32_t binding;
  auto operator<=>(const SpirvResource&) const = default;
};

// A function from which a compute pipeline can be created.
struct SpirvEntryPoint {
  std::string name;
  uint32_t workgroup_size[3];  // each at least 1
  // Size in bytes of its shared variables without padding, which is a lower
  // bound for every device. 0 if the shader precedes SPIR-V 1.4 and does not
  // say which entry point uses which variable.
  uint64_t shared_memory = 0;
  // Size in bytes of its push constants; 0 in the same case.
  uint64_t push_constants = 0;
  // Its bound variables, ascending and unique; incomplete in the same case.
  std::vector<SpirvResource> resources;
};

struct SpirvModule {
  uint32_t version;                           // header word: 0x00010300 is 1.3
  std::vector<uint32_t> capabilities;         // as declared, once each
  std::vector<std::string> extensions;        // as declared
  std::vector<SpirvEntryPoint> entry_points;  // ascending by name
  std::vector<uint32_t> spec_ids;             // of specialization constants
  std::vector<SpirvFloatControl> float_controls;
  bool has_local_size_id = false;  // needs the feature maintenance4
  // True if results may depend on the subgroup size.
  bool uses_subgroups = false;
};

// Reads a shader, and corrects two errors of released compilers in `words`:
//  - A header with a version before 1.4 is raised to 1.4 if the code needs it
//    (no-wrap decorations, or an interface with more than inputs and outputs).
//  - SPV_EXT_physical_storage_buffer becomes SPV_KHR_physical_storage_buffer,
//    the name that Vulkan knows.
// INVALID_ARGUMENT: the words are not SPIR-V, are damaged, or lack a workgroup
// size. UNIMPLEMENTED: the version is newer, or Vulkan lacks the memory model.
// On error, `words` is unchanged.
absl::StatusOr<SpirvModule> ReadSpirv(std::vector<uint32_t>& words);

// Returns the entry point of this name, or nullptr.
const SpirvEntryPoint* FindEntryPoint(const SpirvModule& module,
                                      absl::string_view name);

// Returns "1.3" for 0x00010300.
std::string SpirvVersionName(uint32_t version);

}  // namespace eyrie::hal::vulkan

#endif  // EYRIE_HAL_VULKAN_SPIRV_H_
