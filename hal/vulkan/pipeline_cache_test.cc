// Tests pipeline cache files: written and read back, of other devices, damaged,
// and in folders that are not writable.
#include "hal/vulkan/pipeline_cache.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "hal/driver.h"
#include "hal/vulkan/driver.h"
#include "hal/vulkan/instance.h"
#include "hal/vulkan/logical_device.h"
#include "hal/vulkan/physical_device.h"
#include "tests/support/files.h"
#include "tests/support/status_text.h"
#include "tests/support/vulkan_device.h"

namespace eyrie::hal::vulkan {
namespace {

CacheIdentity SomeIdentity() {
  CacheIdentity identity;
  identity.vendor = 0x10005;
  identity.device = 7;
  identity.driver_version = 22;
  for (uint8_t i = 0; i < VK_UUID_SIZE; ++i) identity.uuid[i] = i;
  return identity;
}

std::string Unwrapped(const CacheIdentity& identity,
                      std::span<const uint8_t> file) {
  const auto data = UnwrapCache(identity, file);
  if (!data.ok()) return StatusText(data);
  return std::string(data->begin(), data->end());
}

TEST(WrapCache, RoundTrips) {
  for (const size_t size : {0, 1, 32, 1000}) {
    const std::vector<uint8_t> data(size, 'x');
    const std::vector<uint8_t> file = WrapCache(SomeIdentity(), data);
    EXPECT_EQ(file.size(), 64 + size);
    EXPECT_EQ(std::string(file.begin(), file.begin() + 8), "EYRIEVPC");
    EXPECT_EQ(Unwrapped(SomeIdentity(), file), std::string(size, 'x'));
  }
}

TEST(UnwrapCache, OfOthers) {
  const std::vector<uint8_t> file =
      WrapCache(SomeIdentity(), BytesOf(uint32_t{1}));
  const std::string other =
      "NOT_FOUND: The pipeline cache belongs to another device or driver "
      "version.";
  CacheIdentity identity = SomeIdentity();
  ++identity.vendor;
  EXPECT_EQ(Unwrapped(identity, file), other);
  identity = SomeIdentity();
  ++identity.device;
  EXPECT_EQ(Unwrapped(identity, file), other);
  identity = SomeIdentity();
  ++identity.driver_version;
  EXPECT_EQ(Unwrapped(identity, file), other);
  identity = SomeIdentity();
  ++identity.uuid[15];
  EXPECT_EQ(Unwrapped(identity, file), other);
}

TEST(UnwrapCache, Damaged) {
  const std::vector<uint8_t> data = {1, 2, 3, 4, 5};
  const std::vector<uint8_t> good = WrapCache(SomeIdentity(), data);
  for (size_t size = 0; size < good.size(); ++size) {
    const auto cut = std::span(good).first(size);
    EXPECT_EQ(
        Unwrapped(SomeIdentity(), cut),
        size < 64
            ? absl::StrCat("INVALID_ARGUMENT: The file has ", size,
                           " bytes; a pipeline cache begins with 64.")
            : absl::StrCat("INVALID_ARGUMENT: The pipeline cache is "
                           "damaged: its ",
                           size - 64, " bytes do not match its checksum."));
  }
  std::vector<uint8_t> more = good;
  more.push_back(0);
  EXPECT_TRUE(absl::StrContains(Unwrapped(SomeIdentity(), more),
                                "damaged: its 6 bytes"));
  // Change each byte of the header; only reserved bytes may change.
  const struct {
    size_t begin, end;
    const char* want;
  } kParts[] = {
      {0, 8, "INVALID_ARGUMENT: The file is not a pipeline cache."},
      {8, 12, "NOT_FOUND: The pipeline cache has version "},
      {12, 40, "NOT_FOUND: The pipeline cache belongs to another device"},
      {40, 56, "INVALID_ARGUMENT: The pipeline cache is damaged"},
      {56, 64, "\1\2\3\4\5"},
      {64, 69, "INVALID_ARGUMENT: The pipeline cache is damaged"},
  };
  for (const auto& part : kParts) {
    for (size_t i = part.begin; i < part.end; ++i) {
      for (const uint8_t flip : {0x01, 0x80}) {
        std::vector<uint8_t> bad = good;
        bad[i] ^= flip;
        EXPECT_TRUE(absl::StartsWith(Unwrapped(SomeIdentity(), bad), part.want))
            << i << ": " << Unwrapped(SomeIdentity(), bad);
      }
    }
  }
}

// A temporary folder, and a list of its files.
class CacheFolder : public VulkanTest {
 protected:
  void SetUp() override {
    VulkanTest::SetUp();
    const char* const name =
        ::testing::UnitTest::GetInstance()->current_test_info()->name();
    folder_ = absl::StrCat(std::getenv("TEST_TMPDIR"), "/", name);
    ASSERT_EQ(mkdir(folder_.c_str(), 0700), 0);
  }

  std::vector<std::string> Files() const {
    std::vector<std::string> names;
    DIR* const folder = opendir(folder_.c_str());
    if (folder == nullptr) return names;
    while (const dirent* const entry = readdir(folder)) {
      if (entry->d_name[0] != '.') names.emplace_back(entry->d_name);
    }
    closedir(folder);
    return names;
  }
  std::string OnlyFile() const {
    const std::vector<std::string> names = Files();
    EXPECT_EQ(names.size(), 1u);
    return names.empty() ? "" : absl::StrCat(folder_, "/", names[0]);
  }

