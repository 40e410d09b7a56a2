// What instruction bodies work on: the running frame, calls in and out of it,
// and the error that stopped it.
//
// A body that cannot go on calls one of the failing members, which record the
// error and return false; the loop then leaves with kFailed.
// Tested by tests/vm/rows_test.cc.
#ifndef EYRIE_VM_RUN_MACHINE_H_
#define EYRIE_VM_RUN_MACHINE_H_

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "base/ref.h"
#include "base/trace.h"
#include "vm/isa/operand.h"
#include "vm/isa/value.h"
#include "vm/limits/meter.h"
#include "vm/limits/stepper.h"
#include "vm/lower/lowered.h"
#include "vm/lower/register_list.h"
#include "vm/module/backtrace.h"
#include "vm/module/module.h"
#include "vm/object/buffer.h"
#include "vm/object/list.h"
#include "vm/run/bytecode_module.h"
#include "vm/run/compiled.h"
#include "vm/run/stack.h"

namespace eyrie::vm {

// Why the loop left. The last two are for Run alone: to enter compiled code at
// the topmost frame, and to go on with that in the loop.
enum class Outcome : uint8_t {
  kDone,
  kYielded,
  kFailed,
  kEnterCompiled,
  kInterpret,
};

// Takes what modules print and trace, a line of some 4 KiB at most without its
// end, fit for a terminal. Empty: nobody listens.
using PrintSink = std::function<void(absl::string_view line)>;

// The loop's own variables, kept in machine registers between instructions.
struct Cursor {
  const uint8_t* pc;  // the instruction, in lowered code
  int32_t* i32;
  RefObject** refs;
};

// A ref register that may give its reference away.
struct RefOperand {
  RefObject** slot;
  bool move;
};

// Puts an owned reference into a register and drops the one it held.
inline void ReplaceRef(RefObject*& to, RefObject* owned) {
  RefObject* old = std::exchange(to, owned);
  if (old != nullptr) old->DropRef();
}

// Takes the operand's reference, or shares it.
inline void AssignRef(RefObject*& to, RefOperand from) {
  if (from.move) {
    if (&to == from.slot) return;
    ReplaceRef(to, std::exchange(*from.slot, nullptr));
  } else {
    if (*from.slot != nullptr) (*from.slot)->AddRef();
    ReplaceRef(to, *from.slot);
  }
}

// What the operand holds, to be owned: taken from it, or shared.
inline RefObject* TakeRef(RefOperand from) {
  if (from.move) return std::exchange(*from.slot, nullptr);
  if (*from.slot != nullptr) (*from.slot)->AddRef();
  return *from.slot;
}

// One invocation's execution state. Thread-compatible.
class Machine {
 public:
  // `jit` compiles what it runs; null: nobody does, nor of what is traced.
  Machine(Stack& stack, Meter& meter, const PrintSink* print,
          const Jit* jit = nullptr)
      : meter(meter),
        stack_(stack),
        print_(print),
        traced_(trace::IsRecording(trace::kEvents)),
        jit_(traced_ ? nullptr : jit) {}
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;
  // Frames left by a suspended invocation are dropped.
  ~Machine() {
    if (frame != nullptr) PopAll();
  }

  Frame* frame = nullptr;          // the topmost
  BytecodeState* state = nullptr;  // its module's
  Outcome outcome = Outcome::kDone;
  Meter& meter;  // of the context

  // Enters a function for the host, which keeps its references. `results`
  // receives owned values when it returns. RESOURCE_EXHAUSTED: no stack left.
  absl::Status EnterFromHost(const FunctionCode& function,
                             BytecodeState& function_state, const Slot* args,
                             Slot* results) {
    Frame* const entered = stack_.Push(&function, &function_state, nullptr);
    if (entered == nullptr) [[unlikely]] {
      StackOverflow();
      return std::exchange(error_, absl::OkStatus());
    }
    entered->pc = EntryOf(function, function_state);
    for (uint32_t i = 0; i < function.argument_count; ++i) {
      const ArgumentPlace to = function.arguments[i];
      if (to.type == ValueType::kRef) {
        if (args[i].ref != nullptr) args[i].ref->AddRef();
        entered->refs[to.reg] = args[i].ref;
      } else {
        std::memcpy(&entered->i32[to.reg], &args[i].i64,
                    IsWide(to.type) ? 8 : 4);
      }
    }
    frame = entered;
    state = &function_state;
    host_results_ = results;
    return absl::OkStatus();
  }

