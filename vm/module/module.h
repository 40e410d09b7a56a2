// The interface of modules that a context links: a name, a version and
// functions to import.
//
// Modules are immutable and shared by threads. Their mutable data is in a
// ModuleState, of which each context has one. Implemented by bytecode modules
// and native modules.
#ifndef EYRIE_VM_MODULE_MODULE_H_
#define EYRIE_VM_MODULE_MODULE_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/memory_meter.h"
#include "base/work_budget.h"
#include "vm/isa/callconv.h"
#include "vm/isa/value.h"
#include "vm/limits/meter.h"

namespace eyrie::vm {

class NestedLists;

// A module's state in one context. Used only on the context's thread.
class ModuleState {
 public:
  virtual ~ModuleState() = default;

  // Counts the context's memory. Code that allocates for a module must charge
  // it. Null if memory is not limited.
  const std::shared_ptr<MemoryMeter>& memory() const { return memory_; }
  // The set for lists that contain lists. Null outside of a context.
  const std::shared_ptr<NestedLists>& nested_lists() const {
    return nested_lists_;
  }
  // The context's meter. Code that blocks for a module must return by the
  // meter's deadline and check stopped() every few milliseconds. Null outside
  // of a context.
  const Meter* meter() const { return meter_; }
  // Charges `units` of fuel, for work that takes as long as this many branches.
  // Must be called in loops whose length a module determines. If it returns an
  // error, the call must stop.
  absl::Status Work(uint32_t units) {
    if (meter_ == nullptr || meter_->Charge(units)) [[likely]]
      return absl::OkStatus();
    return meter_->StopReason();
  }
  // Charges fuel for reading or copying `bytes` bytes. Fails as Work.
  absl::Status WorkOnBytes(uint64_t bytes) {
    const uint64_t units = bytes / kBytesPerUnit;
    if (units == 0) return absl::OkStatus();
    return Work(static_cast<uint32_t>(std::min<uint64_t>(units, UINT32_MAX)));
  }
  // Reports whether the caller gives away the reference in a slot of the
  // running call: it drops it if the call succeeds. For functions with a
  // NativeThunk and at most 64 slots; otherwise returns false.
  bool IsGiven(size_t slot) const { return slot < 64 && given_ >> slot & 1; }
  // Sets the bits of these slots before a call.
  void set_given(uint64_t slots) { given_ = slots; }
  // See suspension.h.
  bool CanSuspend() const { return meter_ && meter_->suspension.possible(); }
  Waker TakeWaker() { return meter_->suspension.TakeWaker(); }

 private:
  friend class Context;

  std::shared_ptr<MemoryMeter> memory_;
  std::shared_ptr<NestedLists> nested_lists_;
  Meter* meter_ = nullptr;
  uint64_t given_ = 0;
};

// Calls a native function with its arguments in slots. Stores owned results,
// and none if it fails.
using NativeThunk = absl::Status (*)(ModuleState* state, const Slot* args,
                                     Slot* results);

// Calls a native function with values in the caller's frame. `places` has, for
// each argument, its offset in bytes from `frame`; for a variadic span, the
// number of its elements ORed with kPlaceCount, followed by their offsets. Then
// come the number of references that the call moves if it succeeds, their
// offsets, and the offsets of the results, whose old values are dropped.
using DirectThunk = absl::Status (*)(ModuleState* state, uint8_t* frame,
                                     const uint32_t* places);
inline constexpr uint32_t kPlaceCount = 1u << 31;

// Calls a native function that needs only its arguments, does not wait and does
// not look at frames. `places` are as for a DirectThunk. If it returns false,
// it has done nothing, and the DirectThunk must be called.
using QuickThunk = bool (*)(uint8_t* frame, const uint32_t* places);

// A native function that an import is bound to: has a `thunk` or a `direct`
// one. Compiled code tries the quick thunk, if there is one, before the direct
// one. `state` is the module's state, or the part of it that belongs to this
// import.
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

  // Returns the native function with this name (without the module's) and
  // signature, for a context that owns `state`. Returns NOT_FOUND if no
  // function has the name, and UNIMPLEMENTED if it exists only with other
  // signatures; the message has the most similar one. Only native modules
  // implement this; functions of bytecode modules are called by ordinal.
  virtual absl::StatusOr<NativeImport> BindImport(
      ModuleState& state, absl::string_view name,
      const CallingConvention& signature) const {
    return absl::InternalError("A module of bytecode binds no imports.");
  }

  // Returns this if it is a bytecode module; null if it is a native module.
  virtual const BytecodeModule* AsBytecode() const { return nullptr; }
};

}  // namespace eyrie::vm

#endif  // EYRIE_VM_MODULE_MODULE_H_
