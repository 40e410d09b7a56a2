// What instruction bodies work on: the running frame, calls in and out of it,
// and the error that stopped it.
//
// A body that cannot go on calls one of the failing members, which record the
// error and return false; the loop then leaves with kFailed.
// Tested by tests/vm/rows_test.cc.
#ifndef EYRIE_VM_MACHINE_H_
#define EYRIE_VM_MACHINE_H_

#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "base/ref.h"
#include "base/trace.h"
#include "vm/backtrace.h"
#include "vm/buffer.h"
#include "vm/bytecode_module.h"
#include "vm/list.h"
#include "vm/lowered.h"
#include "vm/meter.h"
#include "vm/module.h"
#include "vm/operand.h"
#include "vm/stack.h"
#include "vm/value.h"

namespace eyrie::vm {

// Why the loop left.
enum class Outcome : uint8_t { kDone, kYielded, kFailed };

// Takes what modules print and trace, a line of some 4 KiB at most without its
// end, fit for a terminal. Empty: nobody listens.
using PrintSink = std::function<void(absl::string_view line)>;

// The loop's own variables, kept in machine registers between instructions.
struct Cursor {
  const uint8_t* pc;  // the instruction, in lowered code
  int32_t* i32;
  RefObject** refs;
};

// A counted list of registers in the bytecode.
class RegisterList {
 public:
  RegisterList() = default;
  explicit RegisterList(const uint8_t* at) : at_(at) {}

  const uint8_t* data() const { return at_; }
  uint32_t size() const { return Word(0); }
  uint16_t operator[](uint32_t i) const { return Word(1 + i); }

 private:
  uint16_t Word(uint32_t i) const {
    uint16_t word;
    std::memcpy(&word, at_ + size_t{i} * 2, 2);
    return word;
  }

  static constexpr uint8_t kNone[2] = {};
  const uint8_t* at_ = kNone;
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
  Machine(Stack& stack, Meter& meter, const PrintSink* print)
      : meter(meter),
        stack_(stack),
        print_(print),
        traced_(trace::IsRecording(trace::kEvents)) {}
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
    entered->pc = function.Entry(traced_);
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

  Stack& stack_;
  const PrintSink* print_;
  const bool traced_;
  Slot* host_results_ = nullptr;
  absl::Status error_;
  absl::string_view native_;  // the import that failed; empty: none did
};

// Where the code is that calls the native function which has this state;
// nullopt if none runs.
std::optional<BacktraceFrame> CallerOf(const ModuleState& state);

}  // namespace eyrie::vm

#endif  // EYRIE_VM_MACHINE_H_
