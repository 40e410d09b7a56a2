// The local-task driver.
#include "hal/cpu/task/driver.h"

#include <cstdint>
#include <string>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "hal/cpu/driver.h"
#include "hal/cpu/task/device.h"
#include "hal/cpu/task/options.h"
#include "hal/cpu/task/topology.h"

namespace eyrie::hal::cpu {
namespace {

bool SetCount(const std::string& value, int64_t& to) {
  return absl::SimpleAtoi(value, &to) && to >= 0;
}

constexpr DeviceSetting kSettings[] = {
    {"cores", "'physical' or 'logical'",
     [](const std::string& value, DriverOptions& options) {
       options.Of<TaskOptions>().mode = absl::StrCat(value, "_cores");
       return value == "physical" || value == "logical";
     }},
    {"cpus", "processors, such as '0-3,8'",
     [](const std::string& value, DriverOptions& options) {
       options.Of<TaskOptions>().cpu_ids = {value};
       return !value.empty();
     }},
    kPluginSetting,
    {"max_threads", "a number",
     [](const std::string& value, DriverOptions& options) {
       return SetCount(value, options.Of<TaskOptions>().max_group_count);
     }},
    {"spin_us", "a number",
     [](const std::string& value, DriverOptions& options) {
       return SetCount(value, options.Of<TaskOptions>().spin_us);
     }},
    {"stack_bytes", "a number",
     [](const std::string& value, DriverOptions& options) {
       return SetCount(value, options.Of<TaskOptions>().stack_bytes);
     }},
    {"threads", "a number",
     [](const std::string& value, DriverOptions& options) {
       return SetCount(value, options.Of<TaskOptions>().group_count);
     }},
};

}  // namespace

std::unique_ptr<Driver> CreateLocalTaskDriver() {
  return CreateCpuDriver(
      "local-task", "CPU kernels shared between threads",
      [](const DriverOptions& options) -> absl::StatusOr<Ref<hal::Device>> {
        ASSIGN_OR_RETURN(
            const Topology topology,
            ChooseTopology(options.Of<TaskOptions>(), ThisMachine()));
        return CreateTaskDevice(options, topology);
      },
      kSettings);
}

}  // namespace eyrie::hal::cpu
