// The local-sync driver.
//
// Tested by device_test.cc.
#include "hal/cpu/driver.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "hal/cpu/device.h"

namespace eyrie::hal::cpu {
namespace {

class LocalSyncDriver final : public Driver {
 public:
  absl::string_view name() const override { return "local-sync"; }
  absl::string_view description() const override {
    return "CPU kernels on the calling thread, one after the other";
  }
  absl::StatusOr<std::vector<std::string>> ListDevices() const override {
    return std::vector<std::string>{"local-sync://"};
  }
  absl::StatusOr<Ref<hal::Device>> Open(
      absl::string_view path, const DriverOptions& options) const override {
    if (!path.empty()) {
      return absl::NotFoundError(
          absl::StrCat("The driver 'local-sync' has no device '", path,
                       "'; its only one is 'local-sync://'."));
    }
    return MakeSyncDevice(options);
  }
};

}  // namespace

std::unique_ptr<Driver> MakeLocalSyncDriver() {
  return std::make_unique<LocalSyncDriver>();
}

}  // namespace eyrie::hal::cpu
