// Creates and recycles command buffers.
#include "hal/vulkan/native_commands.h"

#include <utility>

#include "base/status_macros.h"

namespace eyrie::hal::vulkan {
namespace {

constexpr uint32_t kSetsPerPool = 64;
constexpr uint32_t kBuffersPerSet = 8;

}  // namespace

CommandStore::~CommandStore() {
  for (NativeCommands* commands : idle_) delete commands;
}

absl::StatusOr<Ref<NativeCommands>> CommandStore::Take() {
  NativeCommands* commands = nullptr;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (!idle_.empty()) {
      commands = idle_.back();
      idle_.pop_back();
    }
  }
  if (commands != nullptr) {
    commands->ResetRef();
    return Ref<NativeCommands>::Adopt(commands);
  }
  Ref<NativeCommands> made =
      Ref<NativeCommands>::Adopt(new NativeCommands(device_));
  RETURN_IF_ERROR(made->Create());
  return made;
}

absl::StatusOr<Ref<NativeCommands>> CommandStore::Begin(bool is_reused) {
  ASSIGN_OR_RETURN(Ref<NativeCommands> commands, Take());
  commands->home_ = shared_from_this();
  VkCommandBufferBeginInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
  info.flags = is_reused ? VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT
                         : VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
  RETURN_IF_ERROR(
      Check(device_->fn().vkBeginCommandBuffer(commands->handle(), &info),
            "vkBeginCommandBuffer"));
  return commands;
}

void CommandStore::Recycle(NativeCommands* commands) {
  if (commands->Reset().ok()) {
    std::lock_guard<std::mutex> lock(mutex_);
    if (idle_.size() < kMaxIdle) {
      idle_.push_back(commands);
      return;
    }
  }
  delete commands;
}

NativeCommands::~NativeCommands() {
  const VolkDeviceTable& fn = device_->fn();
  for (VkDescriptorPool pool : descriptor_pools_) {
    fn.vkDestroyDescriptorPool(device_->handle(), pool, nullptr);
  }
  fn.vkDestroyCommandPool(device_->handle(), pool_, nullptr);
}

absl::Status NativeCommands::Create() {
  VkCommandPoolCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
  info.queueFamilyIndex = device_->physical().queue_family;
  RETURN_IF_ERROR(Check(device_->fn().vkCreateCommandPool(
                            device_->handle(), &info, nullptr, &pool_),
                        "vkCreateCommandPool"));
  VkCommandBufferAllocateInfo allocate = {};
  allocate.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
  allocate.commandPool = pool_;
  allocate.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  allocate.commandBufferCount = 1;
  return Check(device_->fn().vkAllocateCommandBuffers(device_->handle(),
                                                      &allocate, &handle_),
               "vkAllocateCommandBuffers");
}

absl::Status NativeCommands::AddTimestamps(uint32_t dispatches) {
  if (dispatches == 0) return absl::OkStatus();
  ASSIGN_OR_RETURN(timestamps_,
                   Timestamps::Create(device_, handle_, dispatches));
  return absl::OkStatus();
}

void NativeCommands::AddBarrier(VkPipelineStageFlags before,
                                VkPipelineStageFlags after,
                                VkAccessFlags accesses) {
  VkMemoryBarrier barrier = {};
  barrier.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
  barrier.srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT;
  barrier.dstAccessMask = accesses;
  device_->fn().vkCmdPipelineBarrier(handle_, before, after, 0, 1, &barrier, 0,
                                     nullptr, 0, nullptr);
}

absl::Status NativeCommands::End() {
  return Check(device_->fn().vkEndCommandBuffer(handle_), "vkEndCommandBuffer");
}

absl::Status NativeCommands::Reset() {
  timestamps_.reset();
  kept_.clear();
  key_.clear();
  patches_.clear();
  can_be_patched_ = false;
  // Keep one descriptor pool for the next recording.
  while (descriptor_pools_.size() > 1) {
    device_->fn().vkDestroyDescriptorPool(device_->handle(),
                                          descriptor_pools_.back(), nullptr);
    descriptor_pools_.pop_back();
  }
  for (VkDescriptorPool pool : descriptor_pools_) {
    device_->fn().vkResetDescriptorPool(device_->handle(), pool, 0);
  }
  return Check(device_->fn().vkResetCommandPool(device_->handle(), pool_, 0),
               "vkResetCommandPool");
}

void NativeCommands::OnLastRef() {
  if (home_ == nullptr) {
    delete this;
    return;
  }
  const std::shared_ptr<CommandStore> home = std::move(home_);
  home->Recycle(this);
}

absl::Status NativeCommands::AddDescriptorPool() {
  const VkDescriptorPoolSize sizes[] = {
      {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, kSetsPerPool * kBuffersPerSet},
      {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, kSetsPerPool * kBuffersPerSet}};
  VkDescriptorPoolCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO;
  info.maxSets = kSetsPerPool;
  info.poolSizeCount = 2;
  info.pPoolSizes = sizes;
  VkDescriptorPool pool = VK_NULL_HANDLE;
  RETURN_IF_ERROR(Check(device_->fn().vkCreateDescriptorPool(
                            device_->handle(), &info, nullptr, &pool),
                        "vkCreateDescriptorPool"));
  descriptor_pools_.push_back(pool);
  return absl::OkStatus();
}

absl::StatusOr<VkDescriptorSet> NativeCommands::AllocateSet(
    VkDescriptorSetLayout layout) {
  VkDescriptorSetAllocateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO;
  info.descriptorSetCount = 1;
  info.pSetLayouts = &layout;
  VkDescriptorSet set = VK_NULL_HANDLE;
  VkResult result = VK_ERROR_OUT_OF_POOL_MEMORY;
  if (!descriptor_pools_.empty()) {
    info.descriptorPool = descriptor_pools_.back();
    result =
        device_->fn().vkAllocateDescriptorSets(device_->handle(), &info, &set);
  }
  if (result == VK_ERROR_OUT_OF_POOL_MEMORY ||
      result == VK_ERROR_FRAGMENTED_POOL) {
    RETURN_IF_ERROR(AddDescriptorPool());
    info.descriptorPool = descriptor_pools_.back();
    result =
        device_->fn().vkAllocateDescriptorSets(device_->handle(), &info, &set);
  }
  RETURN_IF_ERROR(Check(result, "vkAllocateDescriptorSets"));
  return set;
}

}  // namespace eyrie::hal::vulkan