  // Opens a cache as a device does.
  std::unique_ptr<PipelineCache> OpenCache(const std::string& folder) {
    DriverOptions options;
    options.Of<VulkanOptions>().cache_folder = folder;
    const auto instance = Instance::Get(false);
    EXPECT_EQ(StatusText(instance), "OK");
    auto physical = SelectDevice(*FindDevices(**instance), "");
    EXPECT_EQ(StatusText(physical), "OK");
    auto device = LogicalDevice::Open(*instance, *std::move(physical), options);
    EXPECT_EQ(StatusText(device), "OK");
    auto cache = PipelineCache::Open(*std::move(device));
    EXPECT_EQ(StatusText(cache), "OK");
    return *std::move(cache);
  }

  std::string folder_;
};

TEST_F(CacheFolder, IsWrittenAndReadBack) {
  {
    const auto cache = OpenCache(folder_);
    EXPECT_EQ(StatusText(cache->loaded()), "OK");
    EXPECT_TRUE(Files().empty());
    EXPECT_EQ(StatusText(cache->Save()), "OK");
  }
  const std::string path = OnlyFile();
  // Vendor, device, driver version, and driver UUID.
  std::string name = path.substr(path.rfind('/') + 1);
  for (char& c : name) c = absl::ascii_isxdigit(c) ? 'x' : c;
  EXPECT_TRUE(absl::EndsWith(
      name, "-xxxx-xxxxxxxx-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx.vulkxn-pipxlinxs"))
      << path;
  const std::vector<uint8_t> bytes = FileBytes(path);
  EXPECT_GE(bytes.size(), 64u + 32u);
  {
    // A cache without new entries is not written.
    const auto cache = OpenCache(folder_);
    EXPECT_EQ(StatusText(cache->loaded()), "OK");
    ASSERT_EQ(unlink(path.c_str()), 0);
    EXPECT_EQ(StatusText(cache->Save()), "OK");
    EXPECT_TRUE(Files().empty());
  }
}

TEST_F(CacheFolder, DamagedFilesAreReplaced) {
  EXPECT_EQ(StatusText(OpenCache(folder_)->Save()), "OK");
  const std::string path = OnlyFile();
  const std::vector<uint8_t> good = FileBytes(path);
  const struct {
    size_t at;
    const char* want;
  } kCases[] = {
      {0, "INVALID_ARGUMENT: The file is not a pipeline cache. ("},
      {12,
       "NOT_FOUND: The pipeline cache belongs to another device or driver "
       "version. ("},
      {70, "INVALID_ARGUMENT: The pipeline cache is damaged: "},
  };
  for (const auto& c : kCases) {
    std::vector<uint8_t> bad = good;
    bad[c.at] ^= 1;
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(bad.data()),
               static_cast<std::streamsize>(bad.size()));
    const auto cache = OpenCache(folder_);
    EXPECT_TRUE(absl::StartsWith(StatusText(cache->loaded()), c.want))
        << StatusText(cache->loaded());
    EXPECT_TRUE(absl::StrContains(StatusText(cache->loaded()), path));
    EXPECT_EQ(StatusText(cache->Save()), "OK");
    EXPECT_EQ(FileBytes(path), good);
  }
}

// The folder and its parents are created when there is something to save.
TEST_F(CacheFolder, IsMade) {
  folder_ = absl::StrCat(folder_, "/one/more");
  const auto cache = OpenCache(folder_);
  EXPECT_EQ(StatusText(cache->loaded()), "OK");
  EXPECT_NE(access(folder_.c_str(), F_OK), 0);
  EXPECT_EQ(StatusText(cache->Save()), "OK");
  EXPECT_EQ(Files().size(), 1u);
}

TEST_F(CacheFolder, ThatCannotBeUsed) {
  // A file in place of the folder, and a folder in place of the file.
  const std::string file = absl::StrCat(folder_, "/file");
  std::ofstream(file) << "x";
  for (const std::string& folder : {file, absl::StrCat(file, "/below")}) {
    const auto cache = OpenCache(folder);
    EXPECT_FALSE(cache->Save().ok());
  }
  ASSERT_EQ(unlink(file.c_str()), 0);
  EXPECT_EQ(StatusText(OpenCache(folder_)->Save()), "OK");
  const std::string path = OnlyFile();
  ASSERT_EQ(unlink(path.c_str()), 0);
  ASSERT_EQ(mkdir(path.c_str(), 0700), 0);
  const auto over_folder = OpenCache(folder_);
  EXPECT_FALSE(over_folder->loaded().ok());
  EXPECT_FALSE(over_folder->Save().ok());
}

TEST_F(CacheFolder, NoneIsKeptWithoutAFolder) {
  const auto cache = OpenCache("");
  EXPECT_EQ(StatusText(cache->loaded()), "OK");
  EXPECT_EQ(StatusText(cache->Save()), "OK");
}

// The device loads and saves the cache itself, and reports failures.
TEST_F(CacheFolder, IsTheDevices) {
  const std::string file = absl::StrCat(folder_, "/file");
  const struct {
    std::string folder;
    const char* want;  // start of the notice
  } kCases[] = {
      {folder_, ""},
      {folder_, ""},
      {absl::StrCat(folder_, "/file"),
       "The pipeline cache was not saved; the next run compiles again. "},
  };
  for (const auto& c : kCases) {
    std::string said;
    DriverOptions options;
    options.Of<VulkanOptions>().cache_folder = c.folder;
    options.notice = [&](absl::string_view text) {
      absl::StrAppend(&said, text);
    };
    if (c.folder == file) std::ofstream(file) << "x";
    auto device = CreateVulkanDriver()->Open("", options);
    ASSERT_EQ(StatusText(device), "OK");
    device->reset();
    EXPECT_TRUE(absl::StrContains(said, c.want) &&
                said.empty() == absl::string_view(c.want).empty())
        << said;
    EXPECT_EQ(Files().size(), c.folder == file ? 2u : 1u);
  }
}

}  // namespace
}  // namespace eyrie::hal::vulkan
