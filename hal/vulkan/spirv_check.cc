// Checks shaders against the tables of capabilities and limits.
#include "hal/vulkan/spirv_check.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/plain_text.h"
#include "base/status_macros.h"
#include "spirv/unified1/spirv.hpp11"

namespace eyrie::hal::vulkan {
namespace {

struct Capability {
  enum class Where : uint8_t { kEverywhere, kNowhere, kFeature, kAnyWidth };
  uint32_t number;
  const char* name;
  Where where;
  Feature feature;  // for kFeature; for kAnyWidth, that of 16 bits
};

constexpr Capability kCapabilities[] = {
#define EVERYWHERE \
  Capability::Where::kEverywhere, Feature {}
#define NOWHERE \
  Capability::Where::kNowhere, Feature {}
#define F(member) Capability::Where::kFeature, Feature::member
#define SUBGROUP_OP(name) Capability::Where::kFeature, Feature::kSubgroup##name
#define FLOAT_CONTROL_OF(name) \
  Capability::Where::kAnyWidth, Feature::k##name##16
#define CAPABILITY(number, name, needs) {number, #name, needs},
#define NEWER_CAPABILITY(number, name, needs) {number, #name, needs},
#include "hal/vulkan/spirv_capabilities.def"
#undef CAPABILITY
#undef NEWER_CAPABILITY
};

// Check the numbers against SPIR-V's own header.
#define CAPABILITY(number, name, needs) \
  static_assert(static_cast<uint32_t>(spv::Capability::name) == number);
#define NEWER_CAPABILITY(number, name, needs)
#include "hal/vulkan/spirv_capabilities.def"
#undef CAPABILITY
#undef NEWER_CAPABILITY
#undef EVERYWHERE
#undef NOWHERE
#undef F
#undef SUBGROUP_OP
#undef FLOAT_CONTROL_OF

constexpr bool IsAscending() {
  for (size_t i = 1; i < std::size(kCapabilities); ++i) {
    if (kCapabilities[i - 1].number >= kCapabilities[i].number) return false;
  }
  return true;
}
static_assert(IsAscending(), "spirv_capabilities.def is searched by number.");

const Capability* FindCapability(uint32_t number) {
  const Capability* found = std::lower_bound(
      std::begin(kCapabilities), std::end(kCapabilities), number,
      [](const Capability& row, uint32_t key) { return row.number < key; });
  if (found == std::end(kCapabilities) || found->number != number) {
    return nullptr;
  }
  return found;
}

struct FloatControlRow {
  uint32_t mode;
  uint32_t width;
  const char* name;
  Feature feature;
};

constexpr FloatControlRow kFloatControls[] = {
#define FEATURE(structure, member)
#define SUBGROUP(bit, name)
#define FLOAT_CONTROL(name, mode, width) \
  {mode, width, #name, Feature::k##name##width},
#include "hal/vulkan/device_features.def"
#undef FEATURE
#undef SUBGROUP
#undef FLOAT_CONTROL
};

// Check the numbers of modes, and that a name's widths are consecutive.
#define FEATURE(structure, member)
#define SUBGROUP(bit, name)
#define FLOAT_CONTROL(name, mode, width)                                  \
  static_assert(static_cast<uint32_t>(spv::ExecutionMode::name) == mode); \
  static_assert(static_cast<int>(Feature::k##name##width) ==              \
                static_cast<int>(Feature::k##name##16) +                  \
                    (width == 16 ? 0 : width / 32));
#include "hal/vulkan/device_features.def"
#undef FEATURE
#undef SUBGROUP
#undef FLOAT_CONTROL

bool HasAnyWidth(const FeatureSet& enabled, Feature of_16_bits) {
  for (int i = 0; i < 3; ++i) {
    const int at = static_cast<int>(of_16_bits) + i;
    if (enabled.Has(static_cast<Feature>(at))) return true;
  }
  return false;
}

absl::Status CheckFloatControl(const SpirvFloatControl& control,
                               const FeatureSet& enabled) {
  for (const FloatControlRow& row : kFloatControls) {
    if (row.mode != control.mode || row.width != control.width) continue;
    if (enabled.Has(row.feature)) return absl::OkStatus();
    return absl::UnimplementedError(absl::StrCat(
        "The shader requires ", row.name, " of floats of ", row.width,
        " bits; the device lacks ", DescribeFeature(row.feature), "."));
  }
  return absl::UnimplementedError(absl::StrCat(
      "The shader has the execution mode ", control.mode, " for floats of ",
      control.width, " bits, which is unknown."));
}

absl::Status CheckCapability(uint32_t number, const FeatureSet& enabled) {
  const Capability* row = FindCapability(number);
  if (row == nullptr) {
    return absl::UnimplementedError(
        absl::StrCat("The shader declares SPIR-V capability ", number,
                     ", which is unknown."));
  }
  switch (row->where) {
    case Capability::Where::kEverywhere:
      return absl::OkStatus();
    case Capability::Where::kNowhere:
      return absl::UnimplementedError(
          absl::StrCat("The shader declares SPIR-V capability ", row->name,
                       " (", number, "), which only OpenCL devices support."));
    case Capability::Where::kAnyWidth:
      if (HasAnyWidth(enabled, row->feature)) return absl::OkStatus();
      return absl::UnimplementedError(absl::StrCat(
          "The shader declares SPIR-V capability ", row->name, " (", number,
          "), which the device does not support for any float width."));
    case Capability::Where::kFeature:
      break;
  }
  if (enabled.Has(row->feature)) return absl::OkStatus();
  return absl::UnimplementedError(absl::StrCat(
      "The shader declares SPIR-V capability ", row->name, " (", number,
      "); the device lacks ", DescribeFeature(row->feature), "."));
}

absl::Status CheckEntryPoint(const SpirvEntryPoint& entry,
                             const DeviceLimits& limits) {
  uint64_t invocations = 1;
  for (size_t i = 0; i < 3; ++i) {
    const uint32_t size = entry.workgroup_size[i];
    if (size > limits.max_workgroup_size[i]) {
      return absl::ResourceExhaustedError(
          absl::StrCat("The shader's '", PlainName(entry.name), "' has ", size,
                       " invocations in dimension ", i,
                       " of a workgroup; the device's "
                       "limit is ",
                       limits.max_workgroup_size[i], "."));
    }
    // Cannot overflow: the size has 32 bits, and the product is within a limit.
    invocations *= size;
    if (invocations > limits.max_workgroup_invocations) {
      return absl::ResourceExhaustedError(absl::StrCat(
          "The shader's '", PlainName(entry.name), "' has workgroups of ",
          entry.workgroup_size[0], "x", entry.workgroup_size[1], "x",
          entry.workgroup_size[2], " invocations; the device's limit is ",
          limits.max_workgroup_invocations, " in all."));
    }
  }
  if (entry.shared_memory > limits.max_shared_memory) {
    return absl::ResourceExhaustedError(
        absl::StrCat("The shader's '", PlainName(entry.name), "' shares ",
                     entry.shared_memory,
                     " bytes within a workgroup; the device's limit is ",
                     limits.max_shared_memory, "."));
  }
  return absl::OkStatus();
}

absl::Status NeedFeature(const FeatureSet& enabled, Feature feature,
                         absl::string_view what) {
  if (enabled.Has(feature)) return absl::OkStatus();
  return absl::UnimplementedError(
      absl::StrCat(what, "; the device lacks ", DescribeFeature(feature), "."));
}

absl::Status CheckLayout(const PipelineLayout& layout,
                         const DeviceLimits& limits) {
  const uint64_t end =
      uint64_t{layout.push_constants_offset} + layout.push_constants_size;
  if (end > limits.max_push_constants_size) {
    return absl::ResourceExhaustedError(
        absl::StrCat("The kernel takes ", end,
                     " bytes of push constants; the device's "
                     "limit is ",
                     limits.max_push_constants_size, "."));
  }
  const auto uniforms = static_cast<uint64_t>(
      std::count_if(layout.bindings.begin(), layout.bindings.end(),
                    [](const DescriptorBinding& binding) {
                      return binding.kind == DescriptorKind::kUniformBuffer;
                    }));
  const uint64_t storages = layout.bindings.size() - uniforms;
  if (uniforms > limits.max_uniform_buffers ||
      storages > limits.max_storage_buffers) {
    return absl::ResourceExhaustedError(absl::StrCat(
        "The kernel binds ", storages, " storage buffers and ", uniforms,
        " uniform buffers; the device's limits are ",
        limits.max_storage_buffers, " and ", limits.max_uniform_buffers, "."));
  }
  return absl::OkStatus();
}

absl::Status CheckPipeline(const PipelineDef& pipeline,
                           const PipelineLayout& layout,
                           const DeviceLimits& limits,
                           const FeatureSet& enabled) {
  RETURN_IF_ERROR(CheckLayout(layout, limits));
  if (pipeline.abi == DispatchAbi::kBufferAddresses) {
    RETURN_IF_ERROR(NeedFeature(enabled, Feature::bufferDeviceAddress,
                                "The kernel takes buffers by address"));
  }
  const uint32_t size = pipeline.subgroup_size;
  if (size == 0) return absl::OkStatus();
  RETURN_IF_ERROR(
      NeedFeature(enabled, Feature::subgroupSizeControl,
                  absl::StrCat("The kernel requires subgroups of ", size)));
  if (size < limits.min_subgroup_size || size > limits.max_subgroup_size) {
    return absl::UnimplementedError(absl::StrCat(
        "The kernel requires subgroups of ", size, "; the device has ",
        limits.min_subgroup_size, " to ", limits.max_subgroup_size, "."));
  }
  return absl::OkStatus();
}

}  // namespace

std::string CapabilityName(uint32_t number) {
  const Capability* const row = FindCapability(number);
  return row == nullptr ? absl::StrCat(number) : std::string(row->name);
}

absl::Status CheckModule(const SpirvModule& module, const DeviceLimits& limits,
                         const FeatureSet& enabled) {
  if (module.version > limits.spirv_version) {
    return absl::UnimplementedError(absl::StrCat(
        "The shader uses SPIR-V ", SpirvVersionName(module.version),
        "; the device supports ", SpirvVersionName(limits.spirv_version), "."));
  }
  for (const uint32_t capability : module.capabilities) {
    RETURN_IF_ERROR(CheckCapability(capability, enabled));
  }
  for (const SpirvFloatControl& control : module.float_controls) {
    RETURN_IF_ERROR(CheckFloatControl(control, enabled));
  }
  if (module.has_local_size_id) {
    RETURN_IF_ERROR(
        NeedFeature(enabled, Feature::maintenance4,
                    "The shader gives its workgroup size by constants"));
  }
  for (const SpirvEntryPoint& entry : module.entry_points) {
    RETURN_IF_ERROR(CheckEntryPoint(entry, limits));
  }
  return absl::OkStatus();
}

absl::Status CheckExecutable(const ExecutableDef& executable,
                             const DeviceLimits& limits,
                             const FeatureSet& enabled) {
  for (size_t i = 0; i < executable.shader_modules.size(); ++i) {
    RETURN_IF_ERROR(Annotate(
        CheckModule(executable.shader_modules[i].spirv, limits, enabled),
        absl::StrCat("(shader module ", i, " of the executable)")));
  }
  for (const PipelineDef& pipeline : executable.pipelines) {
    RETURN_IF_ERROR(
        Annotate(CheckPipeline(pipeline, executable.layouts[pipeline.layout],
                               limits, enabled),
                 absl::StrCat("(export '", PlainName(pipeline.name), "')")));
  }
  return absl::OkStatus();
}

}  // namespace eyrie::hal::vulkan
