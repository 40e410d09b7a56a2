// The state that instruction bodies work on: the running frame, calls in and
// out of it, and the error that stopped it.
//
// A body that fails calls one of the functions under "Failing", which record
// the error and return false. The loop then returns kFailed.
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

// Why the loop returned. kEnterCompiled and kInterpret occur only inside Run:
// the first means to enter compiled code at the topmost frame, the second to
// continue that frame in the loop.
enum class Outcome : uint8_t {
  kDone,
  kYielded,
  kFailed,
  kEnterCompiled,
  kInterpret,
};

// Receives each line that modules print or trace, without a line end. A line
// has at most about 4 KiB and contains no control characters. May be empty.
using PrintSink = std::function<void(absl::string_view line)>;

// Variables of the loop, kept in machine registers between instructions.
struct Cursor {
  const uint8_t* pc;  // the instruction, in lowered code
  int32_t* i32;
  RefObject** refs;
};

// A ref register. If `move`, reading it clears it.
struct RefOperand {
  RefObject** slot;
  bool move;
};

// Stores an owned reference in a register and drops the previous one.
inline void ReplaceRef(RefObject*& to, RefObject* owned) {
  RefObject* old = std::exchange(to, owned);
  if (old != nullptr) old->DropRef();
}

// Moves or copies the operand's reference to a register.
inline void AssignRef(RefObject*& to, RefOperand from) {
  if (from.move) {
    if (&to == from.slot) return;
    ReplaceRef(to, std::exchange(*from.slot, nullptr));
  } else {
    if (*from.slot != nullptr) (*from.slot)->AddRef();
    ReplaceRef(to, *from.slot);
  }
}

// Returns an owned reference: the operand's own if it is moved, else a copy.
inline RefObject* TakeRef(RefOperand from) {
  if (from.move) return std::exchange(*from.slot, nullptr);
  if (*from.slot != nullptr) (*from.slot)->AddRef();
  return *from.slot;
}

// One invocation's execution state. Thread-compatible.
class Machine {
 public:
  // `jit` compiles the functions it runs. If it is null or the invocation is
  // traced, nothing is compiled.
  Machine(Stack& stack, Meter& meter, const PrintSink* print,
          const Jit* jit = nullptr)
      : meter(meter),
        stack_(stack),
        print_(print),
        traced_(trace::IsRecording(trace::kEvents)),
        jit_(traced_ ? nullptr : jit) {}
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;
  // Drops the frames of an invocation that is suspended.
  ~Machine() {
    if (frame != nullptr) PopAll();
  }

  Frame* frame = nullptr;          // the topmost
  BytecodeState* state = nullptr;  // state of its module
  Outcome outcome = Outcome::kDone;
  Meter& meter;  // of the context