  Cursor Load() const { return {frame->pc, frame->i32, frame->refs}; }

  // A frame above the topmost, which stays that; null after recording that the
  // stack is full.
  Frame* Push(const FunctionCode* function, BytecodeState* callee_state) {
    Frame* pushed = stack_.Push(function, callee_state, frame);
    if (pushed == nullptr) [[unlikely]]
      StackOverflow();
    return pushed;
  }
  void Pop(Frame* topmost) { stack_.Pop(topmost); }

  // Calls the import that the instruction at `pc` names: a native function, or
  // enters another module's. Load() gives the cursor to go on with.
  bool CallImport(const uint8_t* pc);
  // What the failure of a native function is to the machine: suspended if the
  // result is pending, else failed. False.
  [[gnu::cold]] bool NativeFailed(const LoweredCallImport& call,
                                  absl::Status status);

  // Whether the functions it runs are noted in a trace: settled when it is
  // made, since such functions run code of their own.
  bool traced() const { return traced_; }
  // The spans of the topmost frame's function, whose call this is.
  void TraceEntry() const;
  void TraceExit() const { trace::End(); }
  // Those of all frames: a machine may be left, and be resumed later on.
  void TraceEntries() const;
  void TraceExits() const;
  bool CallImportTraced(const uint8_t* pc);

  // Lowers the topmost frame's function and gives the code to run.
  const uint8_t* PrepareFunction(bool traced);

  bool compiles() const { return jit_ != nullptr; }
  // Where the meter's short way does not do, at an instruction that takes fuel.
  // False: leave the loop, to end the call or, of a turn of a loop, to go on in
  // compiled code.
  [[gnu::cold]] bool RenewAt(const uint8_t* pc, bool turns);
  // What compiling for this machine asks.
  auto stopped() const {
    return [this] { return meter.stopped(); };
  }
  // Notes that the topmost frame's function is hot, and compiles it when it has
  // been so for long enough. False: there is no code of it.
  bool NoteHot();
  // The same for a function that the host has just entered.
  void EnterHot();
  // Runs the topmost frame's compiled code.
  Outcome RunCompiled();
  // What compiled code calls, see compiled.h.
  bool RunStep(Frame* top, uint32_t offset, const FunctionCode* function,
               uint32_t step);
  bool RunImport(Frame* top, uint32_t offset, const FunctionCode* function);
  bool EndImport(Frame* top);
  bool ChargeCompiled(Frame* top, uint32_t offset,
                      const FunctionCode* function);
  void LeaveCompiled(Frame* top, uint32_t offset, const FunctionCode* function);
  const void* ResolveCompiled(Frame* callee, const FunctionCode* function);

  // Takes fuel for work on many bytes, before it is done: a unit for each KiB.
  // An error says why the call is to stop. As PayForBytes of pay.h.
  absl::Status PayFor(uint64_t bytes) {
    constexpr uint64_t kBytesPerUnit = 1024;
    constexpr uint64_t kMax = uint64_t{1} << 31;
    const uint64_t units = bytes / kBytesPerUnit;
    if (units == 0 && (bytes != 0 || !meter.stopped())) [[likely]]
      return absl::OkStatus();
    if (units != 0 &&
        meter.Charge(static_cast<uint32_t>(std::min(units, kMax)))) {
      return absl::OkStatus();
    }
    return meter.StopReason();
  }
  // What lists and buffers pay with.
  auto payer() {
    return [this](uint64_t bytes) { return PayFor(bytes); };
  }

