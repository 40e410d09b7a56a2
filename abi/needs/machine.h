// The devices of this machine that can run a module.
//
// Tested by inspect_test.txt.
#ifndef EYRIE_ABI_NEEDS_MACHINE_H_
#define EYRIE_ABI_NEEDS_MACHINE_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/ref.h"
#include "hal/device.h"
#include "hal/driver.h"
#include "hal/executable_facts.h"

namespace eyrie::abi {

// The devices that a module may ask for. Thread-compatible.
class Machine {
 public:
  // Opens the devices whose names match a pattern, such as "vulkan*", or those
  // of the CPU if there are no patterns. absent() reports devices that cannot
  // be opened.
  Machine(const std::vector<std::string>& patterns,
          const hal::DriverOptions& options);

  // Return names, as for --device, of the devices that match a pattern or run
  // executables of a format.
  std::vector<std::string> WithName(absl::string_view pattern) const;
  std::vector<std::string> WithFormat(absl::string_view format) const;

  // Checks whether a device accepts the executable, without loading it. Fails
  // as Device::CheckExecutable does.
  absl::Status Check(absl::string_view device, absl::string_view format,
                     std::span<const uint8_t> data) const;

  // A sentence for each driver that matches a pattern and has no device here,
  // with the reason.
  const std::vector<std::string>& absent() const { return absent_; }

 private:
  struct Entry {
    std::string name;
    Ref<hal::Device> device;
  };

  void OpenDevicesOf(const hal::Driver& driver,
                     const hal::DriverOptions& options);

  std::vector<Entry> devices_;
  std::vector<std::string> absent_;
};

}  // namespace eyrie::abi

#endif  // EYRIE_ABI_NEEDS_MACHINE_H_
