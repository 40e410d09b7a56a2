// What this machine has to run a module on.
//
// Tested by inspect_test.txt.
#ifndef EYRIE_TOOLS_INSPECT_MACHINE_H_
#define EYRIE_TOOLS_INSPECT_MACHINE_H_

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

namespace eyrie::tools {

// The devices that a module may ask for. One thread's.
class Machine {
 public:
  // Opens the devices whose names match a pattern, such as "vulkan*"; without
  // patterns those of the CPU. One that cannot be opened is told of by
  // absent().
  Machine(const std::vector<std::string>& patterns,
          const hal::DriverOptions& options);

  // Names, as --device takes them, of devices that match a pattern or run
  // executables of a format.
  std::vector<std::string> WithName(absl::string_view pattern) const;
  std::vector<std::string> WithFormat(absl::string_view format) const;

  // OK if a device takes the executable, as far as it can tell without loading
  // it; else as Device::CheckExecutable.
  absl::Status Check(absl::string_view device, absl::string_view format,
                     std::span<const uint8_t> data) const;

  // Drivers that match a pattern and have no device here, and why: sentences.
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

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_INSPECT_MACHINE_H_
