// Enters and leaves compiled code, and implements the functions it calls.
// Tested by tests/vm/rows_test.cc.
#include <algorithm>
#include <bit>
#include <cstring>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "vm/run/compiled.h"
#include "vm/run/machine.h"

namespace eyrie::vm {
namespace {

// A function that was found running once for each of this many bytes of its
// bytecode has run for about as long as it takes to compile.
constexpr uint32_t kBytesPerTick = 1024;

// Writes a frame's header except for its caller.
void FillHeader(Frame* frame, const FunctionCode* function,
                BytecodeState* state, const uint8_t* pc) {
  auto* banks = reinterpret_cast<uint8_t*>(frame + 1);
  frame->function = function;
  frame->state = state;
  frame->pc = pc;
  frame->refs = reinterpret_cast<RefObject**>(banks);
  frame->i32 = reinterpret_cast<int32_t*>(banks + function->ref_bytes);
}

// Stores arguments passed in registers in the callee's frame, as the
// interpreter expects them.
void StorePassed(const FunctionCode& function, const CompiledState& state,
                 Frame* callee) {
  for (const PassedNumber& number : PassedNumbers(function)) {
    const int first = number.real ? CompiledState::kFirstSavedFloat : 0;
    std::memcpy(reinterpret_cast<uint8_t*>(callee) +
                    Frame::PlaceOfNumber(function, number.slot),
                &state.saved[first + number.ordinal], number.wide ? 8 : 4);
  }
}

uint32_t WordsOf(const FunctionCode& function) {
  return function.compiled_words.load(std::memory_order_relaxed);
}

}  // namespace

bool Machine::RenewAt(const uint8_t* pc, bool turns) {
  if (!meter.Renew()) {
    frame->pc = pc;
    return Stop();
  }
  if (!meter.TakeTick() || !NoteHot() || !turns) return true;
  const FunctionCode& function = *frame->function;
  turn_ = state->module->compiled()->FindTurn(
      function.ordinal, static_cast<uint32_t>(pc - function.Lowered()));
  if (turn_ == nullptr) return true;
  frame->pc = pc;
  outcome = Outcome::kEnterCompiled;
  return false;
}

bool Machine::NoteHot() {
  if (jit_ == nullptr) return false;
  const FunctionCode& function = *frame->function;
  const uint32_t ticks =
      function.ticks.fetch_add(1, std::memory_order_relaxed) + 1;
  if (ticks <= function.code_size / kBytesPerTick) return false;
  return state->module->CompileHot(*jit_, function.ordinal, stopped()) !=
         nullptr;
}

void Machine::EnterHot() {
  const FunctionCode& function = *frame->function;
  const bool begins = frame->pc == function.Entry(/*traced=*/false);
  if (NoteHot() && begins) frame->pc = state->module->handlers().enter;
}

Outcome Machine::RunCompiled() {
  Frame* const base = frame;
  const FunctionCode& function = *base->function;
  const void* code =
      base->pc == state->module->handlers().enter
          ? function.compiled_entry.load(std::memory_order_acquire)
          : turn_;
  auto* const bottom = reinterpret_cast<uint8_t*>(base);
  compiled_.machine = this;
  compiled_.frame = &frame;
  compiled_.stack_top = stack_.top();
  const auto room =
      std::min(static_cast<size_t>(stack_.limit() - bottom), kCompiledReach);
  compiled_.stack_limit = bottom + room;
  compiled_.near_limit = bottom + room - std::min<size_t>(room, kNearFrames);
  compiled_.state = state;
  compiled_.globals = state->globals;
  compiled_.global_refs = state->global_refs;
  compiled_.rodata = state->rodata();
  compiled_.imports = state->imports.data();
  compiled_.stop = meter.stop_flag();
  compiled_.buffer_type = &Buffer::kType;
  compiled_.list_type = &List::kType;
  compiled_.thunks = state->module->compiled()->thunks();
  compiled_.credit = 0;
  int64_t* const before = meter.BeginLending(&compiled_.credit);
  meter.Lend(kCompiledPortion);
  const bool returned = compiled_.thunks.enter(&compiled_, base, code);
  meter.EndLending(before);
  return returned ? ReturnFromCompiled(base) : outcome;
}

Outcome Machine::ReturnFromCompiled(Frame* base) {
  const FunctionCode& function = *base->function;
  const ValueType* types = function.results;
  Frame* caller = base->caller;
  const uint16_t* to = caller == nullptr
                           ? nullptr
                           : LoweredAt<LoweredCall>(caller->pc).results();
  const bool one = ReturnsOneNumber(function);
  for (uint32_t i = 0; i < function.result_count; ++i) {
    uint64_t value = compiled_.results[i];
    if (one) {
      const bool real =
          types[0] == ValueType::kF32 || types[0] == ValueType::kF64;
      value = real ? compiled_.real : compiled_.number;
    }
    if (types[i] == ValueType::kRef) {
      auto* ref = std::bit_cast<RefObject*>(value);
      if (caller == nullptr) {
        host_results_[i].ref = ref;
      } else {
        ReplaceRef(caller->refs[RefIndex(to[i])], ref);
      }
      continue;
    }
    void* target = caller == nullptr ? static_cast<void*>(&host_results_[i].i64)
                                     : &caller->i32[to[i]];
    std::memcpy(target, &value, IsWide(types[i]) ? 8 : 4);
  }
  stack_.Drop(base);
  frame = caller;
  if (caller == nullptr) return outcome = Outcome::kDone;
  state = caller->state;
  caller->pc += LoweredAt<LoweredCall>(caller->pc).size;
  return outcome = Outcome::kInterpret;
}

void Machine::CompleteFrames(Frame* top, const void* const* returns) {
  const CompiledModule& compiled = *state->module->compiled();
  Frame* at = top;
  while (returns != compiled_.entered) {
    const CompiledSite site = compiled.FindSite(*returns);
    returns += 1 + WordsOf(*site.function);
    auto* caller = reinterpret_cast<Frame*>(reinterpret_cast<uint8_t*>(at) -
                                            site.function->frame_bytes);
    FillHeader(caller, site.function, state,
               site.function->Lowered() + site.offset);
    at->caller = caller;
    at = caller;
  }
}

void Machine::ShowTop(Frame* top, const FunctionCode* function,
                      const uint8_t* pc) {
  FillHeader(top, function, state, pc);
  frame = top;
  stack_.SetTop(top);
}

bool Machine::GoOnCompiled(bool ok, Frame* top, BytecodeState* own) {
  if (ok && frame == top) [[likely]] {
    // Ensures that the next backward branch or call sees the order to stop.
    if (meter.stopped()) [[unlikely]]
      meter.Reclaim();
    return true;
  }
  BytecodeState* const entered = std::exchange(state, own);
  CompleteFrames(top, compiled_.left + 1 + WordsOf(*top->function));
  state = entered;
  if (ok) outcome = Outcome::kInterpret;  // in a function of another module
  return false;
}

bool Machine::RunStep(Frame* top, uint32_t offset, const FunctionCode* function,
                      uint32_t step) {
  const uint8_t* pc = function->Lowered() + offset;
  ShowTop(top, function, pc);
  BytecodeState* const own = state;
  return GoOnCompiled(kCompiledStepTable[step](*this, pc), top, own);
}

bool Machine::RunImport(Frame* top, uint32_t offset,
                        const FunctionCode* function) {
  const uint8_t* pc = function->Lowered() + offset;
  ShowTop(top, function, pc);
  BytecodeState* const own = state;
  return GoOnCompiled(CallImport(pc), top, own);
}

bool Machine::EndImport(Frame* top) {
  absl::Status& returned =
      *std::launder(reinterpret_cast<absl::Status*>(compiled_.status));
  absl::Status status = std::move(returned);
  std::destroy_at(&returned);
  ShowTop(top, top->function, top->pc);
  const auto& call = LoweredAt<LoweredCallImport>(top->pc);
  const bool ok = status.ok() || NativeFailed(call, std::move(status));
  return GoOnCompiled(ok, top, state);
}

bool Machine::ChargeCompiled(Frame* top, uint32_t offset,
                             const FunctionCode* function) {
  if (meter.Settle()) [[likely]] {
    meter.Lend(kCompiledPortion);
    return true;
  }
  LeaveCompiled(top, offset, function);
  return Stop();
}

void Machine::LeaveCompiled(Frame* top, uint32_t offset,
                            const FunctionCode* function) {
  ShowTop(top, function, function->Lowered() + offset);
  CompleteFrames(top, compiled_.left + 1 + WordsOf(*function));
  outcome = Outcome::kInterpret;
}

const void* Machine::ResolveCompiled(Frame* callee,
                                     const FunctionCode* function) {
  StorePassed(*function, compiled_, callee);
  const void* code =
      state->module->CompileFunction(*jit_, function->ordinal, stopped());
  if (code != nullptr) return code;
  // Initializes the frame as the interpreter does: everything is zero except
  // the arguments.
  std::vector<uint64_t> arguments(function->argument_count);
  FillHeader(callee, function, state, function->Entry(/*traced=*/false));
  for (uint32_t i = 0; i < function->argument_count; ++i) {
    const ArgumentPlace place = function->arguments[i];
    if (place.type == ValueType::kRef) {
      arguments[i] = std::bit_cast<uint64_t>(callee->refs[place.reg]);
    } else {
      std::memcpy(&arguments[i], &callee->i32[place.reg],
                  IsWide(place.type) ? 8 : 4);
    }
  }
  std::memset(static_cast<void*>(callee + 1), 0,
              function->frame_bytes - sizeof(Frame));
  for (uint32_t i = 0; i < function->argument_count; ++i) {
    const ArgumentPlace place = function->arguments[i];
    if (place.type == ValueType::kRef) {
      callee->refs[place.reg] = std::bit_cast<RefObject*>(arguments[i]);
    } else {
      std::memcpy(&callee->i32[place.reg], &arguments[i],
                  IsWide(place.type) ? 8 : 4);
    }
  }
  frame = callee;
  stack_.SetTop(callee);
  CompleteFrames(callee, compiled_.left);
  outcome = Outcome::kInterpret;
  return nullptr;
}

std::vector<PassedNumber> PassedNumbers(const FunctionCode& function) {
  std::vector<PassedNumber> passed;
  uint8_t counts[2] = {};
  for (uint32_t i = 0; i < function.argument_count; ++i) {
    const ArgumentPlace place = function.arguments[i];
    if (place.type == ValueType::kRef) continue;
    const bool real =
        place.type == ValueType::kF32 || place.type == ValueType::kF64;
    uint8_t& count = counts[real ? 1 : 0];
    if (count == kMaxPassed) continue;
    passed.push_back({place.reg, IsWide(place.type), real, count++});
  }
  return passed;
}

bool CompiledRunStep(CompiledState* state, Frame* frame, uint32_t offset,
                     const FunctionCode* function, uint32_t step) {
  return state->machine->RunStep(frame, offset, function, step);
}

bool CompiledImport(CompiledState* state, Frame* frame, uint32_t offset,
                    const FunctionCode* function) {
  return state->machine->RunImport(frame, offset, function);
}

bool CompiledImportEnded(CompiledState* state, Frame* frame) {
  return state->machine->EndImport(frame);
}

bool CompiledCharge(CompiledState* state, Frame* frame, uint32_t offset,
                    const FunctionCode* function) {
  return state->machine->ChargeCompiled(frame, offset, function);
}

bool CompiledLeave(CompiledState* state, Frame* frame, uint32_t offset,
                   const FunctionCode* function) {
  ++state->credit;  // the interpreter charges it again
  state->machine->LeaveCompiled(frame, offset, function);
  return false;
}

const void* CompiledResolve(CompiledState* state, Frame* frame,
                            const FunctionCode* function) {
  return state->machine->ResolveCompiled(frame, function);
}

void CompiledDrop(RefObject* object) { object->DropRef(); }

}  // namespace eyrie::vm
