// Fuzzes the executable reader: the input must be rejected, or all facts must
// be in range. Then compares it with devices that have no features and all.
//
// To run it, see tests/fuzz/BUILD.
#include <cstddef>
#include <cstdint>

#include "hal/vulkan/device_limits.h"
#include "hal/vulkan/executable_def.h"
#include "hal/vulkan/spirv_check.h"
#include "tests/support/require.h"

namespace {

using eyrie::hal::vulkan::DeviceLimits;
using eyrie::hal::vulkan::DispatchAbi;
using eyrie::hal::vulkan::ExecutableDef;
using eyrie::hal::vulkan::Feature;
using eyrie::hal::vulkan::FeatureSet;
using eyrie::hal::vulkan::PipelineDef;
using eyrie::hal::vulkan::PipelineLayout;
using eyrie::tests::Require;
using eyrie::tests::RequireMessage;

void Look(const ExecutableDef& def, const PipelineDef& pipeline) {
  Require(!pipeline.name.empty());
  Require(pipeline.shader_module < def.shader_modules.size());
  Require(pipeline.layout < def.layouts.size());
  const PipelineLayout& layout = def.layouts[pipeline.layout];
  const uint64_t end =
      uint64_t{layout.push_constants_offset} + layout.push_constants_size;
  const uint64_t constants = uint64_t{pipeline.constant_count} * 4;
  if (pipeline.abi == DispatchAbi::kBufferAddresses) {
    Require(pipeline.addresses.bindings.size() == pipeline.binding_count);
    Require(uint64_t{pipeline.addresses.root_offset} + 32 <= end);
    Require(constants == 0 ||
            pipeline.addresses.constants_offset + constants <= end);
  } else {
    Require(layout.bindings.size() == pipeline.binding_count);
    Require(constants == layout.push_constants_size);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto def = eyrie::hal::vulkan::ReadExecutable({data, size});
  RequireMessage(def.status());
  if (!def.ok()) return 0;
  for (const PipelineDef& pipeline : def->pipelines) Look(*def, pipeline);
  FeatureSet features;
  RequireMessage(CheckExecutable(*def, DeviceLimits(), features));
  for (size_t i = 0; i < eyrie::hal::vulkan::kFeatureCount; ++i) {
    features.Set(static_cast<Feature>(i));
  }
  RequireMessage(CheckExecutable(*def, DeviceLimits(), features));
  return 0;
}
