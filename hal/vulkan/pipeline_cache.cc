// Reads, writes and checks cache files.
#include "hal/vulkan/pipeline_cache.h"

#include <cstring>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "base/byte_reader.h"
#include "base/file_writer.h"
#include "base/fnv1a.h"
#include "base/folders.h"
#include "base/mapped_file.h"
#include "base/status_macros.h"

namespace eyrie::hal::vulkan {
namespace {

constexpr char kMagic[9] = "EYRIEVPC";
constexpr uint32_t kVersion = 1;
// Largest file to give to a driver. Caches of large models have a few MB.
constexpr uint64_t kMaxFile = uint64_t{256} << 20;

struct Header {
  char magic[8];
  uint32_t version;
  uint32_t vendor;
  uint32_t device;
  uint32_t driver_version;
  uint8_t uuid[VK_UUID_SIZE];
  uint64_t size;
  uint64_t checksum;
  uint64_t reserved;
};
static_assert(sizeof(Header) == 64);

Header HeaderFor(const CacheIdentity& identity, std::span<const uint8_t> data) {
  Header header = {};
  std::memcpy(header.magic, kMagic, sizeof(header.magic));
  header.version = kVersion;
  header.vendor = identity.vendor;
  header.device = identity.device;
  header.driver_version = identity.driver_version;
  std::memcpy(header.uuid, identity.uuid, sizeof(header.uuid));
  header.size = data.size();
  header.checksum = Fnv1a(data);
  return header;
}

// Creates a folder and its parents.
absl::Status CreateFolder(const std::string& path) {
  const absl::Status made = CreateFolders(path);
  if (made.ok()) return made;
  return absl::UnavailableError(made.message());
}

}  // namespace

std::vector<uint8_t> WrapCache(const CacheIdentity& identity,
                               std::span<const uint8_t> data) {
  const Header header = HeaderFor(identity, data);
  std::vector<uint8_t> file(sizeof(header) + data.size());
  std::memcpy(file.data(), &header, sizeof(header));
  if (!data.empty()) {
    std::memcpy(file.data() + sizeof(header), data.data(), data.size());
  }
  return file;
}

absl::StatusOr<std::span<const uint8_t>> UnwrapCache(
    const CacheIdentity& identity, std::span<const uint8_t> file) {
  if (file.size() < sizeof(Header)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "The file has ", file.size(), " bytes; a pipeline cache begins with ",
        sizeof(Header), "."));
  }
  const auto header = LoadLittleEndian<Header>(file.data());
  const std::span<const uint8_t> data = file.subspan(sizeof(Header));
  if (std::memcmp(header.magic, kMagic, sizeof(header.magic)) != 0) {
    return absl::InvalidArgumentError("The file is not a pipeline cache.");
  }
  if (header.version != kVersion) {
    return absl::NotFoundError(absl::StrCat("The pipeline cache has version ",
                                            header.version, ", not ", kVersion,
                                            "."));
  }
  if (header.size != data.size() || header.checksum != Fnv1a(data)) {
    return absl::InvalidArgumentError(
        absl::StrCat("The pipeline cache is damaged: its ", data.size(),
                     " bytes do not match its checksum."));
  }
  if (header.vendor != identity.vendor || header.device != identity.device ||
      header.driver_version != identity.driver_version ||
      std::memcmp(header.uuid, identity.uuid, sizeof(header.uuid)) != 0) {
    return absl::NotFoundError(
        "The pipeline cache belongs to another device or driver version.");
  }
  return data;
}

PipelineCache::PipelineCache(std::shared_ptr<LogicalDevice> device)
    : device_(std::move(device)) {
  const VkPhysicalDeviceProperties& of = device_->physical().properties;
  identity_.vendor = of.vendorID;
  identity_.device = of.deviceID;
  identity_.driver_version = of.driverVersion;
  std::memcpy(identity_.uuid, of.pipelineCacheUUID, sizeof(identity_.uuid));
}

PipelineCache::~PipelineCache() {
  device_->fn().vkDestroyPipelineCache(device_->handle(), handle_, nullptr);
}

std::string PipelineCache::path() const {
  const std::string& folder = device_->options().cache_folder;
  if (folder.empty()) return "";
  const absl::string_view uuid(reinterpret_cast<const char*>(identity_.uuid),
                               sizeof(identity_.uuid));
  return absl::StrCat(folder, "/", absl::Hex(identity_.vendor, absl::kZeroPad4),
                      "-", absl::Hex(identity_.device, absl::kZeroPad4), "-",
                      absl::Hex(identity_.driver_version, absl::kZeroPad8), "-",
                      absl::BytesToHexString(uuid), ".vulkan-pipelines");
}

std::vector<uint8_t> PipelineCache::ReadFile() {
  const std::string path = this->path();
  if (path.empty()) return {};
  const auto file = MappedFile::OpenRegular(path, kMaxFile);
  if (!file.ok()) {
    if (!absl::IsNotFound(file.status())) loaded_ = file.status();
    return {};
  }
  const auto data = UnwrapCache(identity_, (*file)->bytes());
  if (!data.ok()) {
    loaded_ = Annotate(data.status(), absl::StrCat("(", path, ")"));
    return {};
  }
  return {data->begin(), data->end()};
}

absl::StatusOr<std::unique_ptr<PipelineCache>> PipelineCache::Open(
    std::shared_ptr<LogicalDevice> device) {
  std::unique_ptr<PipelineCache> cache(new PipelineCache(std::move(device)));
  const LogicalDevice& owner = *cache->device_;
  const std::vector<uint8_t> known = cache->ReadFile();
  VkPipelineCacheCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO;
  info.initialDataSize = known.size();
  info.pInitialData = known.data();
  RETURN_IF_ERROR(Check(owner.fn().vkCreatePipelineCache(
                            owner.handle(), &info, nullptr, &cache->handle_),
                        "vkCreatePipelineCache"));
  cache->loaded_size_ = known.size();
  return cache;
}

absl::Status PipelineCache::Save() {
  const std::string path = this->path();
  if (path.empty()) return absl::OkStatus();
  const VolkDeviceTable& fn = device_->fn();
  size_t size = 0;
  RETURN_IF_ERROR(Check(
      fn.vkGetPipelineCacheData(device_->handle(), handle_, &size, nullptr),
      "vkGetPipelineCacheData"));
  if (size <= loaded_size_) return absl::OkStatus();
  std::vector<uint8_t> data(size);
  RETURN_IF_ERROR(Check(
      fn.vkGetPipelineCacheData(device_->handle(), handle_, &size, data.data()),
      "vkGetPipelineCacheData"));
  data.resize(size);
  RETURN_IF_ERROR(CreateFolder(device_->options().cache_folder));
  FileWriter writer(path);
  RETURN_IF_ERROR(writer.Write(WrapCache(identity_, data)));
  return writer.Finish();
}

}  // namespace eyrie::hal::vulkan
