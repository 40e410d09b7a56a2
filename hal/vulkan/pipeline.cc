// Creates layouts and pipelines.
#include "hal/vulkan/pipeline.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace eyrie::hal::vulkan {
namespace {

constexpr VkStructureType kSubgroupSizeType =
    VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO;

}  // namespace

NativeLayout::NativeLayout(std::shared_ptr<LogicalDevice> device,
                           const PipelineLayout& layout)
    : device_(std::move(device)), def_(layout) {}

NativeLayout::~NativeLayout() {
  const VolkDeviceTable& fn = device_->fn();
  fn.vkDestroyPipelineLayout(device_->handle(), handle_, nullptr);
  fn.vkDestroyDescriptorSetLayout(device_->handle(), set_, nullptr);
}

absl::StatusOr<std::shared_ptr<NativeLayout>> NativeLayout::Create(
    std::shared_ptr<LogicalDevice> device, const PipelineLayout& layout) {
  std::shared_ptr<NativeLayout> made(
      new NativeLayout(std::move(device), layout));
  if (layout.has_set) RETURN_IF_ERROR(made->CreateSet());
  RETURN_IF_ERROR(made->Create());
  return made;
}

absl::Status NativeLayout::CreateSet() {
  std::vector<VkDescriptorSetLayoutBinding> bindings;
  for (const DescriptorBinding& from : def_.bindings) {
    VkDescriptorSetLayoutBinding binding = {};
    binding.binding = from.binding;
    binding.descriptorType = from.kind == DescriptorKind::kUniformBuffer
                                 ? VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER
                                 : VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    binding.descriptorCount = 1;
    binding.stageFlags = VK_SHADER_STAGE_COMPUTE_BIT;
    bindings.push_back(binding);
  }
  is_pushed_ = device_->has_push_descriptors() &&
               bindings.size() <= device_->physical().max_push_descriptors;
  VkDescriptorSetLayoutCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO;
  if (is_pushed_) {
    info.flags = VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT_KHR;
  }
  info.bindingCount = static_cast<uint32_t>(bindings.size());
  info.pBindings = bindings.data();
  return Check(device_->fn().vkCreateDescriptorSetLayout(device_->handle(),
                                                         &info, nullptr, &set_),
               "vkCreateDescriptorSetLayout");
}

absl::Status NativeLayout::Create() {
  VkPushConstantRange range = {};
  range.stageFlags = VK_SHADER_STAGE_COMPUTE_BIT;
  range.offset = def_.push_constants_offset;
  range.size = def_.push_constants_size;
  VkPipelineLayoutCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
  info.setLayoutCount = set_ != VK_NULL_HANDLE ? 1 : 0;
  info.pSetLayouts = &set_;
  info.pushConstantRangeCount = range.size != 0 ? 1 : 0;
  info.pPushConstantRanges = &range;
  return Check(device_->fn().vkCreatePipelineLayout(device_->handle(), &info,
                                                    nullptr, &handle_),
               "vkCreatePipelineLayout");
}

Pipeline::Pipeline(std::shared_ptr<LogicalDevice> device,
                   std::shared_ptr<NativeLayout> layout)
    : device_(std::move(device)), layout_(std::move(layout)) {}

Pipeline::~Pipeline() {
  device_->fn().vkDestroyPipeline(device_->handle(), handle_, nullptr);
}

absl::StatusOr<std::shared_ptr<Pipeline>> Pipeline::Create(
    std::shared_ptr<LogicalDevice> device, std::shared_ptr<NativeLayout> layout,
    const PipelineParams& params) {
  std::shared_ptr<Pipeline> pipeline(
      new Pipeline(std::move(device), std::move(layout)));
  const LogicalDevice& owner = *pipeline->device_;
  VkShaderModuleCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
  info.codeSize = params.words.size_bytes();
  info.pCode = params.words.data();
  VkShaderModule module = VK_NULL_HANDLE;
  absl::Status status = Check(
      owner.fn().vkCreateShaderModule(owner.handle(), &info, nullptr, &module),
      "vkCreateShaderModule");
  if (status.ok()) status = pipeline->Create(params, module);
  owner.fn().vkDestroyShaderModule(owner.handle(), module, nullptr);
  if (!status.ok()) {
    return Annotate(status,
                    absl::StrCat("(entry point '", params.entry_point, "')"));
  }
  return pipeline;
}

absl::Status Pipeline::Create(const PipelineParams& params,
                              VkShaderModule module) {
  std::vector<VkSpecializationMapEntry> entries;
  for (uint32_t i = 0; i < params.constants.size(); ++i) {
    entries.push_back({i, i * 4, 4});
  }
  VkSpecializationInfo constants = {};
  constants.mapEntryCount = static_cast<uint32_t>(entries.size());
  constants.pMapEntries = entries.data();
  constants.dataSize = params.constants.size_bytes();
  constants.pData = params.constants.data();
  VkPipelineShaderStageRequiredSubgroupSizeCreateInfo subgroup = {};
  subgroup.sType = kSubgroupSizeType;
  subgroup.requiredSubgroupSize = params.subgroup_size;

  VkComputePipelineCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
  info.layout = layout_->handle();
  info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
  info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  info.stage.module = module;
  info.stage.pName = params.entry_point.c_str();
  if (!entries.empty()) info.stage.pSpecializationInfo = &constants;
  if (params.subgroup_size != 0) info.stage.pNext = &subgroup;
  RETURN_IF_ERROR(
      Check(device_->fn().vkCreateComputePipelines(
                device_->handle(), params.cache, 1, &info, nullptr, &handle_),
            "vkCreateComputePipelines"));
  device_->SetName(VK_OBJECT_TYPE_PIPELINE, handle_, params.entry_point);
  return absl::OkStatus();
}

}  // namespace eyrie::hal::vulkan
