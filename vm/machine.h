// What instruction bodies work on: the running frame, calls in and out of it,
// and the error that stopped it.
//
// A body that cannot go on calls one of the failing members, which record the
// error and return false; the loop then leaves with kFailed.
// Tested by interpreter_test.cc.
#ifndef EYRIE_VM_MACHINE_H_
#define EYRIE_VM_MACHINE_H_

#include <cstdint>
#include <cstring>
#include <functional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "base/ref.h"
#include "vm/buffer.h"
#include "vm/bytecode_module.h"
#include "vm/list.h"
#include "vm/operand.h"
#include "vm/stack.h"
#include "vm/value.h"

namespace eyrie::vm {

// Why the loop left.
enum class Outcome : uint8_t { kDone, kYielded, kFailed };

// Takes what modules print and trace. Empty: nobody listens.
using PrintSink = std::function<void(absl::string_view line)>;

// The loop's own variables, kept in machine registers between instructions.
struct Cursor {
  const uint8_t* pc;    // the next byte to decode
  const uint8_t* at;    // the current instruction
  const uint8_t* code;  // the function's first instruction
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

  const uint8_t* at_ = nullptr;
};

// Register moves on the way to a block: from(i) to to(i), in order.
class RemapList {
 public:
  explicit RemapList(const uint8_t* at) : words_(at) {}

  uint32_t size() const { return words_.size(); }
  uint16_t from(uint32_t i) const { return words_[2 * i]; }
  uint16_t to(uint32_t i) const { return words_[2 * i + 1]; }

 private:
  RegisterList words_;
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

// One invocation's execution state. Thread-compatible.
class Machine {
 public:
  Machine(Stack& stack, const PrintSink* print)
      : stack_(stack), print_(print) {}
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;
  // Frames left by a suspended invocation are dropped.
  ~Machine() {
    if (frame != nullptr) PopAll();
  }

  Frame* frame = nullptr;          // the topmost
  BytecodeState* state = nullptr;  // its module's
  Outcome outcome = Outcome::kDone;

  // Enters a function for the host, which keeps its references. `results`
  // receives owned values when it returns. RESOURCE_EXHAUSTED: no stack left.
  absl::Status EnterFromHost(const FunctionCode& function,
                             BytecodeState& function_state, const Slot* args,
                             Slot* results);

  Cursor Load() const {
    return {frame->pc, frame->pc, frame->function->code, frame->i32,
            frame->refs};
  }

  // Enters a bytecode function: moves the arguments over and points the cursor
  // at it. It returns to `return_pc` and writes the caller's `results`.
  bool Enter(Cursor& c, const FunctionCode* function, BytecodeState* callee,
             RegisterList args, RegisterList results, const uint8_t* return_pc);
  // Returns from the topmost frame. False: to the host; the outcome is kDone.
  bool Leave(Cursor& c, RegisterList values);

  // Calls an import: a native function, or enters another module's. Load()
  // gives the cursor to go on with. `segments` may be empty.
  bool CallImport(const uint8_t* at, uint32_t ordinal, RegisterList segments,
                  RegisterList args, RegisterList results,
                  const uint8_t* return_pc, bool yieldable);

  // Failing: each records an error and returns false.
  bool Fail(absl::Status status);
  bool Check(absl::Status status) {
    if (status.ok()) [[likely]]
      return true;
    return Fail(std::move(status));
  }
  bool FailWithCode(int32_t code, absl::string_view message);
  bool DivisionByZero();
  bool QuotientOverflows(int64_t dividend, int bits);
  bool NotRepresentable(double value, const char* type);
  // A ref operand is null or of the wrong type.
  bool NotA(const RefType& want, const RefObject* got);
  bool WrongType(const ElementType& want, const RefObject* got);
  bool GlobalOutOfRange(uint32_t offset, uint32_t size, uint32_t limit);

  // Hands "name(values…)" to the sink.
  void Print(absl::string_view name, RegisterList values, bool trace);

