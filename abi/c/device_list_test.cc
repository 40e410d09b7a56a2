// Tests the list of devices, the settings in their names, and options of newer
// headers.
#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

#include "abi/c/testing/c_value_text.h"
#include "eyrie/runtime.h"
#include "gtest/gtest.h"
#include "tests/support/lavapipe.h"

namespace eyrie {
namespace {

TEST(Devices, AreListed) {
  // Keeps the driver loaded, so that its known leaks can be suppressed.
  ChooseLavapipe();
  std::vector<std::string> names;
  for (const DeviceInfo& device : Devices()) {
    EXPECT_FALSE(device.driver.empty());
    EXPECT_FALSE(device.description.empty());
    EXPECT_EQ(device.uri.empty(), !device.error.empty());
    if (device.driver.substr(0, 5) != "local") continue;
    names.push_back(device.uri);
    EXPECT_TRUE(Device::Open(device.uri)) << device.uri;
  }
  EXPECT_EQ(names,
            (std::vector<std::string>{"local-sync://", "local-task://"}));
  eyrie_device_list_free(nullptr);
}

TEST(Devices, TakeSettings) {
  EXPECT_EQ(Text(Device::Open("local-task?threads=2&spin_us=0")), "OK");
  EXPECT_EQ(Text(Device::Open("local-task", {.thread_count = 2})), "OK");
  EXPECT_EQ(Text(Device::Open("local-task", {.thread_cpus = "x"})).substr(0, 2),
            "3:");
  EXPECT_EQ(
      Text(Device::Open("local-task", {.thread_count = 5000})).substr(0, 2),
      "3:");
  // The name's settings replace the options.
  EXPECT_EQ(Text(Device::Open("local-task?threads=1", {.thread_count = 5000})),
            "OK");
  EXPECT_EQ(Text(Device::Open("local-task?thread=2")),
            "3: The device 'local-task' has no setting 'thread'; it has cores, "
            "cpus, executable_plugin, max_threads, spin_us, stack_bytes, "
            "threads. Did you mean "
            "'threads'?");
}

// A newer header's options, of which the library knows the first part.
struct NewerOptions {
  eyrie_device_options_t known;
  int unknown[4];
};

TEST(Options, OfNewerHeadersMustBeZero) {
  for (const int value : {0, 1}) {
    int freed = 0;
    NewerOptions options;
    std::memset(&options, 0, sizeof(options));
    options.known.struct_size = sizeof(options);
    options.unknown[2] = value;
    options.known.log = [](eyrie_severity_t, const char*, size_t, void*) {};
    options.known.log_data = &freed;
    options.known.free_log_data = [](void* data) {
      ++*static_cast<int*>(data);
    };
    eyrie_device_t* device = nullptr;
    const std::string text =
        ErrorText(eyrie_device_open("local-sync", &options.known, &device));
    const std::string byte =
        std::to_string(offsetof(NewerOptions, unknown) + 2 * sizeof(int));
    EXPECT_EQ(text.substr(0, 40), value == 0 ? "OK"
                                             : "3: Byte " + byte +
                                                   " of the device options "
                                                   "is set")
        << text;
    eyrie_device_release(device);
    EXPECT_EQ(freed, 1);
  }
}

}  // namespace
}  // namespace eyrie
