// Loaded kernels: a set of exported functions a dispatch can name.
//
// Immutable and shared by threads. Drivers subclass it.
#ifndef EYRIE_HAL_EXECUTABLE_H_
#define EYRIE_HAL_EXECUTABLE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "base/charged_object.h"
#include "base/memory_meter.h"
#include "base/ref.h"
#include "base/work_budget.h"

namespace eyrie::hal {

// What a dispatch of one export must supply.
struct ExportInfo {
  absl::string_view name;       // may be empty; owned by the executable
  uint32_t constant_count = 0;  // 32-bit words
  uint32_t binding_count = 0;   // buffers
  uint32_t workgroup_size[3] = {1, 1, 1};
};

// Host memory of a dispatch. What is read-only may be mapped so: only kernels
// of machine code, which nothing can hold back, may try to write it.
struct HostBinding {
  uint8_t* data;
  uint64_t length;  // bytes
  bool read_only;
};

// A dispatch of an export outside a command buffer, on host memory. It has
// passed ValidateDispatch and ValidateWorkgroupCount. Borrowed for the call.
struct HostDispatch {
  uint32_t ordinal;
  uint32_t workgroup_count[3];
  std::span<const uint32_t> constants;
  std::span<const HostBinding> bindings;
};

class Executable : public ChargedObject {
 public:
  static constexpr RefType kType{"hal.executable"};

  // One per export, in ordinal order.
  virtual std::span<const ExportInfo> exports() const = 0;

  // The ordinal of the export of this name, if there is one.
  std::optional<uint32_t> FindExport(absl::string_view name) const;

  // Runs all workgroups at once, on this thread. UNIMPLEMENTED: the driver's
  // executables do not run so. INVALID_ARGUMENT: a binding's alignment; else as
  // the kernels fail.
  virtual absl::Status RunOnHost(const HostDispatch& dispatch) const;

  // The address of a constant of the driver that made this. A driver runs only
  // executables that carry its own.
  const void* driver_tag() const { return driver_tag_; }

 protected:
  explicit Executable(const void* driver_tag = nullptr)
      : ChargedObject(kType), driver_tag_(driver_tag) {}

 private:
  const void* const driver_tag_;
};

// What an executable is made from. Views are borrowed for the call.
struct ExecutableParams {
  absl::string_view format;  // "embedded-elf-x86_64"
  std::span<const uint8_t> data;
  std::span<const uint32_t> constants;
  // What kernels that are bytecode may use up, and what counts the memory they
  // allocate; null: nothing limits them.
  std::shared_ptr<WorkBudget> work = nullptr;
  std::shared_ptr<MemoryMeter> memory = nullptr;
};

}  // namespace eyrie::hal

#endif  // EYRIE_HAL_EXECUTABLE_H_
