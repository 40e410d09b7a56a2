// Opens devices by URI.
//
// Tested by cpu/device_test.cc.
#include "hal/driver.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace eyrie::hal {

absl::StatusOr<Ref<Device>> OpenDevice(absl::string_view uri,
                                       const DriverOptions& options) {
  absl::string_view name = uri;
  absl::string_view path;
  const size_t separator = uri.find("://");
  if (separator != absl::string_view::npos) {
    name = uri.substr(0, separator);
    path = uri.substr(separator + 3);
  }
  const std::vector<std::unique_ptr<Driver>> drivers = AllDrivers();
  for (const std::unique_ptr<Driver>& driver : drivers) {
    if (driver->name() == name) return driver->Open(path, options);
  }
  const auto quoted = [](std::string* out, const auto& driver) {
    absl::StrAppend(out, "'", driver->name(), "'");
  };
  return absl::NotFoundError(
      absl::StrCat("No driver '", name, "' is built in; there ",
                   drivers.size() == 1 ? "is only " : "are ",
                   absl::StrJoin(drivers, ", ", quoted), "."));
}

}  // namespace eyrie::hal
