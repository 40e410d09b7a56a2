// State that a device shares with its pending operations: it translates
// commands, submits them and charges the work budget.
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

  // Returns recorded commands, with all that they need, for Queue::Submit.
  // Returns the errors of Recorder and of the budget.
  absl::StatusOr<Queue::Kept> Record(const Ref<CommandBuffer>& commands,
                                     std::span<const BufferBinding> table,
                                     WorkBudget* work, MemoryCharge charge);

 private:
  Engine() = default;
  // Records the commands for this table.
  absl::StatusOr<Ref<NativeCommands>> Translate(
      const CommandBuffer& commands, std::span<const BufferBinding> table);
  // Returns the last translation, patched for this table if needed, or null if
  // it cannot be reused. `key` must be the table's key.
  absl::StatusOr<Ref<NativeCommands>> Reuse(
      const CommandBuffer& commands, std::span<const BufferBinding> table,
      const BindingKey& key);
  // Appends the location of each slot of the table to `key`.
  void AppendKey(std::span<const BufferBinding> table, BindingKey& key) const;

  std::shared_ptr<LogicalDevice> device_;
  std::shared_ptr<Queue> queue_;
  std::shared_ptr<CommandStore> store_;
  Ref<Allocator> allocator_;
  std::shared_ptr<Pipeline> fill_;
};

}  // namespace eyrie::hal::vulkan

#endif  // EYRIE_HAL_VULKAN_ENGINE_H_
