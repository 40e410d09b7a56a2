// Vulkan command buffers: each has its own pool and retains the objects that it
// uses.
//
// When the last reference is released, the command buffer returns to a free
// list and is recorded again without another allocation in the driver.
// Thread-compatible.
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

// Creates command buffers and recycles them. Thread-safe.
class CommandStore : public std::enable_shared_from_this<CommandStore> {
 public:
  explicit CommandStore(std::shared_ptr<LogicalDevice> device)
      : device_(std::move(device)) {}
  CommandStore(const CommandStore&) = delete;
  CommandStore& operator=(const CommandStore&) = delete;
  ~CommandStore();

  // Begins the recording of a command buffer. If `is_reused`, it may be
  // submitted again, even while it runs.
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

// The location of each range in a submission's binding table: block serial,
// offset, length.
using BindingKey = absl::InlinedVector<uint64_t, 24>;

// An entry of an address table that shaders read. It refers to a binding table,
// so each submission must write the address again.
struct AddressPatch {
  uint8_t* entry;  // eight bytes, writable by the host
  RecordedRef ref;
  uint32_t binding;
  AddressedBinding needs;
};

class NativeCommands final : public RefObject {
 public:
  static constexpr RefType kType{"vulkan.native_commands"};

  VkCommandBuffer handle() const { return handle_; }
  // Makes all writes of the stages `before` visible to `accesses` of the stages
  // `after`.
  void AddBarrier(VkPipelineStageFlags before, VkPipelineStageFlags after,
                  VkAccessFlags accesses);
  // Ends the recording.
  absl::Status End();

  // Allocates a descriptor set for this recording, for devices without push
  // descriptors.
  absl::StatusOr<VkDescriptorSet> AllocateSet(VkDescriptorSetLayout layout);
  // Retains an object until the commands are reset.
  void Keep(Ref<RefObject> object) { kept_.push_back(std::move(object)); }

  // Adds timestamps for at most `dispatches` dispatches.
  absl::Status AddTimestamps(uint32_t dispatches);
  Timestamps* timestamps() { return timestamps_.get(); }  // null: none

  // The address table entries to rewrite for another binding table. Sufficient
  // only if can_be_patched(), that is, if nothing else in the recording depends
  // on the table.
  std::vector<AddressPatch>& patches() { return patches_; }
  bool can_be_patched() const { return can_be_patched_; }
  void set_can_be_patched(bool value) { can_be_patched_ = value; }

  // For a translation that can be submitted again: the key of the table that it
  // was recorded for. The recorder's caller sets it.
  BindingKey& key() { return key_; }

 private:
  friend class CommandStore;

  explicit NativeCommands(std::shared_ptr<LogicalDevice> device)
      : RefObject(kType), device_(std::move(device)) {}
  ~NativeCommands() override;
  absl::Status Create();
  absl::Status AddDescriptorPool();
  // Resets the object for a new recording.
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
  std::shared_ptr<CommandStore> home_;  // null while on the free list
};

}  // namespace eyrie::hal::vulkan

#endif  // EYRIE_HAL_VULKAN_NATIVE_COMMANDS_H_
