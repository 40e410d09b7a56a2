// Lists drivers and their devices.
#include "tools/device_flags.h"

#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"
#include "hal/driver.h"
#include "hal/drivers/drivers.h"
#include "tools/command.h"

namespace eyrie::tools {
namespace {

constexpr Flag kDeviceFlags[] = {
    Heading("Lists of devices"),
    {"list_drivers", FlagKind::kBool, "false", "Lists the available drivers."},
    {"list_devices", FlagKind::kAction, "",
     "Lists the devices, or those of one driver: --list_devices=local-sync."},
    {"dump_devices", FlagKind::kAction, "",
     "Describes the devices, or those of one driver."},
};

constexpr char kRule[] =
    "# "
    "========================================================================="
    "===\n";
constexpr char kThinRule[] =
    "# "
    "===----------------------------------------------------------------------"
    "===\n";

std::string DriversText() {
  std::string text = absl::StrCat(
      kRule, "# Available HAL drivers\n", kRule,
      "# Use --list_devices={driver name} to enumerate available devices.\n\n");
  for (const auto& driver : hal::AllDrivers()) {
    absl::StrAppendFormat(&text, "%16s: %s\n", driver->name(),
                          driver->description());
  }
  return text;
}

// Returns the devices of one driver, or of all if `name` is empty.
absl::StatusOr<std::string> DevicesText(absl::string_view name, bool describe) {
  std::string text;
  bool found = false;
  for (const auto& driver : hal::AllDrivers()) {
    if (!name.empty() && driver->name() != name) continue;
    found = true;
    ASSIGN_OR_RETURN(const auto uris, driver->ListDevices());
    if (uris.empty() && !name.empty()) {
      // The error of this call has the reason.
      PrintNote(driver->DescribeDevice("").status().message());
    }
    if (describe) {
      absl::StrAppend(&text, kRule, "# Enumerated devices for driver '",
                      driver->name(), "'\n", kRule, "\n");
    }
    for (const std::string& uri : uris) {
      if (describe) {
        const absl::string_view path =
            absl::string_view(uri).substr(uri.find("://") + 3);
        ASSIGN_OR_RETURN(const std::string lines, driver->DescribeDevice(path));
        absl::StrAppend(&text, kThinRule, "# --device=", uri, "\n#   ",
                        driver->description(), "\n", kThinRule, lines, "\n");
      } else {
        absl::StrAppend(&text, uri, "\n");
      }
    }
  }
  if (!found) return hal::OpenDevice(name, {}).status();
  return text;
}

}  // namespace

std::span<const Flag> DeviceFlags() { return kDeviceFlags; }

absl::StatusOr<bool> ListDevices(const Arguments& arguments) {
  if (arguments.GetBool("list_drivers")) {
    RETURN_IF_ERROR(WriteStdout(DriversText()));
    return true;
  }
  const std::string* dump = arguments.GetAction("dump_devices");
  const std::string* list = arguments.GetAction("list_devices");
  if (!dump && !list) return false;
  ASSIGN_OR_RETURN(const std::string text,
                   DevicesText(dump ? *dump : *list, dump != nullptr));
  RETURN_IF_ERROR(WriteStdout(text));
  return true;
}

}  // namespace eyrie::tools
