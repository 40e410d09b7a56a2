// Drivers of one device, and the local-sync driver.
#include "hal/cpu/driver.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "hal/cpu/device.h"
#include "hal/cpu/kernel_plugin.h"
#include "hal/cpu/library_facts.h"
#include "hal/cpu/machine/cpu_features.h"

namespace eyrie::hal::cpu {
namespace {

constexpr char kEmbeddedPrefix[] = "embedded-elf-";
constexpr char kSystemPrefix[] = "system-elf-";

class CpuDriver final : public Driver {
 public:
  CpuDriver(const char* name, const char* description, OpenFunction open,
            std::span<const DeviceSetting> settings)
      : name_(name),
        description_(description),
        open_(open),
        settings_(settings) {}

  absl::string_view name() const override { return name_; }
  absl::string_view description() const override { return description_; }
  std::span<const DeviceSetting> settings() const override { return settings_; }
  absl::StatusOr<std::vector<std::string>> ListDevices() const override {
    return std::vector<std::string>{Uri()};
  }
  std::optional<absl::StatusOr<ExecutableFacts>> DescribeExecutable(
      absl::string_view format, std::span<const uint8_t> data) const override {
    if (absl::StartsWith(format, kEmbeddedPrefix)) {
      return ReadLibraryFacts(data, MachineFeatures());
    }
    if (!absl::StartsWith(format, kSystemPrefix)) return std::nullopt;
    return absl::UnimplementedError(
        "Only the system's linker reads executables of its own format.");
  }
  absl::StatusOr<Ref<hal::Device>> Open(
      absl::string_view path, const DriverOptions& options) const override {
    if (path.empty()) return OpenWithPlugins(options);
    return absl::NotFoundError(
        absl::StrCat("The driver '", name_, "' has no device '", path,
                     "'; its only one is '", Uri(), "'."));
  }

 private:
  absl::StatusOr<Ref<hal::Device>> OpenWithPlugins(
      const DriverOptions& options) const {
    if (options.Of<KernelPlugins>().paths.empty()) return open_(options);
    if (!options.allow_native_code) {
      return absl::InvalidArgumentError(
          "An executable plug-in is given, but native code is not allowed.");
    }
    DriverOptions with_plugins = options;
    KernelPlugins& plugins = with_plugins.Of<KernelPlugins>();
    plugins.loaded.clear();
    for (const std::string& path : plugins.paths) {
      ASSIGN_OR_RETURN(plugins.loaded.emplace_back(), KernelPlugin::Load(path));
    }
    return open_(with_plugins);
  }

  std::string Uri() const { return absl::StrCat(name_, "://"); }

  const char* name_;
  const char* description_;
  OpenFunction open_;
  std::span<const DeviceSetting> settings_;
};

}  // namespace

std::unique_ptr<Driver> CreateCpuDriver(
    const char* name, const char* description, OpenFunction open,
    std::span<const DeviceSetting> settings) {
  return std::make_unique<CpuDriver>(name, description, open, settings);
}

std::unique_ptr<Driver> CreateLocalSyncDriver() {
  return CreateCpuDriver(
      "local-sync", "CPU kernels on the calling thread, one after the other",
      [](const DriverOptions& options) -> absl::StatusOr<Ref<hal::Device>> {
        return CreateSyncDevice(options);
      },
      {&kPluginSetting, 1});
}

}  // namespace eyrie::hal::cpu
