#include "hal/cpu/isolate/driver.h"

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "hal/cpu/isolate/executable.h"
#include "hal/cpu/isolate/lane.h"
#include "hal/cpu/isolate/worker.h"
#include "hal/cpu/isolation.h"
#include "hal/cpu/kernel_plugin.h"

namespace eyrie::hal::cpu {
namespace {

// Returns the options of a device whose machine code runs in a new worker.
absl::StatusOr<DriverOptions> Isolate(const DriverOptions& options) {
  const auto conflict = [](absl::string_view with) {
    return absl::InvalidArgumentError(
        absl::StrCat("--isolate cannot be combined with ", with, "."));
  };
  if (!options.Of<KernelPlugins>().paths.empty()) {
    return conflict("executable plug-ins, whose code runs in this process");
  }
  if (options.allow_system_executables) {
    return conflict(
        "--allow_system_executables: such code calls the system's C library, "
        "which a worker does not have");
  }
  if (options.host_memory != nullptr) {
    return conflict("an allocator of the host: a worker shares its own memory");
  }
  ASSIGN_OR_RETURN(const std::shared_ptr<isolate::Worker> worker,
                   isolate::Worker::Start(isolate::LaneCount()));
  DriverOptions isolated = options;
  // Nothing else loads machine code: the first loader of a format is used.
  isolated.allow_native_code = false;
  isolated.loaders.insert(isolated.loaders.begin(),
                          isolate::CreateIsolatedLoader(worker));
  isolated.host_memory = worker->data();
  isolated.Of<Isolation>().process = worker;
  return isolated;
}

class IsolatingDriver final : public Driver {
 public:
  explicit IsolatingDriver(std::unique_ptr<Driver> driver)
      : driver_(std::move(driver)) {}

  absl::string_view name() const override { return driver_->name(); }
  absl::string_view description() const override {
    return driver_->description();
  }
  std::span<const DeviceSetting> settings() const override {
    return driver_->settings();
  }
  absl::StatusOr<std::vector<std::string>> ListDevices() const override {
    return driver_->ListDevices();
  }
  std::optional<absl::StatusOr<ExecutableFacts>> DescribeExecutable(
      absl::string_view format, std::span<const uint8_t> data) const override {
    return driver_->DescribeExecutable(format, data);
  }
  absl::StatusOr<Ref<hal::Device>> Open(
      absl::string_view path, const DriverOptions& options) const override {
    // Without native code, there is nothing to isolate.
    if (!options.isolate || !options.allow_native_code) {
      return driver_->Open(path, options);
    }
    ASSIGN_OR_RETURN(const DriverOptions isolated, Isolate(options));
    return driver_->Open(path, isolated);
  }

 private:
  const std::unique_ptr<Driver> driver_;
};

}  // namespace

std::unique_ptr<Driver> WithIsolation(std::unique_ptr<Driver> driver) {
  return std::make_unique<IsolatingDriver>(std::move(driver));
}

}  // namespace eyrie::hal::cpu
