// Commands as Vulkan has them: a pool with one command buffer, and what they
// refer to.
//
// With its last reference an object goes to a free list, where recording
// begins anew without going to the driver. Thread-compatible.
// Tested by device_test.cc.
#ifndef EYRIE_HAL_VULKAN_NATIVE_COMMANDS_H_
#define EYRIE_HAL_VULKAN_NATIVE_COMMANDS_H_

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/ref.h"
#include "hal/command_validator.h"
#include "hal/vulkan/executable_def.h"
#include "hal/vulkan/logical_device.h"
#include "hal/vulkan/timestamps.h"

namespace eyrie::hal::vulkan {

class NativeCommands;

// Where command buffers come from, and go back to. Thread-safe.
class CommandStore : public std::enable_shared_from_this<CommandStore> {
 public:
  explicit CommandStore(std::shared_ptr<LogicalDevice> device)
      : device_(std::move(device)) {}
  CommandStore(const CommandStore&) = delete;
  CommandStore& operator=(const CommandStore&) = delete;
  ~CommandStore();

  // A command buffer that is being recorded. `is_reused`: it may be submitted
  // again, also while it runs.
  absl::StatusOr<Ref<NativeCommands>> Begin(bool is_reused);

 private:
  friend class NativeCommands;

  static constexpr size_t kMaxIdle = 32;

  absl::StatusOr<Ref<NativeCommands>> Take();
  void Recycle(NativeCommands* commands);

  const std::shared_ptr<LogicalDevice> device_;
  std::mutex mutex_;
  std::vector<NativeCommands*> idle_;  // guarded by mutex_
};

// Where each range of a submission's table lies: serial of the block, offset,
// length.
using BindingKey = absl::InlinedVector<uint64_t, 24>;

// An address in a table that shaders read, of a range in a submission's table
// of bindings: another submission writes another address.
struct AddressPatch {
  uint8_t* entry;  // eight bytes, which the host sees
  RecordedRef ref;
  uint32_t binding;
  AddressedBinding needs;
};

class NativeCommands final : public RefObject {
 public:
  static constexpr RefType kType{"vulkan.native_commands"};

  VkCommandBuffer handle() const { return handle_; }
  // Writes of the stages before are seen by these accesses of those after.
  void AddBarrier(VkPipelineStageFlags before, VkPipelineStageFlags after,
                  VkAccessFlags accesses);
  // Ends recording.
  absl::Status End();

  // A descriptor set for this recording, where there are no push descriptors.
  absl::StatusOr<VkDescriptorSet> AllocateSet(VkDescriptorSetLayout layout);
  // What must live as long as the commands.
  void Keep(Ref<RefObject> object) { kept_.push_back(std::move(object)); }

  // Times dispatches of this recording, which has at most so many.
  absl::Status AddTimestamps(uint32_t dispatches);
  Timestamps* timestamps() { return timestamps_.get(); }  // null: none

  // What a table of bindings goes into, if nothing else of the recording
  // depends on it; see can_be_patched.
  std::vector<AddressPatch>& patches() { return patches_; }
  bool can_be_patched() const { return can_be_patched_; }
  void set_can_be_patched(bool value) { can_be_patched_ = value; }

  // Of a translation that may be submitted again: what it was recorded for.
  // Who records decides what is in it.
  BindingKey& key() { return key_; }

 private:
  friend class CommandStore;

  explicit NativeCommands(std::shared_ptr<LogicalDevice> device)
      : RefObject(kType), device_(std::move(device)) {}
  ~NativeCommands() override;
  absl::Status Create();
  absl::Status AddDescriptorPool();
  // Makes it as it was before anything was recorded.
  absl::Status Reset();
  void OnLastRef() override;

  const std::shared_ptr<LogicalDevice> device_;
  VkCommandPool pool_ = VK_NULL_HANDLE;
  VkCommandBuffer handle_ = VK_NULL_HANDLE;
  std::vector<VkDescriptorPool> descriptor_pools_;
  std::vector<Ref<RefObject>> kept_;
  BindingKey key_;
  std::vector<AddressPatch> patches_;
  bool can_be_patched_ = false;
  std::unique_ptr<Timestamps> timestamps_;
  std::shared_ptr<CommandStore> home_;  // null while idle
};

}  // namespace eyrie::hal::vulkan

#endif  // EYRIE_HAL_VULKAN_NATIVE_COMMANDS_H_
