// Pipelines and their layouts: what a dispatch binds.
//
// Immutable; shared by threads.
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

// A layout's objects. A set has as many bindings as the layout lists.
class NativeLayout {
 public:
  static absl::StatusOr<std::shared_ptr<NativeLayout>> Create(
      std::shared_ptr<LogicalDevice> device, const PipelineLayout& layout);
  NativeLayout(const NativeLayout&) = delete;
  NativeLayout& operator=(const NativeLayout&) = delete;
  ~NativeLayout();

  VkPipelineLayout handle() const { return handle_; }
  VkDescriptorSetLayout set() const { return set_; }  // null: no set
  // Whether descriptors are pushed, and need no set of their own.
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

// What a pipeline is made from; views are borrowed for the call.
struct PipelineParams {
  std::span<const uint32_t> words;
  std::string entry_point;
  uint32_t subgroup_size = 0;           // required; 0: the driver chooses
  std::span<const uint32_t> constants;  // of specialization, by their index
  VkPipelineCache cache = VK_NULL_HANDLE;
};

class Pipeline {
 public:
  // As the driver fails; the sentence names the entry point.
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
