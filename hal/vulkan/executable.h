// Executables of a Vulkan device: a pipeline for each export.
//
// Immutable; shared by threads.
// Tested by device_test.cc.
#ifndef EYRIE_HAL_VULKAN_EXECUTABLE_H_
#define EYRIE_HAL_VULKAN_EXECUTABLE_H_

#include <memory>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/ref.h"
#include "base/trace.h"
#include "hal/executable.h"
#include "hal/vulkan/executable_def.h"
#include "hal/vulkan/logical_device.h"
#include "hal/vulkan/pipeline.h"
#include "hal/vulkan/pipeline_cache.h"

namespace eyrie::hal::vulkan {

inline constexpr char kDescriptorFormat[] = "vulkan-spirv-fb";
inline constexpr char kAddressFormat[] = "vulkan-spirv-bda-v1";

// Returns the executable formats that the device can run.
std::vector<absl::string_view> FormatsOf(const LogicalDevice& device);
bool RunsFormat(const LogicalDevice& device, absl::string_view format);

class Executable final : public hal::Executable {
 public:
  // Loads an executable. UNIMPLEMENTED: the device lacks the format or a
  // feature, which the message names. INVALID_ARGUMENT: the data is damaged.
  // RESOURCE_EXHAUSTED: the executable exceeds a limit of the device. Also
  // returns the driver's errors.
  static absl::StatusOr<Ref<Executable>> Load(
      const std::shared_ptr<LogicalDevice>& device, PipelineCache& cache,
      const ExecutableParams& params);

  // Makes all of Load's checks that need no Vulkan objects, except validation.
  static absl::Status Check(const LogicalDevice& device,
                            const ExecutableParams& params);

  std::span<const ExportInfo> exports() const override { return exports_; }

  const Pipeline& pipeline(uint32_t ordinal) const {
    return *pipelines_[ordinal];
  }
  // Returns the slot in which the trace recorder caches the export's name.
  trace::NameCache& trace_name(uint32_t ordinal) const {
    return trace_names_[ordinal];
  }
  const PipelineDef& def(uint32_t ordinal) const {
    return def_.pipelines[ordinal];
  }

 private:
  Executable(std::shared_ptr<LogicalDevice> device, ExecutableDef def)
      : hal::Executable(device.get()),
        device_(std::move(device)),
        def_(std::move(def)) {}
  absl::Status CreatePipelines(PipelineCache& cache,
                               std::span<const uint32_t> constants);
  bool UsesSubgroups(const PipelineDef& pipeline) const {
    return def_.shader_modules[pipeline.shader_module].spirv.uses_subgroups;
  }
  // Returns the subgroup size to require for an export's pipeline; 0 means any.
  uint32_t SubgroupSizeOf(const PipelineDef& pipeline) const;
  // Notifies the user, once per device, if an export assumes a subgroup size
  // without declaring it.
  void NoteSubgroups() const;

  const std::shared_ptr<LogicalDevice> device_;
  ExecutableDef def_;  // the shaders' words are freed
  std::vector<std::shared_ptr<Pipeline>> pipelines_;
  std::vector<ExportInfo> exports_;
  std::unique_ptr<trace::NameCache[]> trace_names_;  // one per export
};

}  // namespace eyrie::hal::vulkan

#endif  // EYRIE_HAL_VULKAN_EXECUTABLE_H_
