// The pipelines that a device's driver has compiled, kept in a file between
// runs.
//
// The file is for one device and one version of its driver, checksummed, and
// replaced as a whole; one that does not fit or is damaged is left out of
// account. Thread-safe.
// Tested by pipeline_cache_test.cc, pipeline_cache_fuzz.cc.
#ifndef EYRIE_HAL_VULKAN_PIPELINE_CACHE_H_
#define EYRIE_HAL_VULKAN_PIPELINE_CACHE_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "hal/vulkan/logical_device.h"

namespace eyrie::hal::vulkan {

// What a cache file is for.
struct CacheIdentity {
  uint32_t vendor = 0;
  uint32_t device = 0;
  uint32_t driver_version = 0;
  uint8_t uuid[VK_UUID_SIZE] = {};  // pipelineCacheUUID
};

// A file's bytes around the driver's data, and the data of a file. A header of
// 64 bytes: "EYRIEVPC", u32 version 1, vendor, device and driver version, the
// UUID, u64 size and u64 checksum of the data, 8 bytes reserved.
// INVALID_ARGUMENT: damaged; NOT_FOUND: of another device or driver.
std::vector<uint8_t> WrapCache(const CacheIdentity& identity,
                               std::span<const uint8_t> data);
absl::StatusOr<std::span<const uint8_t>> UnwrapCache(
    const CacheIdentity& identity, std::span<const uint8_t> file);

class PipelineCache {
 public:
  // With what the file of VulkanOptions::cache_folder holds, if there is one.
  static absl::StatusOr<std::unique_ptr<PipelineCache>> Open(
      std::shared_ptr<LogicalDevice> device);
  PipelineCache(const PipelineCache&) = delete;
  PipelineCache& operator=(const PipelineCache&) = delete;
  ~PipelineCache();

  VkPipelineCache handle() const { return handle_; }
  // Why the file was not used; OK if it was, or there is none.
  const absl::Status& loaded() const { return loaded_; }
  // Writes the file if there is more to keep than was read; makes its folder.
  absl::Status Save();

 private:
  explicit PipelineCache(std::shared_ptr<LogicalDevice> device);
  std::vector<uint8_t> ReadFile();
  std::string path() const;

  const std::shared_ptr<LogicalDevice> device_;
  CacheIdentity identity_;
  VkPipelineCache handle_ = VK_NULL_HANDLE;
  absl::Status loaded_;
  size_t loaded_size_ = 0;
};

}  // namespace eyrie::hal::vulkan

#endif  // EYRIE_HAL_VULKAN_PIPELINE_CACHE_H_
