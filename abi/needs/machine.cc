#include "abi/needs/machine.h"

#include <utility>

#include "abi/call/session.h"
#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/glob.h"
#include "base/plain_text.h"
#include "hal/drivers/drivers.h"

namespace eyrie::abi {
namespace {

constexpr char kCpuPattern[] = "local*";

}  // namespace

Machine::Machine(const std::vector<std::string>& patterns,
                 const hal::DriverOptions& options) {
  std::vector<std::string> wanted = patterns;
  if (wanted.empty()) wanted.push_back(kCpuPattern);
  for (const auto& driver : hal::AllDrivers()) {
    const bool matches = absl::c_any_of(wanted, [&](const std::string& text) {
      return MatchesPattern(driver->name(), text);
    });
    if (matches) OpenDevicesOf(*driver, options);
  }
}

void Machine::OpenDevicesOf(const hal::Driver& driver,
                            const hal::DriverOptions& options) {
  const auto uris = driver.ListDevices();
  if (!uris.ok() || uris->empty()) {
    const absl::Status why =
        uris.ok() ? driver.DescribeDevice("").status() : uris.status();
    absent_.push_back(std::string(why.message()));
    return;
  }
  for (const std::string& uri : *uris) {
    auto device = abi::OpenDevice(uri, options);
    if (!device.ok()) {
      absent_.push_back(std::string(device.status().message()));
      continue;
    }
    devices_.push_back(
        {std::string(absl::StripSuffix(uri, "://")), *std::move(device)});
  }
}

std::vector<std::string> Machine::WithName(absl::string_view pattern) const {
  std::vector<std::string> names;
  for (const Entry& entry : devices_) {
    if (entry.device->Query("hal.device.id", pattern).value_or(0) != 0) {
      names.push_back(entry.name);
    }
  }
  return names;
}

std::vector<std::string> Machine::WithFormat(absl::string_view format) const {
  std::vector<std::string> names;
  for (const Entry& entry : devices_) {
    if (entry.device->Query("hal.executable.format", format).value_or(0) != 0) {
      names.push_back(entry.name);
    }
  }
  return names;
}

absl::Status Machine::Check(absl::string_view device, absl::string_view format,
                            std::span<const uint8_t> data) const {
  for (const Entry& entry : devices_) {
    if (entry.name != device) continue;
    return entry.device->CheckExecutable(
        {.format = format, .data = data, .constants = {}});
  }
  return absl::NotFoundError(
      absl::StrCat("There is no device '", PlainName(device), "'."));
}

}  // namespace eyrie::abi
