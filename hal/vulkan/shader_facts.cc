#include "hal/vulkan/shader_facts.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "hal/vulkan/executable_def.h"
#include "hal/vulkan/spirv_check.h"

namespace eyrie::hal::vulkan {

absl::StatusOr<ExecutableFacts> DescribeShaders(std::span<const uint8_t> data) {
  ASSIGN_OR_RETURN(const ExecutableDef def, ReadExecutable(data));
  ExecutableFacts facts;
  std::set<std::string> uses;
  for (const ShaderModule& shader : def.shader_modules) {
    for (const uint32_t capability : shader.spirv.capabilities) {
      uses.insert(CapabilityName(capability));
    }
  }
  facts.uses = absl::StrJoin(uses, ", ");
  for (const PipelineDef& pipeline : def.pipelines) {
    KernelFacts kernel;
    kernel.name = pipeline.name;
    kernel.constant_count = pipeline.constant_count;
    kernel.binding_count = pipeline.binding_count;
    std::copy(std::begin(pipeline.workgroup_size),
              std::end(pipeline.workgroup_size), kernel.workgroup_size);
    const SpirvEntryPoint* const entry = FindEntryPoint(
        def.shader_modules[pipeline.shader_module].spirv, pipeline.name);
    if (entry != nullptr) {
      kernel.local_memory = static_cast<uint32_t>(
          std::min<uint64_t>(entry->shared_memory, UINT32_MAX));
    }
    if (!pipeline.source_file.empty()) {
      kernel.source =
          absl::StrCat(pipeline.source_file, ":", pipeline.source_line);
    }
    facts.kernels.push_back(std::move(kernel));
  }
  return facts;
}

}  // namespace eyrie::hal::vulkan
