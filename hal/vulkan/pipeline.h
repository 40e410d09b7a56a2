// Compute pipelines and their layouts.
//
// Immutable; may be shared by threads.
// Tested by device_test.cc.
#ifndef EYRIE_HAL_VULKAN_PIPELINE_H_
#define EYRIE_HAL_VULKAN_PIPELINE_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "absl/status/statusor.h"
#include "hal/vulkan/executable_def.h"
#include "hal/vulkan/logical_device.h"

namespace eyrie::hal::vulkan {

// The Vulkan objects of a pipeline layout.
class NativeLayout {
 public:
  static absl::StatusOr<std::shared_ptr<NativeLayout>> Create(
      std::shared_ptr<LogicalDevice> device, const PipelineLayout& layout);
  NativeLayout(const NativeLayout&) = delete;
  NativeLayout& operator=(const NativeLayout&) = delete;
  ~NativeLayout();

  VkPipelineLayout handle() const { return handle_; }
  VkDescriptorSetLayout set() const { return set_; }  // null if there is no set
  // Reports whether descriptors are pushed, so that no set is allocated.
  bool is_pushed() const { return is_pushed_; }
  const PipelineLayout& def() const { return def_; }

 private:
  NativeLayout(std::shared_ptr<LogicalDevice> device,
               const PipelineLayout& layout);
  absl::Status CreateSet();
  absl::Status Create();

  const std::shared_ptr<LogicalDevice> device_;
  const PipelineLayout def_;
  bool is_pushed_ = false;
  VkDescriptorSetLayout set_ = VK_NULL_HANDLE;
  VkPipelineLayout handle_ = VK_NULL_HANDLE;
};

// Parameters of Pipeline::Create. The views are not used after the call.
struct PipelineParams {
  std::span<const uint32_t> words;
  std::string entry_point;
  uint32_t subgroup_size = 0;           // 0: the driver chooses
  std::span<const uint32_t> constants;  // specialization constants, by index
  VkPipelineCache cache = VK_NULL_HANDLE;
};

class Pipeline {
 public:
  // Compiles a pipeline. Returns the driver's error; the message names the
  // entry point.
  static absl::StatusOr<std::shared_ptr<Pipeline>> Create(
      std::shared_ptr<LogicalDevice> device,
      std::shared_ptr<NativeLayout> layout, const PipelineParams& params);
  Pipeline(const Pipeline&) = delete;
  Pipeline& operator=(const Pipeline&) = delete;
  ~Pipeline();

  VkPipeline handle() const { return handle_; }
  const NativeLayout& layout() const { return *layout_; }

 private:
  Pipeline(std::shared_ptr<LogicalDevice> device,
           std::shared_ptr<NativeLayout> layout);
  absl::Status Create(const PipelineParams& params, VkShaderModule module);

  const std::shared_ptr<LogicalDevice> device_;
  const std::shared_ptr<NativeLayout> layout_;
  VkPipeline handle_ = VK_NULL_HANDLE;
};

}  // namespace eyrie::hal::vulkan

#endif  // EYRIE_HAL_VULKAN_PIPELINE_H_
