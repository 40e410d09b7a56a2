// What a driver must know of a shader before it makes a pipeline of it, read
// from the SPIR-V itself: executables do not say it.
//
// No validation: spirv_validate.h does that. What is read is in range, and
// nothing else of the shader is trusted or judged.
// Tested by spirv_test.cc, spirv_fuzz.cc.
#ifndef EYRIE_HAL_VULKAN_SPIRV_H_
#define EYRIE_HAL_VULKAN_SPIRV_H_

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace eyrie::hal::vulkan {

// A variable that is bound to a descriptor.
struct SpirvResource {
  uint32_t set;
  uint32_t binding;
  auto operator<=>(const SpirvResource&) const = default;
};

// A function that a compute pipeline can be made of.
struct SpirvEntryPoint {
  std::string name;
  uint32_t workgroup_size[3];  // each at least 1
  // Bytes of its shared variables, without padding: the least that any device
  // needs. 0 if a shader before SPIR-V 1.4 does not say which variables are
  // whose.
  uint64_t shared_memory = 0;
  // Bytes of its push constants; as above.
  uint64_t push_constants = 0;
  // Its variables, as far as the same is known; ascending, once each.
  std::vector<SpirvResource> resources;
};

// How floats of a width are rounded, or what becomes of small ones: an
// execution mode, DenormPreserve (4459) to RoundingModeRTZ (4463).
struct SpirvFloatControl {
  uint32_t mode;
  uint32_t width;  // bits
};

struct SpirvModule {
  uint32_t version;                           // header word: 0x00010300 is 1.3
  std::vector<uint32_t> capabilities;         // as declared, once each
  std::vector<std::string> extensions;        // as declared
  std::vector<SpirvEntryPoint> entry_points;  // ascending by name
  std::vector<uint32_t> spec_ids;             // of specialization constants
  std::vector<SpirvFloatControl> float_controls;
  bool has_local_size_id = false;  // needs the feature maintenance4
  // Results may depend on how many invocations a subgroup has.
  bool uses_subgroups = false;
};

// Reads a shader and mends in place what compilers of the releases get wrong:
//  - A header of a version before 1.4 above code for 1.4 (integers declared
//    not to wrap, an interface of more than inputs and outputs) is raised.
//  - SPV_EXT_physical_storage_buffer becomes SPV_KHR_physical_storage_buffer,
//    the name that Vulkan knows.
// INVALID_ARGUMENT: no SPIR-V, or damaged, or no workgroup size. UNIMPLEMENTED:
// a newer version, or a memory model that Vulkan lacks. `words` are unchanged
// then.
absl::StatusOr<SpirvModule> ReadSpirv(std::vector<uint32_t>& words);

// The entry point of this name, or nullptr.
const SpirvEntryPoint* FindEntryPoint(const SpirvModule& module,
                                      absl::string_view name);

// "1.3" for 0x00010300.
std::string SpirvVersionName(uint32_t version);

}  // namespace eyrie::hal::vulkan

#endif  // EYRIE_HAL_VULKAN_SPIRV_H_
