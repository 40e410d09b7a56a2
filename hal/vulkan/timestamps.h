// Measures when the dispatches of a submission run, by the device's clock.
//
// Active only during a trace or profile, which gets the times once the
// submission is complete. Thread-compatible.
// Tested by timestamps_test.cc.
#ifndef EYRIE_HAL_VULKAN_TIMESTAMPS_H_
#define EYRIE_HAL_VULKAN_TIMESTAMPS_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "hal/vulkan/executable.h"
#include "hal/vulkan/logical_device.h"

namespace eyrie::hal::vulkan {

class Timestamps {
 public:
  // Reports whether dispatches of the device should be timed now.
  static bool AreWanted(const LogicalDevice& device);

  // Creates room for `dispatches` dispatches in one recording, and adds its
  // first command to `commands`.
  static absl::StatusOr<std::unique_ptr<Timestamps>> Create(
      std::shared_ptr<LogicalDevice> device, VkCommandBuffer commands,
      uint32_t dispatches);
  Timestamps(const Timestamps&) = delete;
  Timestamps& operator=(const Timestamps&) = delete;
  ~Timestamps();

  // Must be called before and after a dispatch. `executable` must outlive the
  // call to Report.
  void Begin(VkCommandBuffer commands, const Executable& executable,
             uint32_t ordinal, const uint32_t (&workgroup_count)[3]);
  void End(VkCommandBuffer commands);

  // Reports all dispatches to the trace recorder. They must be complete.
  void Report();

 private:
  struct Dispatch {
    const Executable* executable;
    uint32_t ordinal;
    uint32_t workgroup_count[3];
  };

  explicit Timestamps(std::shared_ptr<LogicalDevice> device)
      : device_(std::move(device)) {}
  // Returns the steady clock minus the device's clock, in nanoseconds, given a
  // device timestamp that is not in the future.
  int64_t ClockOffset(int64_t last_ns) const;

  const std::shared_ptr<LogicalDevice> device_;
  VkQueryPool pool_ = VK_NULL_HANDLE;
  std::vector<Dispatch> dispatches_;
};

}  // namespace eyrie::hal::vulkan

#endif  // EYRIE_HAL_VULKAN_TIMESTAMPS_H_
