// Rows of settings in device names, and of errors in them.
#include "hal/drivers/device_settings.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "hal/drivers/drivers.h"

namespace eyrie::hal {
namespace {

// Returns the options that the settings of both drivers lead to, or the error.
std::string Applied(const std::string& driver, const std::string& text) {
  DriverOptions options;
  const Driver* found = nullptr;
  const auto drivers = AllDrivers();
  for (const auto& each : drivers) {
    if (each->name() == driver) found = each.get();
  }
  const absl::Status status = ApplySettings(*found, text, options);
  if (!status.ok()) return std::string(status.message());
  const auto task = options.Of<cpu::TaskOptions>();
  return absl::StrCat(
      task.group_count, " ", task.max_group_count, " ", task.mode, " ",
      task.cpu_ids.empty() ? "-" : task.cpu_ids[0], " ", task.spin_us, " ",
      task.stack_bytes, " ", options.Of<vulkan::VulkanOptions>().cache_folder);
}

TEST(DeviceSettings, Apply) {
  EXPECT_EQ(Applied("local-task", "threads=3&spin_us=0"),
            "3 64 physical_cores - 0 0 ");
  EXPECT_EQ(Applied("local-task", "cpus=0-3,8&stack_bytes=65536"),
            "0 64 physical_cores 0-3,8 50 65536 ");
  EXPECT_EQ(Applied("local-task", "cores=logical&max_threads=2"),
            "0 2 logical_cores - 50 0 ");
  EXPECT_EQ(Applied("vulkan", "pipeline_cache=/a%26b/%63"),
            "0 64 physical_cores - 50 0 /a&b/c");
}

TEST(DeviceSettings, Refuse) {
  const struct {
    const char* driver;
    const char* text;
    const char* want;
  } kRows[] = {
      {"local-task", "thread=3",
       "The device 'local-task' has no setting 'thread'; it has cores, cpus, "
       "executable_plugin, max_threads, spin_us, stack_bytes, threads. Did you "
       "mean 'threads'?"},
      {"local-sync", "threads=3",
       "The device 'local-sync' has no setting 'threads'; it has "
       "executable_plugin."},
      {"vulkan", "",
       "The device 'vulkan' has no setting ''; it has "
       "pipeline_cache."},
      {"local-task", "threads=3&threads=4",
       "The setting 'threads' is given twice."},
      {"local-task", "threads=-1",
       "The setting 'threads=-1' of 'local-task' is malformed; expected a "
       "number."},
      {"local-task", "threads",
       "The setting 'threads' of 'local-task' is malformed; expected a "
       "number."},
      {"local-task", "cores=all",
       "The setting 'cores=all' of 'local-task' is malformed; expected "
       "'physical' or 'logical'."},
      {"vulkan", "pipeline_cache=%4",
       "The setting 'pipeline_cache=%4' of 'vulkan' is malformed; expected a "
       "folder."},
  };
  for (const auto& row : kRows) {
    EXPECT_EQ(Applied(row.driver, row.text), row.want);
  }
}

TEST(DeviceSettings, OpenDevices) {
  const DriverOptions options;
  EXPECT_TRUE(OpenDevice("local-task://?threads=2", options).ok());
  EXPECT_TRUE(OpenDevice("local-task?threads=2", options).ok());
  for (const char* const uri :
       {"local-task://?thread=2", "local-task?threads=5000",
        "local-task?cpus=70000", "local-sync?threads=2"}) {
    EXPECT_EQ(OpenDevice(uri, options).status().code(),
              absl::StatusCode::kInvalidArgument)
        << uri;
  }
}

}  // namespace
}  // namespace eyrie::hal
