// Loaded kernels: the exported functions that dispatches name.
//
// Immutable; may be shared by threads. Drivers subclass it.
// Tested by command_buffer_test.cc.
#ifndef EYRIE_HAL_EXECUTABLE_H_
#define EYRIE_HAL_EXECUTABLE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "base/charged_object.h"
#include "base/memory_meter.h"
#include "base/ref.h"
#include "base/work_budget.h"
#include "hal/pipeline_layout.h"

namespace eyrie::hal {

// The arguments that a dispatch of an export must supply.
struct ExportInfo {
  // A count that the executable does not declare: its dispatches may have any
  // number up to kMaxUndeclared. Do not use such a count as a number; call one
  // of the functions below.
  static constexpr uint32_t kUndeclared = UINT32_MAX;
  static constexpr uint32_t kMaxUndeclared = 64;

  // Returns a declared count, or nullopt.
  static constexpr std::optional<uint32_t> Declared(uint32_t count) {
    if (count == kUndeclared) return std::nullopt;
    return count;
  }
  // Returns the most constants or bindings that a dispatch may have.
  static constexpr uint32_t MaxOf(uint32_t count) {
    return Declared(count).value_or(kMaxUndeclared);
  }
  // Reports whether a dispatch may have `given` constants or bindings.
  static constexpr bool Fits(size_t given, uint32_t count) {
    return given == count || (!Declared(count) && given <= kMaxUndeclared);
  }

  absl::string_view name;       // may be empty; owned by the executable
  uint32_t constant_count = 0;  // 32-bit words
  uint32_t binding_count = 0;   // buffers
  uint32_t workgroup_size[3] = {1, 1, 1};
};

// Host memory of a dispatch. Read-only memory may be mapped read-only: bytecode
// kernels never write it, and machine code that tries may fault.
struct HostBinding {
  uint8_t* data;
  uint64_t length;  // bytes
  bool read_only;
};

// A dispatch outside a command buffer, on host memory. Must have passed
// ValidateDispatch and ValidateWorkgroupCount. Borrowed for the call.
struct HostDispatch {
  uint32_t ordinal;
  uint32_t workgroup_count[3];
  std::span<const uint32_t> constants;
  std::span<const HostBinding> bindings;
  // Fuel for bytecode; null: the budget that the executable was created with.
  WorkBudget* work = nullptr;
};

class Executable : public ChargedObject {
 public:
  static constexpr RefType kType{"hal.executable"};

  // Returns the exports in the order of their ordinals.
  virtual std::span<const ExportInfo> exports() const = 0;

  // Returns the layout of each export, or nothing if dispatches do not use
  // layouts. Set before the executable is shared.
  std::span<const Ref<PipelineLayout>> layouts() const { return layouts_; }
  void set_layouts(std::vector<Ref<PipelineLayout>> layouts) {
    layouts_ = std::move(layouts);
  }

  // Returns the ordinal of the export named `name`, or nullopt.
  std::optional<uint32_t> FindExport(absl::string_view name) const;

  // Runs all workgroups on this thread before it returns. UNIMPLEMENTED: the
  // driver does not support it. INVALID_ARGUMENT: a binding is misaligned. Also
  // returns the kernels' own errors.
  virtual absl::Status RunOnHost(const HostDispatch& dispatch) const;

  // Identifies the driver that created this, by the address of one of its
  // constants. A driver rejects executables with another tag.
  const void* driver_tag() const { return driver_tag_; }

 protected:
  explicit Executable(const void* driver_tag = nullptr)
      : ChargedObject(kType), driver_tag_(driver_tag) {}

 private:
  const void* const driver_tag_;
  std::vector<Ref<PipelineLayout>> layouts_;
};

// The input of CreateExecutable. Views are borrowed for the call.
struct ExecutableParams {
  absl::string_view format;  // "embedded-elf-x86_64"
  std::span<const uint8_t> data;
  std::span<const uint32_t> constants;
  // The budget of bytecode kernels, and the meter of memory that they allocate;
  // null: no limit.
  std::shared_ptr<WorkBudget> work = nullptr;
  std::shared_ptr<MemoryMeter> memory = nullptr;
  // The budget of the call that creates it; null: no limit.
  WorkBudget* caller = nullptr;
  std::span<const Ref<PipelineLayout>> layouts = {};  // of the exports, or none
};

}  // namespace eyrie::hal

#endif  // EYRIE_HAL_EXECUTABLE_H_
