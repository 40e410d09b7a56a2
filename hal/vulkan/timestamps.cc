// Writes timestamps around dispatches and converts between two clocks.
#include "hal/vulkan/timestamps.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/status_macros.h"
#include "base/trace.h"

namespace eyrie::hal::vulkan {

bool Timestamps::AreWanted(const LogicalDevice& device) {
  return trace::IsRecording(trace::kEvents | trace::kDispatches) &&
         device.physical().timestamp_bits != 0;
}

absl::StatusOr<std::unique_ptr<Timestamps>> Timestamps::Create(
    std::shared_ptr<LogicalDevice> device, VkCommandBuffer commands,
    uint32_t dispatches) {
  std::unique_ptr<Timestamps> made(new Timestamps(std::move(device)));
  const LogicalDevice& owner = *made->device_;
  VkQueryPoolCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO;
  info.queryType = VK_QUERY_TYPE_TIMESTAMP;
  info.queryCount = 2 * dispatches;
  RETURN_IF_ERROR(Check(owner.fn().vkCreateQueryPool(owner.handle(), &info,
                                                     nullptr, &made->pool_),
                        "vkCreateQueryPool"));
  owner.fn().vkCmdResetQueryPool(commands, made->pool_, 0, info.queryCount);
  made->dispatches_.reserve(dispatches);
  return made;
}

Timestamps::~Timestamps() {
  device_->fn().vkDestroyQueryPool(device_->handle(), pool_, nullptr);
}

void Timestamps::Begin(VkCommandBuffer commands, const Executable& executable,
                       uint32_t ordinal, const uint32_t (&workgroup_count)[3]) {
  const auto query = static_cast<uint32_t>(2 * dispatches_.size());
  device_->fn().vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT,
                                    pool_, query);
  Dispatch& dispatch = dispatches_.emplace_back();
  dispatch.executable = &executable;
  dispatch.ordinal = ordinal;
  std::memcpy(dispatch.workgroup_count, workgroup_count,
              sizeof(workgroup_count));
}

void Timestamps::End(VkCommandBuffer commands) {
  const auto query = static_cast<uint32_t>(2 * dispatches_.size() - 1);
  device_->fn().vkCmdWriteTimestamp(
      commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, pool_, query);
}

int64_t Timestamps::ClockOffset(int64_t last_ns) const {
  const int64_t now = trace::Now();
  if (!device_->has_calibrated_timestamps()) return now - last_ns;
  VkCalibratedTimestampInfoEXT infos[2] = {};
  infos[0].sType = VK_STRUCTURE_TYPE_CALIBRATED_TIMESTAMP_INFO_EXT;
  infos[0].timeDomain = VK_TIME_DOMAIN_DEVICE_EXT;
  infos[1].sType = VK_STRUCTURE_TYPE_CALIBRATED_TIMESTAMP_INFO_EXT;
  infos[1].timeDomain = VK_TIME_DOMAIN_CLOCK_MONOTONIC_EXT;
  uint64_t times[2];
  uint64_t deviation;
  if (device_->fn().vkGetCalibratedTimestampsEXT(device_->handle(), 2, infos,
                                                 times, &deviation) < 0) {
    return now - last_ns;
  }
  const double tick = device_->limits().timestampPeriod;
  return static_cast<int64_t>(times[1]) -
         static_cast<int64_t>(static_cast<double>(times[0]) * tick);
}

void Timestamps::Report() {
  std::vector<uint64_t> ticks(2 * dispatches_.size());
  if (ticks.empty() ||
      device_->fn().vkGetQueryPoolResults(
          device_->handle(), pool_, 0, static_cast<uint32_t>(ticks.size()),
          ticks.size() * sizeof(uint64_t), ticks.data(), sizeof(uint64_t),
          VK_QUERY_RESULT_64_BIT) != VK_SUCCESS) {
    return;
  }
  const double tick = device_->limits().timestampPeriod;
  const auto ns = [&](size_t i) {
    return static_cast<int64_t>(static_cast<double>(ticks[i]) * tick);
  };
  const int64_t offset = ClockOffset(ns(ticks.size() - 1));
  for (size_t i = 0; i < dispatches_.size(); ++i) {
    const Dispatch& dispatch = dispatches_[i];
    const Executable& executable = *dispatch.executable;
    const int64_t begin = ns(2 * i) + offset;
    trace::AddDeviceDispatch(
        device_->queue_name(), executable.trace_name(dispatch.ordinal),
        [&] { return executable.def(dispatch.ordinal).name; },
        dispatch.workgroup_count, begin,
        std::max(begin, ns(2 * i + 1) + offset));
  }
}

}  // namespace eyrie::hal::vulkan
