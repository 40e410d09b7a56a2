// Translates and submits commands.
#include "hal/vulkan/engine.h"

#include <utility>

#include "base/deadline.h"
#include "base/status_macros.h"
#include "hal/paid_transfer.h"
#include "hal/vulkan/buffer.h"
#include "hal/vulkan/fill_shader.h"
#include "hal/vulkan/recorder.h"

namespace eyrie::hal::vulkan {
namespace {

// Copies and fills that block the caller until they are complete.
class Transfers final : public ImmediateTransfers {
 public:
  Transfers(std::shared_ptr<LogicalDevice> device,
            std::shared_ptr<CommandStore> store, std::shared_ptr<Queue> queue)
      : device_(std::move(device)),
        store_(std::move(store)),
        queue_(std::move(queue)) {}

  absl::Status Copy(const DeviceRange& source, uint64_t source_offset,
                    const DeviceRange& target, uint64_t target_offset,
                    uint64_t length) override {
    return Run([&](VkCommandBuffer commands) {
      const VkBufferCopy copy = {source.offset + source_offset,
                                 target.offset + target_offset, length};
      device_->fn().vkCmdCopyBuffer(commands, source.buffer, target.buffer, 1,
                                    &copy);
    });
  }
  absl::Status Clear(const DeviceRange& target, uint64_t offset,
                     uint64_t length) override {
    return Run([&](VkCommandBuffer commands) {
      device_->fn().vkCmdFillBuffer(commands, target.buffer,
                                    target.offset + offset, length, 0);
    });
  }

 private:
  template <typename Record>
  absl::Status Run(const Record& record) {
    ASSIGN_OR_RETURN(Ref<NativeCommands> commands, store_->Begin(false));
    // Runs after all earlier submissions and before all later ones.
    constexpr VkPipelineStageFlags kAll = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    commands->AddBarrier(
        kAll, VK_PIPELINE_STAGE_TRANSFER_BIT,
        VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT);
    record(commands->handle());
    commands->AddBarrier(
        kAll, kAll | VK_PIPELINE_STAGE_HOST_BIT,
        VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT);
    RETURN_IF_ERROR(commands->End());
    Queue::Kept kept;
    kept.commands = std::move(commands);
    ASSIGN_OR_RETURN(const uint64_t epoch,
                     queue_->Submit(0, std::move(kept), nullptr));
    return queue_->WaitForEpoch(epoch, Deadline::Never());
  }