  // Enters a function for the host, which keeps its references to `args`. When
  // the function returns, owned values are stored in `results`. Returns
  // RESOURCE_EXHAUSTED if the stack is full.
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
    meter.failed.count = 0;
    return absl::OkStatus();
  }

  Cursor Load() const { return {frame->pc, frame->i32, frame->refs}; }

  // Pushes a frame, but does not make it the topmost. If the stack is full,
  // records the error and returns null.
  Frame* Push(const FunctionCode* function, BytecodeState* callee_state) {
    Frame* pushed = stack_.Push(function, callee_state, frame);
    if (pushed == nullptr) [[unlikely]]
      StackOverflow();
    return pushed;
  }
  void Pop(Frame* topmost) { stack_.Pop(topmost); }

  // Calls the import that the instruction at `pc` names: calls a native
  // function, or enters a function of another module. Continue with Load().
  bool CallImport(const uint8_t* pc);
  // Handles the error of a native function: suspends the call if the error is
  // Pending(), else fails. Returns false.
  [[gnu::cold]] bool NativeFailed(const LoweredCallImport& call,
                                  absl::Status status);
  // Stores the references that a native function was given in Meter::failed.
  void RecordOperands(const LoweredCallImport& call);

  // Reports whether calls are recorded in a trace. Fixed at construction, since
  // traced functions have separate lowered code.
  bool traced() const { return traced_; }
  // Begin and end the trace span of the topmost frame's function.
  void TraceEntry() const;
  void TraceExit() const { trace::End(); }
  // Begin and end the trace spans of all frames, when a suspended machine
  // resumes or a running one is suspended.
  void TraceEntries() const;
  void TraceExits() const;
  bool CallImportTraced(const uint8_t* pc);

  // Lowers the topmost frame's function and returns its first instruction, or
  // null if there is not enough memory.
  const uint8_t* PrepareFunction(bool traced);

  bool compiles() const { return jit_ != nullptr; }
  // Called when Meter::ChargeShortly returned false at the instruction at `pc`;
  // `turns` tells whether that is a backward branch. Returns false to leave the
  // loop: the call must end, or it continues in compiled code.
  [[gnu::cold]] bool RenewAt(const uint8_t* pc, bool turns);
  // Passed to the compiler.
  auto stopped() const {
    return [this] { return meter.stopped(); };
  }
  // Counts that the topmost frame's function is hot, and compiles it after
  // enough counts. Returns false if it has no compiled code.
  bool NoteHot();
  // Calls NoteHot for the function that the host calls or resumes. If the
  // function is at its beginning and has compiled code, Run() will enter that.
  void EnterHot();
  // Runs the topmost frame's compiled code.
  Outcome RunCompiled();
  // Called by compiled code, see compiled.h.
  bool RunStep(Frame* top, uint32_t offset, const FunctionCode* function,
               uint32_t step);
  bool RunImport(Frame* top, uint32_t offset, const FunctionCode* function);
  bool EndImport(Frame* top);
  bool ChargeCompiled(Frame* top, uint32_t offset,
                      const FunctionCode* function);
  void LeaveCompiled(Frame* top, uint32_t offset, const FunctionCode* function);
  const void* ResolveCompiled(Frame* callee, const FunctionCode* function);

  // Charges one unit of fuel for each KiB of work, before the work is done.
  // Returns an error if the call must stop. See PayForBytes in pay.h.
  absl::Status PayFor(uint64_t bytes) {
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
  // PayFor, as a PayForBytes for lists and buffers.
  auto payer() {
    return [this](uint64_t bytes) { return PayFor(bytes); };
  }

  // Calls the stepper, if there is one, before the instruction at `offset` of
  // the bytecode of the topmost frame's function.
  [[gnu::noinline]] bool Pause(uint32_t offset);

  // Stores the topmost frame's results in its caller's registers or for the
  // host.
  void PassResults(const LoweredReturn& from);
  Slot* host_results() const { return host_results_; }

  // Failing. Each records an error and returns false.
  [[gnu::cold]] bool Fail(absl::Status status);
  bool Check(absl::Status status) {
    if (status.ok()) [[likely]]
      return true;
    return Fail(std::move(status));
  }
  bool FailWithCode(int32_t code, absl::string_view message);
  // Fails with the meter's StopReason().
  [[gnu::cold]] bool Stop();
  [[gnu::cold]] bool NoMemoryForCode();
  bool DivisionByZero();
  bool QuotientOverflows(int64_t dividend, int bits);
  bool NotRepresentable(double value, const char* type);
  // Fails because a ref operand is null or has the wrong type.
  bool NotA(const RefType& want, const RefObject* got);
  bool WrongType(const ElementType& want, const RefObject* got);
  bool GlobalOutOfRange(uint32_t offset, uint32_t size, uint32_t limit);

  // Passes "name(values…)" to the sink.
  void Print(absl::string_view name, RegisterList values, bool trace);

  // Returns where the topmost frame is: at its call, if it is calling a
  // function.
  BacktraceFrame Where() const { return PlaceOf(*frame); }

  // Returns the error with a backtrace, and drops all frames.
  [[gnu::cold, gnu::noinline]] absl::Status TakeError();
  // Stops a call that must not continue. Returns the error as TakeError does.
  [[gnu::cold, gnu::noinline]] absl::Status TakeStop() {
    Stop();
    return TakeError();
  }

 private:
  static BacktraceFrame PlaceOf(const Frame& at);
  bool CallNative(const ResolvedImport& import, const LoweredCallImport& call);
  // Calls a native function with copies of its arguments, each as wide as the
  // longest type. Stores the function's status in `status`. Returns false if
  // the stack is full.
  bool CallBySlots(const ResolvedImport& import, const LoweredCallImport& call,
                   absl::Status& status);
  bool EnterImport(const ResolvedImport& import, const LoweredCallImport& call);
  [[gnu::cold, gnu::noinline]] bool StackOverflow();
  [[gnu::noinline]] void PopAll();
  // Returns where a function begins; compiles it first if the JIT is eager.
  const uint8_t* EntryOf(const FunctionCode& function,
                         const BytecodeState& of) const {
    const uint8_t* entry = function.Entry(traced_);
    if (jit_ == nullptr || !jit_->eager()) [[likely]]
      return entry;
    return CompiledEntryOf(function, of);
  }
  [[gnu::cold, gnu::noinline]] const uint8_t* CompiledEntryOf(
      const FunctionCode& function, const BytecodeState& of) const;
  // Stores the results of the frame that compiled code was entered with, and
  // drops that frame.
  Outcome ReturnFromCompiled(Frame* base);
  // Makes a frame of compiled code the topmost, at the instruction at `pc`.
  void ShowTop(Frame* top, const FunctionCode* function, const uint8_t* pc);
  // Finishes a call from compiled code into C++. Returns false if compiled code
  // must be left.
  bool GoOnCompiled(bool ok, Frame* top, BytecodeState* own);
  // Writes the headers of the frames between `top` and the one that compiled
  // code was entered with. Derives them from the return addresses.
  void CompleteFrames(Frame* top, const void* const* returns);

  Stack& stack_;
  const PrintSink* print_;
  const bool traced_;
  const Jit* const jit_;
  const void* turn_ = nullptr;  // where to enter after a backward branch
  CompiledState compiled_;
  Slot* host_results_ = nullptr;
  absl::Status error_;
  absl::string_view native_;  // the import that failed; empty if none did
};

// Returns the place in the code that calls the native function with this state;
// nullopt if no call is running.
std::optional<BacktraceFrame> CallerOf(const ModuleState& state);

}  // namespace eyrie::vm

#endif  // EYRIE_VM_RUN_MACHINE_H_
