// Loads executables: reads them, checks them against the device and creates
// pipelines.
#include "hal/vulkan/executable.h"

#include <string>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/plain_text.h"
#include "base/status_macros.h"
#include "hal/vulkan/spirv_check.h"
#include "hal/vulkan/spirv_validate.h"

namespace eyrie::hal::vulkan {

std::vector<absl::string_view> FormatsOf(const LogicalDevice& device) {
  std::vector<absl::string_view> formats = {kDescriptorFormat};
  if (device.has_addresses() && device.Has(Feature::shaderInt64)) {
    formats.push_back(kAddressFormat);
  }
  return formats;
}

bool RunsFormat(const LogicalDevice& device, absl::string_view format) {
  return absl::c_linear_search(FormatsOf(device), format);
}

namespace {

absl::Status CheckFormat(const LogicalDevice& device,
                         absl::string_view format) {
  if (RunsFormat(device, format)) return absl::OkStatus();
  if (format == kAddressFormat && !device.allows_native_code()) {
    return absl::UnimplementedError(absl::StrCat(
        "Executables of the format '", format,
        "' use raw addresses, which are refused together with native code."));
  }
  return absl::UnimplementedError(
      absl::StrCat("The device '", device.physical().name,
                   "' does not run executables of the format '", format,
                   "'; it runs ", absl::StrJoin(FormatsOf(device), ", "), "."));
}

// Adds a note to an error that may be due to refused native code.
absl::Status CheckDef(const LogicalDevice& device, const ExecutableDef& def) {
  const absl::Status status = CheckExecutable(def, device.physical().limits,
                                              device.physical().features);
  if (device.allows_native_code() || !absl::IsUnimplemented(status)) {
    return status;
  }
  return Annotate(status,
                  "(if native code is refused, devices are opened without "
                  "bufferDeviceAddress and cooperativeMatrix)");
}

// Returns advice for kernels that do not declare their subgroup size.
std::string SubgroupRemedy(const LogicalDevice& device) {
  const DeviceLimits& limits = device.physical().limits;
  if (!device.Has(Feature::subgroupSizeControl)) return "";
  if (limits.min_subgroup_size == limits.max_subgroup_size) {
    return absl::StrCat("; --vulkan_subgroup_size=", limits.max_subgroup_size,
                        " confirms the size");
  }
  return absl::StrCat("; pass it with --vulkan_subgroup_size, from ",
                      limits.min_subgroup_size, " to ",
                      limits.max_subgroup_size);
}

// Validates shaders before the driver sees them, if requested or if native code
// is refused. In the latter case, gives a notice if the validator is missing.
absl::Status ValidateShaders(const LogicalDevice& device,
                             const ExecutableDef& def) {
  const bool is_asked_for = device.options().validate_spirv;
  if (!is_asked_for && device.allows_native_code()) return absl::OkStatus();
  const absl::StatusOr<SpirvValidator> validator = SpirvValidator::Load();
  if (!validator.ok()) {
    if (is_asked_for) return validator.status();
    if (device.IsFirstUnvalidated())
      device.Notice(validator.status().message());
    return absl::OkStatus();
  }
  for (const ShaderModule& module : def.shader_modules) {
    RETURN_IF_ERROR(validator->Validate(module.words));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status Executable::Check(const LogicalDevice& device,
                               const ExecutableParams& params) {
  RETURN_IF_ERROR(CheckFormat(device, params.format));
  ASSIGN_OR_RETURN(const ExecutableDef def,
                   ReadExecutable(params.data, params.layouts));
  return CheckDef(device, def);
}

absl::StatusOr<Ref<Executable>> Executable::Load(
    const std::shared_ptr<LogicalDevice>& device, PipelineCache& cache,
    const ExecutableParams& params) {
  RETURN_IF_ERROR(device->CheckProcess());
  RETURN_IF_ERROR(CheckFormat(*device, params.format));
  ASSIGN_OR_RETURN(ExecutableDef def,
                   ReadExecutable(params.data, params.layouts));
  RETURN_IF_ERROR(CheckDef(*device, def));
  RETURN_IF_ERROR(ValidateShaders(*device, def));
  Ref<Executable> executable =
      Ref<Executable>::Adopt(new Executable(device, std::move(def)));
  RETURN_IF_ERROR(executable->CreatePipelines(cache, params.constants));
  return executable;
}

uint32_t Executable::SubgroupSizeOf(const PipelineDef& pipeline) const {
  if (pipeline.subgroup_size != 0) return pipeline.subgroup_size;
  return UsesSubgroups(pipeline) ? device_->options().subgroup_size : 0;
}

void Executable::NoteSubgroups() const {
  for (const PipelineDef& pipeline : def_.pipelines) {
    if (!UsesSubgroups(pipeline) || SubgroupSizeOf(pipeline) != 0) continue;
    if (!device_->IsFirstUseOfSubgroups()) return;
    const PhysicalDevice& on = device_->physical();
    device_->Notice(absl::StrCat(
        "The kernel '", PlainName(pipeline.name),
        "' uses subgroups but does not declare their size; '", on.name,
        "' has ", on.subgroup_size,
        ". If the module was compiled for another size, its results are wrong",
        SubgroupRemedy(*device_), "."));
    return;
  }
}

absl::Status Executable::CreatePipelines(PipelineCache& cache,
                                         std::span<const uint32_t> constants) {
  std::vector<std::shared_ptr<NativeLayout>> layouts;
  for (const PipelineLayout& layout : def_.layouts) {
    ASSIGN_OR_RETURN(std::shared_ptr<NativeLayout> made,
                     NativeLayout::Create(device_, layout));
    layouts.push_back(std::move(made));
  }
  for (const PipelineDef& def : def_.pipelines) {
    PipelineParams params;
    params.words = def_.shader_modules[def.shader_module].words;
    params.entry_point = def.name;
    params.subgroup_size = SubgroupSizeOf(def);
    params.constants = constants;
    params.cache = cache.handle();
    ASSIGN_OR_RETURN(std::shared_ptr<Pipeline> made,
                     Pipeline::Create(device_, layouts[def.layout], params));
    pipelines_.push_back(std::move(made));
    exports_.push_back(
        {.name = def.name,
         .constant_count = def.constant_count,
         .binding_count = def.binding_count,
         .workgroup_size = {def.workgroup_size[0], def.workgroup_size[1],
                            def.workgroup_size[2]}});
  }
  trace_names_ = std::make_unique<trace::NameCache[]>(def_.pipelines.size());
  NoteSubgroups();
  // The driver has its own copy now.
  for (ShaderModule& module : def_.shader_modules) module.words = {};
  return absl::OkStatus();
}

}  // namespace eyrie::hal::vulkan
