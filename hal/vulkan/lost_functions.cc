// Functions for a device that must not be used any more.
// Tested by tests/integration/fork_test.cc.
#include <type_traits>

#include "hal/vulkan/api.h"

namespace eyrie::hal::vulkan {
namespace {

template <typename Function>
struct Lost;
template <typename Result, typename... Arguments>
struct Lost<Result(VKAPI_PTR*)(Arguments...)> {
  static Result VKAPI_CALL Call(Arguments...) {
    if constexpr (std::is_same_v<Result, VkResult>) {
      return VK_ERROR_DEVICE_LOST;
    } else if constexpr (!std::is_void_v<Result>) {
      return Result();
    }
  }
};

VolkDeviceTable CreateTable() {
  VolkDeviceTable table = {};
#define LOST(name) table.name = Lost<decltype(table.name)>::Call;
  LOST(vkAllocateCommandBuffers)
  LOST(vkAllocateDescriptorSets)
  LOST(vkAllocateMemory)
  LOST(vkBeginCommandBuffer)
  LOST(vkBindBufferMemory)
  LOST(vkCmdBindDescriptorSets)
  LOST(vkCmdBindPipeline)
  LOST(vkCmdCopyBuffer)
  LOST(vkCmdDispatch)
  LOST(vkCmdDispatchIndirect)
  LOST(vkCmdFillBuffer)
  LOST(vkCmdPipelineBarrier)
  LOST(vkCmdPushConstants)
  LOST(vkCmdPushDescriptorSetKHR)
  LOST(vkCmdResetQueryPool)
  LOST(vkCmdUpdateBuffer)
  LOST(vkCmdWriteTimestamp)
  LOST(vkCreateBuffer)
  LOST(vkCreateCommandPool)
  LOST(vkCreateComputePipelines)
  LOST(vkCreateDescriptorPool)
  LOST(vkCreateDescriptorSetLayout)
  LOST(vkCreatePipelineCache)
  LOST(vkCreatePipelineLayout)
  LOST(vkCreateQueryPool)
  LOST(vkCreateSemaphore)
  LOST(vkCreateShaderModule)
  LOST(vkDestroyBuffer)
  LOST(vkDestroyCommandPool)
  LOST(vkDestroyDescriptorPool)
  LOST(vkDestroyDescriptorSetLayout)
  LOST(vkDestroyDevice)
  LOST(vkDestroyPipeline)
  LOST(vkDestroyPipelineCache)
  LOST(vkDestroyPipelineLayout)
  LOST(vkDestroyQueryPool)
  LOST(vkDestroySemaphore)
  LOST(vkDestroyShaderModule)
  LOST(vkEndCommandBuffer)
  LOST(vkFreeMemory)
  LOST(vkGetBufferDeviceAddress)
  LOST(vkGetBufferMemoryRequirements)
  LOST(vkGetCalibratedTimestampsEXT)
  LOST(vkGetDeviceQueue)
  LOST(vkGetMemoryFdKHR)
  LOST(vkGetMemoryFdPropertiesKHR)
  LOST(vkGetMemoryHostPointerPropertiesEXT)
  LOST(vkGetPipelineCacheData)
  LOST(vkGetQueryPoolResults)
  LOST(vkGetSemaphoreCounterValue)
  LOST(vkMapMemory)
  LOST(vkQueueSubmit)
  LOST(vkQueueWaitIdle)
  LOST(vkResetCommandPool)
  LOST(vkResetDescriptorPool)
  LOST(vkUpdateDescriptorSets)
  LOST(vkWaitSemaphores)
#undef LOST
  return table;
}

}  // namespace

const VolkDeviceTable& LostFunctions() {
  static const VolkDeviceTable table = CreateTable();
  return table;
}

}  // namespace eyrie::hal::vulkan
