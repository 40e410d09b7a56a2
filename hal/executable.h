// Loaded kernels: a set of exported functions a dispatch can name.
//
// Immutable and shared by threads. Drivers subclass it.
#ifndef EYRIE_HAL_EXECUTABLE_H_
#define EYRIE_HAL_EXECUTABLE_H_

#include <cstdint>
#include <optional>
#include <span>

#include "absl/strings/string_view.h"
#include "base/charged_object.h"
#include "base/ref.h"

namespace eyrie::hal {

// What a dispatch of one export must supply.
struct ExportInfo {
  absl::string_view name;         // may be empty; owned by the executable
  uint32_t constant_count = 0;    // 32-bit words
  uint32_t binding_count = 0;     // buffers
  uint32_t workgroup_size[3] = {1, 1, 1};
};

class Executable : public ChargedObject {
 public:
  static constexpr RefType kType{"hal.executable"};

  // One per export, in ordinal order.
  virtual std::span<const ExportInfo> exports() const = 0;

  // The ordinal of the export of this name, if there is one.
  std::optional<uint32_t> FindExport(absl::string_view name) const;

  // The address of a constant of the driver that made this. A driver runs only
  // executables that carry its own.
  virtual const void* driver_tag() const { return nullptr; }

 protected:
  Executable() : ChargedObject(kType) {}
};

// What an executable is made from. Borrowed for the call.
struct ExecutableParams {
  absl::string_view format;  // "embedded-elf-x86_64"
  std::span<const uint8_t> data;
  std::span<const uint32_t> constants;
};

}  // namespace eyrie::hal

#endif  // EYRIE_HAL_EXECUTABLE_H_
