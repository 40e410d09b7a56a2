// When the dispatches of a submission ran, by the device's own clock.
//
// Recorded only while a trace or a profile is; told to it once the submission
// is done. Thread-compatible.
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
  // True if dispatches of the device are to be timed now.
  static bool AreWanted(const LogicalDevice& device);

  // Room for so many dispatches of one recording, which begins with this.
  static absl::StatusOr<std::unique_ptr<Timestamps>> Create(
      std::shared_ptr<LogicalDevice> device, VkCommandBuffer commands,
      uint32_t dispatches);
  Timestamps(const Timestamps&) = delete;
  Timestamps& operator=(const Timestamps&) = delete;
  ~Timestamps();

  // Around a dispatch of an export, which outlives the report.
  void Begin(VkCommandBuffer commands, const Executable& executable,
             uint32_t ordinal, const uint32_t (&workgroup_count)[3]);
  void End(VkCommandBuffer commands);

  // Tells the recorder of all dispatches, once they are done.
  void Report();

 private:
  struct Dispatch {
    const Executable* executable;
    uint32_t ordinal;
    uint32_t workgroup_count[3];
  };

  explicit Timestamps(std::shared_ptr<LogicalDevice> device)
      : device_(std::move(device)) {}
  // Nanoseconds of the steady clock less those of the device's clock, if the
  // last timestamp is of now at the latest.
  int64_t ClockOffset(int64_t last_ns) const;

  const std::shared_ptr<LogicalDevice> device_;
  VkQueryPool pool_ = VK_NULL_HANDLE;
  std::vector<Dispatch> dispatches_;
};

}  // namespace eyrie::hal::vulkan

#endif  // EYRIE_HAL_VULKAN_TIMESTAMPS_H_
