// What a device and its pending operations share: where commands are
// translated, submitted and paid for.
//
// Thread-safe.
// Tested by device_test.cc.
#ifndef EYRIE_HAL_VULKAN_ENGINE_H_
#define EYRIE_HAL_VULKAN_ENGINE_H_

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/memory_meter.h"
#include "base/ref.h"
#include "base/work_budget.h"
#include "hal/command_buffer.h"
#include "hal/fence.h"
#include "hal/vulkan/allocator.h"
#include "hal/vulkan/logical_device.h"
#include "hal/vulkan/native_commands.h"
#include "hal/vulkan/pipeline.h"
#include "hal/vulkan/queue.h"

namespace eyrie::hal::vulkan {

class Engine {
 public:
  static absl::StatusOr<std::shared_ptr<Engine>> Create(
      const std::shared_ptr<LogicalDevice>& device);

  Allocator& allocator() { return *allocator_; }
  const std::shared_ptr<Queue>& queue() const { return queue_; }

  // Submits commands, to run after an epoch, and has their end signal the
  // fence, which may be null; nothing is signalled if this fails. As Recorder
  // fails, or the budget.
  absl::Status Execute(const Ref<CommandBuffer>& commands,
                       std::span<const BufferBinding> table, uint64_t after,
                       Fence* signal, WorkBudget* work, MemoryCharge charge);

 private:
  Engine() = default;
  // The commands as recorded for this table.
  absl::StatusOr<Ref<NativeCommands>> Translate(
      const CommandBuffer& commands, std::span<const BufferBinding> table);
  // The last submission's, if it can be had for this table, whose key is
  // given; or null.
  absl::StatusOr<Ref<NativeCommands>> Reuse(
      const CommandBuffer& commands, std::span<const BufferBinding> table,
      const BindingKey& key);
  // Where each slot of the table lies.
  void AppendKey(std::span<const BufferBinding> table, BindingKey& key) const;

  std::shared_ptr<LogicalDevice> device_;
  std::shared_ptr<Queue> queue_;
  std::shared_ptr<CommandStore> store_;
  Ref<Allocator> allocator_;
  std::shared_ptr<Pipeline> fill_;
};

}  // namespace eyrie::hal::vulkan

#endif  // EYRIE_HAL_VULKAN_ENGINE_H_
