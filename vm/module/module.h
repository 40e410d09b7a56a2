// A module as a context links it: a name, a version and functions to import.
//
// Immutable and shared by threads; what changes at run time is a ModuleState,
// one per context. Bytecode modules and native modules implement this.
#ifndef EYRIE_VM_MODULE_MODULE_H_
#define EYRIE_VM_MODULE_MODULE_H_

#include <cstdint>
#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/memory_meter.h"
#include "vm/isa/callconv.h"
#include "vm/isa/value.h"
#include "vm/limits/meter.h"

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

// Calls a native function: unpacks args, packs owned results. On error no
// result slot is written.
using NativeThunk = absl::Status (*)(ModuleState* state, const Slot* args,
                                     Slot* results);

// The same for values that stay in the caller's frame. `places` says of each
// argument how many bytes behind `frame` it begins; a variadic span is the
// number of its elements, with kPlaceCount, and then their places. Behind them
// stand how many references the call gives up when it succeeds, their places,
// and those of the results, which replace what is there.
using DirectThunk = absl::Status (*)(ModuleState* state, uint8_t* frame,
                                     const uint32_t* places);
inline constexpr uint32_t kPlaceCount = 1u << 31;

// The same of what needs nothing but its arguments, and neither waits nor looks
// at frames. False: nothing has been done, and the DirectThunk is to be called.
using QuickThunk = bool (*)(uint8_t* frame, const uint32_t* places);

// A native function as an import calls it, by one of the first two. Compiled
// code asks the quick one, if there is any, before the direct one. The state is
// the module's, or a part of it that is this import's.
struct NativeImport {
  NativeThunk thunk = nullptr;
  DirectThunk direct = nullptr;
  ModuleState* state = nullptr;
  QuickThunk quick = nullptr;

  bool resolved() const { return thunk != nullptr || direct != nullptr; }
};

class BytecodeModule;

class Module {
 public:
  virtual ~Module() = default;

  virtual absl::string_view name() const = 0;
  virtual uint32_t version() const = 0;

  virtual absl::StatusOr<std::unique_ptr<ModuleState>> CreateState() const = 0;

  // What an import of this name (without the module's) and convention calls in
  // a context that owns `state`. NOT_FOUND: no such name. UNIMPLEMENTED: the
  // name is known with other signatures only; the sentence gives the nearest.
  // Native modules have this; functions of bytecode are called by ordinal.
  virtual absl::StatusOr<NativeImport> BindImport(
      ModuleState& state, absl::string_view name,
      const CallingConvention& signature) const {
    return absl::InternalError("A module of bytecode binds no imports.");
  }

  // The module as what it is, or nullptr: all others are native.
  virtual const BytecodeModule* AsBytecode() const { return nullptr; }
};

}  // namespace eyrie::vm

#endif  // EYRIE_VM_MODULE_MODULE_H_