  // The error with a backtrace; drops all frames.
  absl::Status TakeError();

 private:
  // How a native call ended: on, suspended, or failed.
  bool CallNative(const ResolvedImport& import, RegisterList segments,
                  RegisterList args, RegisterList results, bool yieldable);
  void FillSlots(const ResolvedImport& import, RegisterList segments,
                 RegisterList args, Slot* slots) const;
  bool StackOverflow();
  void PopAll();
  std::string Backtrace() const;

  Stack& stack_;
  const PrintSink* print_;
  Slot* host_results_ = nullptr;
  absl::Status error_;
};

[[gnu::always_inline]] inline bool Machine::Enter(
    Cursor& c, const FunctionCode* function, BytecodeState* callee_state,
    RegisterList args, RegisterList results, const uint8_t* return_pc) {
  Frame* caller = frame;
  caller->pc = return_pc;
  caller->at = c.at;
  Frame* callee = stack_.Push(function, callee_state, caller);
  if (callee == nullptr) [[unlikely]]
    return StackOverflow();
  callee->result_list = results.data();
  for (uint32_t i = 0; i < function->argument_count; ++i) {
    const uint16_t from = args[i];
    const ArgumentPlace to = function->arguments[i];
    if (to.type == ValueType::kRef) {
      RefObject*& source = c.refs[RefIndex(from)];
      if (!IsMove(from) && source != nullptr) source->AddRef();
      callee->refs[to.reg] =
          IsMove(from) ? std::exchange(source, nullptr) : source;
    } else if (to.type == ValueType::kI64 || to.type == ValueType::kF64) {
      std::memcpy(&callee->i32[to.reg], &c.i32[from], 8);
    } else {
      callee->i32[to.reg] = c.i32[from];
    }
  }
  frame = callee;
  state = callee_state;
  // The loop keeps the cursor in registers: no function that is not inlined may
  // take its address.
  c = {function->code, function->code, function->code, callee->i32,
       callee->refs};
  return true;
}

[[gnu::always_inline]] inline bool Machine::Leave(Cursor& c,
                                                  RegisterList values) {
  Frame* callee = frame;
  const FunctionCode* function = callee->function;
  if (callee->result_list == nullptr) {
    for (uint32_t i = 0; i < function->result_count; ++i) {
      const uint16_t from = values[i];
      Slot slot;
      if (function->results[i] == ValueType::kRef) {
        RefObject*& source = c.refs[RefIndex(from)];
        if (!IsMove(from) && source != nullptr) source->AddRef();
        slot.ref = IsMove(from) ? std::exchange(source, nullptr) : source;
      } else if (function->results[i] == ValueType::kI64 ||
                 function->results[i] == ValueType::kF64) {
        std::memcpy(&slot.i64, &c.i32[from], 8);
      } else {
        slot.i32 = c.i32[from];
      }
      host_results_[i] = slot;
    }
    stack_.Pop(callee);
    frame = nullptr;
    outcome = Outcome::kDone;
    return false;
  }
  Frame* caller = callee->caller;
  const RegisterList results(callee->result_list);
  for (uint32_t i = 0; i < function->result_count; ++i) {
    const uint16_t from = values[i];
    const uint16_t to = results[i];
    if (function->results[i] == ValueType::kRef) {
      AssignRef(caller->refs[RefIndex(to)],
                {&c.refs[RefIndex(from)], IsMove(from)});
    } else if (function->results[i] == ValueType::kI64 ||
               function->results[i] == ValueType::kF64) {
      std::memcpy(&caller->i32[to], &c.i32[from], 8);
    } else {
      caller->i32[to] = c.i32[from];
    }
  }
  stack_.Pop(callee);
  frame = caller;
  state = caller->state;
  c = Load();
  return true;
}

}  // namespace eyrie::vm

#endif  // EYRIE_VM_MACHINE_H_
