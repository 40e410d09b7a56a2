// A module as a context links it: a name, a version and functions to import.
//
// Immutable and shared by threads; what changes at run time is a ModuleState,
// one per context. Bytecode modules and native modules implement this.
#ifndef EYRIE_VM_MODULE_H_
#define EYRIE_VM_MODULE_H_

#include <cstdint>
#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/memory_meter.h"
#include "vm/meter.h"

namespace eyrie::vm {

class NestedLists;

// What one context owns of a module. Used by the context's thread alone.
class ModuleState {
 public:
  virtual ~ModuleState() = default;

  // What counts the context's memory: who allocates for a module charges it.
  // Null: nobody counts.
  const std::shared_ptr<MemoryMeter>& memory() const { return memory_; }
  // For lists that a program puts lists into. Null: of no context.
  const std::shared_ptr<NestedLists>& nested_lists() const {
    return nested_lists_;
  }
  // What may stop the running call: who blocks for a module ends by its
  // deadline and looks at stopped() every few milliseconds. Null: nothing
  // does.
  const Meter* meter() const { return meter_; }
  // Counts work that takes as long as so many branches: for functions whose
  // loops a module's values bound. An error: the call is to stop.
  absl::Status Work(uint32_t units) {
    if (meter_ == nullptr || meter_->Charge(units)) [[likely]]
      return absl::OkStatus();
    return meter_->StopReason();
  }
  // See suspension.h.
  bool CanSuspend() const { return meter_ && meter_->suspension.possible(); }
  Waker TakeWaker() { return meter_->suspension.TakeWaker(); }

 private:
  friend class Context;

  std::shared_ptr<MemoryMeter> memory_;
  std::shared_ptr<NestedLists> nested_lists_;
  Meter* meter_ = nullptr;
};

class BytecodeModule;
class NativeModule;

class Module {
 public:
  virtual ~Module() = default;

  virtual absl::string_view name() const = 0;
  virtual uint32_t version() const = 0;

  // The ordinal of the exported function with this name (without the module's)
  // and calling convention. NOT_FOUND: no such name. UNIMPLEMENTED: the name
  // is known with other signatures only; the sentence gives the nearest.
  virtual absl::StatusOr<uint32_t> ResolveImport(
      absl::string_view name, absl::string_view signature) const = 0;

  virtual absl::StatusOr<std::unique_ptr<ModuleState>> CreateState() const = 0;

  // The module as what it is, or nullptr: there are these two kinds.
  virtual const NativeModule* AsNative() const { return nullptr; }
  virtual const BytecodeModule* AsBytecode() const { return nullptr; }
};

}  // namespace eyrie::vm

#endif  // EYRIE_VM_MODULE_H_
