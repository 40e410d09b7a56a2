// Calls to native functions, and errors.
#include "vm/run/machine.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/allocate.h"
#include "base/plain_text.h"
#include "vm/module/backtrace.h"
#include "vm/native/native_binding.h"

namespace eyrie::vm {
namespace {

constexpr int32_t kLastStatusCode = 16;
// The status code of modules if no device is one that they were compiled for.
constexpr int32_t kIncompatible = 18;

// Limit for the bytes of a module's own text in a message or a printed line.
constexpr size_t kMaxMessage = 4096;

// A frame's position, not yet converted to an offset in bytecode.
struct FramePlace {
  const BytecodeModule* module;
  uint32_t function;
  const uint8_t* pc;

  friend bool operator==(const FramePlace&, const FramePlace&) = default;
};

Backtrace BacktraceOf(const Frame* frame) {
  FrameRuns<FramePlace> frames;
  for (const Frame* at = frame; at != nullptr; at = at->caller) {
    frames.Add({&*at->state->module, at->function->ordinal, at->pc});
  }
  // PlacesOf may take long, so it is called once for each function.
  std::map<std::pair<const BytecodeModule*, uint32_t>, LoweredFunctionPlaces>
      known;
  return frames.As<BacktraceFrame>([&known](const FramePlace& at) {
    const auto [places, is_new] = known.try_emplace({at.module, at.function});
    if (is_new) places->second = at.module->PlacesOf(at.function);
    return BacktraceFrame{
        &at.module->def(), at.function,
        at.module->BytecodeOffset(at.function, at.pc, places->second)};
  });
}

// Returns the bits of the slots whose references the call moves; `moved` is
// their number, and their places follow. None if there are more than 64 slots.
uint64_t GivenSlots(const LoweredCallImport& call, const uint32_t* moved) {
  const uint32_t count = *moved++;
  uint64_t given = 0;
  if (count == 0 || call.slots > 64) return given;
  for (uint32_t i = 0; i < call.slots; ++i) {
    const bool is_moved =
        std::find(moved, moved + count, call.places()[i]) != moved + count;
    given |= uint64_t{is_moved} << i;
  }
  return given;
}

}  // namespace

void Machine::PassResults(const LoweredReturn& from) {
  Frame* callee = frame;
  Frame* caller = callee->caller;
  const ValueType* types = callee->function->results;
  const uint16_t* to = caller == nullptr
                           ? nullptr
                           : LoweredAt<LoweredCall>(caller->pc).results();
  for (uint32_t i = 0; i < from.count; ++i) {
    const uint16_t reg = from.values()[i];
    if (types[i] == ValueType::kRef) {
      RefObject* ref = TakeRef({&callee->refs[RefIndex(reg)], IsMove(reg)});
      if (caller == nullptr) {
        host_results_[i].ref = ref;
      } else {
        ReplaceRef(caller->refs[RefIndex(to[i])], ref);
      }
      continue;
    }
    void* target = caller == nullptr ? static_cast<void*>(&host_results_[i].i64)
                                     : &caller->i32[to[i]];
    std::memcpy(target, &callee->i32[reg], IsWide(types[i]) ? 8 : 4);
  }
}

const uint8_t* Machine::PrepareFunction(bool traced) {
  const FunctionCode& function = *frame->function;
  const uint8_t* code = state->module->LowerFunction(function.ordinal, traced);
  if (code == nullptr || jit_ == nullptr) return code;
  return EntryOf(function, *state);
}

const uint8_t* Machine::CompiledEntryOf(const FunctionCode& function,
                                        const BytecodeState& of) const {
  of.module->CompileFunction(*jit_, function.ordinal, stopped());
  return function.Entry(traced_);
}

bool Machine::CallBySlots(const ResolvedImport& import,
                          const LoweredCallImport& call, absl::Status& status) {
  const std::vector<ValueType>& results = import.signature->result_types();
  Slot* slots = stack_.PushSlots(call.slots + results.size());
  if (slots == nullptr) return StackOverflow();
  Slot* returned = slots + call.slots;
  const uint32_t* place = call.places();
  for (Slot* slot = slots; slot != returned; ++slot, ++place) {
    if ((*place & kPlaceCount) != 0) [[unlikely]] {
      slot->i64 = *place & ~kPlaceCount;
    } else {
      std::memcpy(slot, frame->AddressOf(*place), sizeof(Slot));
    }
  }
  if (import.native.state != nullptr) {
    import.native.state->set_given(GivenSlots(call, place));
  }
  status = import.native.thunk(import.native.state, slots, returned);
  stack_.PopSlots(slots);
  if (!status.ok()) [[unlikely]]
    return true;
  place = binding_internal::GiveUp(frame->AddressOf(0), place);
  for (size_t i = 0; i < results.size(); ++i) {
    uint8_t* const to = frame->AddressOf(place[i]);
    if (results[i] == ValueType::kRef) {
      ReplaceRef(*reinterpret_cast<RefObject**>(to), returned[i].ref);
    } else {
      std::memcpy(to, &returned[i].i64, IsWide(results[i]) ? 8 : 4);
    }
  }
  return true;
}

bool Machine::CallNative(const ResolvedImport& import,
                         const LoweredCallImport& call) {
  if (call.yieldable) meter.suspension.set_yieldable(true);
  absl::Status status;
  bool called = true;
  if (import.native.direct != nullptr) {
    status = import.native.direct(import.native.state, frame->AddressOf(0),
                                  call.places());
  } else {
    called = CallBySlots(import, call, status);
  }
  if (call.yieldable) meter.suspension.set_yieldable(false);
  if (status.ok()) [[likely]]
    return called;
  return NativeFailed(call, std::move(status));
}

bool Machine::NativeFailed(const LoweredCallImport& call, absl::Status status) {
  if (call.yieldable && IsPending(status)) {
    outcome = Outcome::kYielded;
    return false;
  }
  native_ = state->module->def().imports[call.import].full_name;
  RecordOperands(call);
  return Fail(std::move(status));
}

void Machine::RecordOperands(const LoweredCallImport& call) {
  const std::vector<ValueType>& types =
      state->imports[call.import].signature->argument_types();
  if (types.size() != call.slots) return;  // the import is variadic
  FailedOperands& failed = meter.failed;
  failed.count = 0;
  for (uint32_t i = 0; i < call.slots; ++i) {
    if (types[i] != ValueType::kRef) continue;
    if (failed.count == FailedOperands::kMost) return;
    std::memcpy(&failed.refs[failed.count++],
                frame->AddressOf(call.places()[i]), sizeof(RefObject*));
  }
}

bool Machine::EnterImport(const ResolvedImport& import,
                          const LoweredCallImport& call) {
  const FunctionCode& function = *import.callee;
  Frame* callee = Push(&function, import.callee_state);
  if (callee == nullptr) return false;
  const RegisterList args(call.arguments);
  for (uint32_t i = 0; i < function.argument_count; ++i) {
    const ArgumentPlace to = function.arguments[i];
    if (to.type == ValueType::kRef) {
      callee->refs[to.reg] =
          TakeRef({&frame->refs[RefIndex(args[i])], IsMove(args[i])});
    } else {
      std::memcpy(&callee->i32[to.reg], &frame->i32[args[i]],
                  IsWide(to.type) ? 8 : 4);
    }
  }
  callee->pc = EntryOf(function, *import.callee_state);
  frame = callee;
  state = import.callee_state;
  return true;
}

bool Machine::CallImport(const uint8_t* pc) {
  const auto& call = LoweredAt<LoweredCallImport>(pc);
  const ResolvedImport& import = state->imports[call.import];
  frame->pc = pc;  // a suspended call is made again from here
  if (import.native.resolved()) [[likely]] {
    if (!CallNative(import, call)) return false;
    frame->pc = pc + call.call.size;
    return true;
  }
  if (import.callee != nullptr) return EnterImport(import, call);
  return Fail(absl::NotFoundError(absl::StrCat(
      "The optional import ",
      PlainName(state->module->def().imports[call.import].full_name),
      " is called, but no loaded module has it.")));
}

void Machine::TraceEntry() const {
  frame->state->module->TraceFunction(frame->function->ordinal);
}

void Machine::TraceEntries() const {
  std::vector<const Frame*> frames;
  for (const Frame* at = frame; at != nullptr; at = at->caller) {
    frames.push_back(at);
  }
  for (; !frames.empty(); frames.pop_back()) {
    frames.back()->state->module->TraceFunction(
        frames.back()->function->ordinal);
  }
}

void Machine::TraceExits() const {
  for (const Frame* at = frame; at != nullptr; at = at->caller) trace::End();
}

bool Machine::CallImportTraced(const uint8_t* pc) {
  const uint32_t import = LoweredAt<LoweredCallImport>(pc).import;
  if (state->imports[import].callee != nullptr) {
    if (!CallImport(pc)) return false;
    TraceEntry();
    return true;
  }
  state->module->TraceImport(import);
  const bool called = CallImport(pc);
  trace::End();
  return called;
}

bool Machine::Pause(uint32_t offset) {
  if (meter.stepper == nullptr) return true;
  return Check(meter.stepper->BeforeInstruction(*frame, offset));
}

bool Machine::Fail(absl::Status status) {
  error_ = std::move(status);
  outcome = Outcome::kFailed;
  return false;
}

bool Machine::FailWithCode(int32_t code, absl::string_view text) {
  std::string message = MessageLines(text, kMaxMessage);
  if (code >= 1 && code <= kLastStatusCode) {
    if (message.empty()) message = "The module failed without a message";
    return Fail(absl::Status(static_cast<absl::StatusCode>(code), message));
  }
  if (code == kIncompatible) return Fail(absl::UnimplementedError(message));
  return Fail(absl::UnknownError(absl::StrCat(
      message, message.empty() ? "" : " ", "(status code ", code, ")")));
}

bool Machine::NoMemoryForCode() {
  return Fail(CannotAllocate(frame->function->code_size, sizeof(uint64_t),
                             "the code of a function"));
}

bool Machine::Stop() { return Fail(meter.StopReason()); }

bool Machine::StackOverflow() {
  meter.Stop(Meter::Reason::kStack);
  return Fail(absl::ResourceExhaustedError(
      absl::StrCat("The call exceeds the stack (", stack_.size(), " bytes).")));
}

bool Machine::DivisionByZero() {
  return Fail(absl::InvalidArgumentError("An integer is divided by zero."));
}

bool Machine::QuotientOverflows(int64_t dividend, int bits) {
  return Fail(absl::OutOfRangeError(absl::StrCat(
      "The quotient of ", dividend, " and -1 exceeds i", bits, ".")));
}

bool Machine::NotRepresentable(double value, const char* type) {
  return Fail(absl::OutOfRangeError(
      absl::StrCat("The value ", value, " exceeds the range of ", type, ".")));
}

bool Machine::NotA(const RefType& want, const RefObject* got) {
  return Fail(absl::InvalidArgumentError(
      got == nullptr ? absl::StrCat("A ", want.name, " operand is null.")
                     : absl::StrCat("A ", got->type().name,
                                    " operand is not a ", want.name, ".")));
}

bool Machine::WrongType(const ElementType& want, const RefObject* got) {
  return Fail(absl::InvalidArgumentError(absl::StrCat(
      "A ", got->type().name, " is not of type ", want.ToString(), ".")));
}

bool Machine::GlobalOutOfRange(uint32_t offset, uint32_t size, uint32_t limit) {
  return Fail(absl::OutOfRangeError(
      size == 0
          ? absl::StrCat("Global ref ", static_cast<int32_t>(offset),
                         " exceeds the module's global refs (", limit, ").")
          : absl::StrCat("A global of ", size, " bytes at offset ",
                         static_cast<int32_t>(offset),
                         " exceeds the module's globals (", limit,
                         " bytes).")));
}

void Machine::Print(absl::string_view name, RegisterList values, bool trace) {
  const bool listening = print_ != nullptr && *print_;
  std::string line;
  if (listening) {
    absl::StrAppend(&line, trace ? "trace " : "", PlainText(name, kMaxMessage),
                    "(");
  }
  for (uint32_t i = 0; i < values.size(); ++i) {
    const uint16_t reg = values[i];
    const bool shown = listening && line.size() < kMaxMessage;
    if (shown && i != 0) absl::StrAppend(&line, ", ");
    if (!IsRefRegister(reg)) {
      if (shown) absl::StrAppend(&line, frame->i32[reg]);
      continue;
    }
    RefObject*& ref = frame->refs[RefIndex(reg)];
    if (shown) absl::StrAppend(&line, ref ? ref->type().name : "null");
    if (IsMove(reg)) ReplaceRef(ref, nullptr);
  }
  if (!listening) return;
  (*print_)(absl::StrCat(line, line.size() < kMaxMessage ? ")" : "..."));
}

BacktraceFrame Machine::PlaceOf(const Frame& at) {
  const BytecodeModule& module = *at.state->module;
  const uint32_t function = at.function->ordinal;
  return {&module.def(), function, module.BytecodeOffset(function, at.pc)};
}

absl::Status Machine::TakeError() {
  if (meter.stepper != nullptr && frame != nullptr) {
    meter.stepper->Failed(*frame, PlaceOf(*frame).offset, error_, native_);
  }
  absl::Status status =
      WithBacktrace(std::exchange(error_, absl::OkStatus()),
                    std::exchange(native_, {}), BacktraceOf(frame));
  PopAll();
  return status;
}

void Machine::PopAll() {
  while (frame != nullptr) {
    Frame* caller = frame->caller;
    stack_.Pop(frame);
    frame = caller;
  }
}

std::optional<BacktraceFrame> CallerOf(const ModuleState& state) {
  const Meter* const meter = state.meter();
  const Machine* const machine = meter == nullptr ? nullptr : meter->running;
  if (machine == nullptr || machine->frame == nullptr) return std::nullopt;
  return machine->Where();
}

}  // namespace eyrie::vm