  // Asks the stepper, if there is one, before the instruction at an offset of
  // the topmost frame's function.
  [[gnu::noinline]] bool Pause(uint32_t offset);

  // Hands the topmost frame's results to its caller or the host.
  void PassResults(const LoweredReturn& from);
  Slot* host_results() const { return host_results_; }

  // Failing: each records an error and returns false.
  [[gnu::cold]] bool Fail(absl::Status status);
  bool Check(absl::Status status) {
    if (status.ok()) [[likely]]
      return true;
    return Fail(std::move(status));
  }
  bool FailWithCode(int32_t code, absl::string_view message);
  // As the meter says.
  [[gnu::cold]] bool Stop();
  [[gnu::cold]] bool NoMemoryForCode();
  bool DivisionByZero();
  bool QuotientOverflows(int64_t dividend, int bits);
  bool NotRepresentable(double value, const char* type);
  // A ref operand is null or of the wrong type.
  bool NotA(const RefType& want, const RefObject* got);
  bool WrongType(const ElementType& want, const RefObject* got);
  bool GlobalOutOfRange(uint32_t offset, uint32_t size, uint32_t limit);

  // Hands "name(values…)" to the sink.
  void Print(absl::string_view name, RegisterList values, bool trace);

  // Where the topmost frame is: at its call, for who is called.
  BacktraceFrame Where() const { return PlaceOf(*frame); }

  // The error with a backtrace; drops all frames.
  [[gnu::cold, gnu::noinline]] absl::Status TakeError();
  // The same for a call that is to stop before it goes on.
  [[gnu::cold, gnu::noinline]] absl::Status TakeStop() {
    Stop();
    return TakeError();
  }

 private:
  static BacktraceFrame PlaceOf(const Frame& at);
  bool CallNative(const ResolvedImport& import, const LoweredCallImport& call);
  // With copies of the arguments, as many bytes of each as the longest type
  // has. False: the stack is full. `status` is the function's.
  bool CallBySlots(const ResolvedImport& import, const LoweredCallImport& call,
                   absl::Status& status);
  bool EnterImport(const ResolvedImport& import, const LoweredCallImport& call);
  [[gnu::cold, gnu::noinline]] bool StackOverflow();
  [[gnu::noinline]] void PopAll();
  // Where to begin, compiled first if that is to be.
  const uint8_t* EntryOf(const FunctionCode& function,
                         const BytecodeState& of) const {
    const uint8_t* entry = function.Entry(traced_);
    if (jit_ == nullptr || !jit_->eager()) [[likely]]
      return entry;
    return CompiledEntryOf(function, of);
  }
  [[gnu::cold, gnu::noinline]] const uint8_t* CompiledEntryOf(
      const FunctionCode& function, const BytecodeState& of) const;
  // Hands the results of compiled code's first frame over, and drops it.
  Outcome ReturnFromCompiled(Frame* base);
  // The topmost frame that compiled code runs, at an instruction of it.
  void ShowTop(Frame* top, const FunctionCode* function, const uint8_t* pc);
  // Ends a call of C++ by compiled code in the topmost frame. False: leave it.
  bool GoOnCompiled(bool ok, Frame* top, BytecodeState* own);
  // Writes the headers of the frames between `top` and the one that compiled
  // code was entered with, from the addresses that they return to.
  void CompleteFrames(Frame* top, const void* const* returns);

  Stack& stack_;
  const PrintSink* print_;
  const bool traced_;
  const Jit* const jit_;
  const void* turn_ = nullptr;  // where to enter, at a branch backwards
  CompiledState compiled_;
  Slot* host_results_ = nullptr;
  absl::Status error_;
  absl::string_view native_;  // the import that failed; empty: none did
};

// Where the code is that calls the native function which has this state;
// nullopt if none runs.
std::optional<BacktraceFrame> CallerOf(const ModuleState& state);

}  // namespace eyrie::vm

#endif  // EYRIE_VM_RUN_MACHINE_H_
