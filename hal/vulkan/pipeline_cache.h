// Keeps the pipelines that a driver has compiled in a file between runs.
//
// Each file is for one device and one driver version. It has a checksum and is
// always replaced as a whole. A file that does not match or is damaged is
// ignored. Thread-safe.
// Tested by pipeline_cache_test.cc, testing/pipeline_cache_fuzz.cc.
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

// The device and driver that a cache file belongs to.
struct CacheIdentity {
  uint32_t vendor = 0;
  uint32_t device = 0;
  uint32_t driver_version = 0;
  uint8_t uuid[VK_UUID_SIZE] = {};  // pipelineCacheUUID
};

// WrapCache returns the file's bytes for the driver's data; UnwrapCache returns
// the driver's data, a view of the file's bytes. The header has 64 bytes:
// "EYRIEVPC", u32 version 1, vendor, device and driver version, the UUID, u64
// size and u64 checksum of the data, 8 reserved bytes. INVALID_ARGUMENT: the
// file is damaged. NOT_FOUND: it belongs to another device or driver.
std::vector<uint8_t> WrapCache(const CacheIdentity& identity,
                               std::span<const uint8_t> data);
absl::StatusOr<std::span<const uint8_t>> UnwrapCache(
    const CacheIdentity& identity, std::span<const uint8_t> file);

class PipelineCache {
 public:
  // Creates a cache and fills it from the file in VulkanOptions::cache_folder,
  // if that exists.
  static absl::StatusOr<std::unique_ptr<PipelineCache>> Open(
      std::shared_ptr<LogicalDevice> device);
  PipelineCache(const PipelineCache&) = delete;
  PipelineCache& operator=(const PipelineCache&) = delete;
  ~PipelineCache();

  VkPipelineCache handle() const { return handle_; }
  // Returns why the file was not used, or OK if it was used or does not exist.
  const absl::Status& loaded() const { return loaded_; }
  // Writes the file if the cache has new entries since it was read. Creates the
  // folder if needed.
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