  const std::shared_ptr<LogicalDevice> device_;
  const std::shared_ptr<CommandStore> store_;
  const std::shared_ptr<Queue> queue_;
};

absl::StatusOr<std::shared_ptr<Pipeline>> CreateFillPipeline(
    const std::shared_ptr<LogicalDevice>& device) {
  PipelineLayout layout;
  layout.has_set = true;
  layout.bindings = {{0, DescriptorKind::kStorageBuffer}};
  layout.push_constants_size = 20;
  ASSIGN_OR_RETURN(std::shared_ptr<NativeLayout> native,
                   NativeLayout::Create(device, layout));
  PipelineParams params;
  params.words = kFillShader;
  params.entry_point = "main";
  return Pipeline::Create(device, std::move(native), params);
}

uint32_t CountDispatches(const CommandBuffer& commands) {
  uint32_t count = 0;
  for (const Command* command = commands.begin(); command != nullptr;
       command = commands.Next(command)) {
    if (IsDispatch(command->kind)) ++count;
  }
  return count;
}

// Charges the budget for each command and for the bytes that it moves.
absl::Status PayFor(const CommandBuffer& commands,
                    std::span<const BufferBinding> table, WorkBudget* work) {
  if (work == nullptr) return absl::OkStatus();
  for (const Command* command = commands.begin(); command != nullptr;
       command = commands.Next(command)) {
    RETURN_IF_ERROR(PayForCommand(work));
    if (command->kind == CommandKind::kFill) {
      const auto& fill = static_cast<const FillCommand&>(*command);
      RETURN_IF_ERROR(
          PayForBytes(work, "fill", Locate(fill.target, table).length));
    } else if (command->kind == CommandKind::kUpdate) {
      const auto& update = static_cast<const UpdateCommand&>(*command);
      RETURN_IF_ERROR(
          PayForBytes(work, "update", Locate(update.target, table).length));
    } else if (command->kind == CommandKind::kCopy) {
      const auto& copy = static_cast<const CopyCommand&>(*command);
      RETURN_IF_ERROR(
          PayForBytes(work, "copy", Locate(copy.target, table).length));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::shared_ptr<Engine>> Engine::Create(
    const std::shared_ptr<LogicalDevice>& device) {
  std::shared_ptr<Engine> engine(new Engine());
  engine->device_ = device;
  ASSIGN_OR_RETURN(engine->queue_, Queue::Create(device));
  engine->store_ = std::make_shared<CommandStore>(device);
  ASSIGN_OR_RETURN(
      engine->allocator_,
      Allocator::Create(device, std::make_shared<Transfers>(
                                    device, engine->store_, engine->queue_)));
  ASSIGN_OR_RETURN(engine->fill_, CreateFillPipeline(device));
  return engine;
}

void Engine::AppendKey(std::span<const BufferBinding> table,
                       BindingKey& key) const {
  for (const BufferBinding& binding : table) {
    const DeviceRange* const range =
        binding.buffer ? RangeOf(*device_, *binding.buffer) : nullptr;
    if (range == nullptr) {
      key.insert(key.end(), 3, 0);
      continue;
    }
    key.insert(key.end(),
               {range->serial,
                range->offset + binding.buffer->byte_offset() + binding.offset,
                LengthOf(binding)});
  }
}

absl::StatusOr<Ref<NativeCommands>> Engine::Reuse(
    const CommandBuffer& commands, std::span<const BufferBinding> table,
    const BindingKey& key) {
  const Ref<RefObject> kept = commands.TakeTranslation();
  auto* const known = RefCast<NativeCommands>(kept.get());
  if (known == nullptr) return Ref<NativeCommands>();
  if (known->key() != key) {
    // A recording that is still running must not be changed.
    if (!known->can_be_patched() || !kept->IsUnique()) {
      return Ref<NativeCommands>();
    }
    RETURN_IF_ERROR(
        Recorder({*device_, *allocator_, *fill_}, *known, table).Patch());
    known->key() = key;
  }
  commands.KeepTranslation(kept);
  return Ref<NativeCommands>::Share(known);
}

absl::StatusOr<Ref<NativeCommands>> Engine::Translate(
    const CommandBuffer& commands, std::span<const BufferBinding> table) {
  const bool is_timed = Timestamps::AreWanted(*device_);
  const bool is_reused =
      !is_timed && (commands.mode() & command_buffer_mode::kOneShot) == 0;
  BindingKey key;
  if (is_reused) {
    AppendKey(table, key);
    ASSIGN_OR_RETURN(Ref<NativeCommands> native, Reuse(commands, table, key));
    if (native) return native;
  }
  ASSIGN_OR_RETURN(Ref<NativeCommands> native, store_->Begin(is_reused));
  if (is_timed) [[unlikely]]
    RETURN_IF_ERROR(native->AddTimestamps(CountDispatches(commands)));
  Recorder recorder({*device_, *allocator_, *fill_}, *native, table);
  RETURN_IF_ERROR(recorder.Record(commands));
  if (is_reused) {
    native->key() = std::move(key);
    commands.KeepTranslation(native);
  }
  return native;
}

absl::StatusOr<Queue::Kept> Engine::Record(const Ref<CommandBuffer>& commands,
                                           std::span<const BufferBinding> table,
                                           WorkBudget* work,
                                           MemoryCharge charge) {
  RETURN_IF_ERROR(PayFor(*commands, table, work));
  Queue::Kept kept;
  ASSIGN_OR_RETURN(kept.commands, Translate(*commands, table));
  kept.objects.push_back(commands);
  for (const BufferBinding& binding : table) {
    if (binding.buffer == nullptr) continue;
    kept.objects.push_back(Ref<hal::Buffer>::Share(binding.buffer));
  }
  kept.charge = std::move(charge);
  return kept;
}

}  // namespace eyrie::hal::vulkan
