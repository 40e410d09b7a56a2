#include "hal/drivers/drivers.h"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/plain_text.h"
#include "base/status_macros.h"
#include "base/suggest.h"
#include "hal/cpu/driver.h"
#include "hal/cpu/isolate/driver.h"
#include "hal/cpu/task/driver.h"
#include "hal/drivers/device_settings.h"
#include "hal/vulkan/driver.h"

namespace eyrie::hal {
namespace {

// The parts before and after "://"; `path` is empty if there is no "://". A '?'
// begins the settings.
struct Uri {
  explicit Uri(absl::string_view uri) {
    const size_t mark = uri.find('?');
    if (mark != absl::string_view::npos) {
      settings = uri.substr(mark + 1);
      uri = uri.substr(0, mark);
    }
    driver = uri;
    const size_t separator = uri.find("://");
    if (separator == absl::string_view::npos) return;
    driver = uri.substr(0, separator);
    path = uri.substr(separator + 3);
  }

  absl::string_view driver;
  absl::string_view path;
  std::optional<absl::string_view> settings;
};

// Returns the driver of that name, or null.
const Driver* FindDriver(std::span<const std::unique_ptr<Driver>> drivers,
                         absl::string_view name) {
  for (const std::unique_ptr<Driver>& driver : drivers) {
    if (driver->name() == name) return driver.get();
  }
  return nullptr;
}

}  // namespace

// In ascending order of names.
std::vector<std::unique_ptr<Driver>> AllDrivers() {
  std::vector<std::unique_ptr<Driver>> drivers;
  drivers.push_back(cpu::WithIsolation(cpu::CreateLocalSyncDriver()));
  drivers.push_back(cpu::WithIsolation(cpu::CreateLocalTaskDriver()));
  drivers.push_back(vulkan::CreateVulkanDriver());
  return drivers;
}

absl::StatusOr<Ref<Device>> OpenDevice(absl::string_view text,
                                       const DriverOptions& options) {
  const Uri uri(text);
  const std::vector<std::unique_ptr<Driver>> drivers = AllDrivers();
  const Driver* const driver = FindDriver(drivers, uri.driver);
  if (driver != nullptr && uri.settings) {
    DriverOptions changed = options;
    RETURN_IF_ERROR(ApplySettings(*driver, *uri.settings, changed));
    return driver->Open(uri.path, changed);
  }
  if (driver != nullptr) return driver->Open(uri.path, options);
  std::vector<std::string> names;
  for (const auto& each : drivers) names.emplace_back(each->name());
  return absl::NotFoundError(absl::StrCat(
      "Unknown driver '", PlainName(uri.driver), "'; expected ",
      names.size() == 1 ? "" : "one of ", "'", absl::StrJoin(names, "', '"),
      "'.", DidYouMean(uri.driver, names)));
}

}  // namespace eyrie::hal
