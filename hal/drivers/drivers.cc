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

// Returns the driver that a name chooses, and applies its settings.
absl::StatusOr<const Driver*> Choose(
    const Uri& uri, std::span<const std::unique_ptr<Driver>> drivers,
    DriverOptions& options) {
  std::vector<std::string> names;
  for (const std::unique_ptr<Driver>& driver : drivers) {
    names.emplace_back(driver->name());
    if (driver->name() != uri.driver) continue;
    if (uri.settings) {
      RETURN_IF_ERROR(ApplySettings(*driver, *uri.settings, options));
    }
    return driver.get();
  }
  return absl::NotFoundError(absl::StrCat(
      "Unknown driver '", PlainName(uri.driver), "'; expected ",
      names.size() == 1 ? "" : "one of ", "'", absl::StrJoin(names, "', '"),
      "'.", DidYouMean(uri.driver, names)));
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

absl::Status CheckDeviceName(absl::string_view text) {
  DriverOptions options;
  return Choose(Uri(text), AllDrivers(), options).status();
}

absl::StatusOr<Ref<Device>> OpenDevice(absl::string_view text,
                                       const DriverOptions& options) {
  const Uri uri(text);
  const std::vector<std::unique_ptr<Driver>> drivers = AllDrivers();
  DriverOptions changed = options;
  ASSIGN_OR_RETURN(const Driver* driver, Choose(uri, drivers, changed));
  return driver->Open(uri.path, changed);
}

}  // namespace eyrie::hal
