// Calls to native functions, errors and backtraces. Tested by
// interpreter_test.cc, native_module_test.cc.
#include "vm/machine.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "vm/native_binding.h"

namespace eyrie::vm {
namespace {

constexpr int kMaxBacktraceFrames = 16;
constexpr int32_t kLastStatusCode = 16;
// What modules say when no device is what they were compiled for.
constexpr int32_t kIncompatible = 18;

}  // namespace

absl::Status Machine::EnterFromHost(const FunctionCode& function,
                                    BytecodeState& function_state,
                                    const Slot* args, Slot* results) {
  Frame* entered = stack_.Push(&function, &function_state, nullptr);
  if (entered == nullptr) {
    StackOverflow();
    return std::exchange(error_, absl::OkStatus());
  }
  entered->pc = entered->at = function.code;
  entered->result_list = nullptr;
  for (uint32_t i = 0; i < function.argument_count; ++i) {
    const ArgumentPlace to = function.arguments[i];
    if (to.type == ValueType::kRef) {
      if (args[i].ref != nullptr) args[i].ref->AddRef();
      entered->refs[to.reg] = args[i].ref;
    } else if (to.type == ValueType::kI64 || to.type == ValueType::kF64) {
      std::memcpy(&entered->i32[to.reg], &args[i].i64, 8);
    } else {
      entered->i32[to.reg] = args[i].i32;
    }
  }
  frame = entered;
  state = &function_state;
  host_results_ = results;
  return absl::OkStatus();
}

inline void Machine::FillSlots(const ResolvedImport& import,
                               RegisterList segments, RegisterList args,
                               Slot* slots) const {
  uint32_t next = 0;
  auto copy = [&](uint32_t count) {
    for (; count > 0; --count, ++next, ++slots) {
      const uint16_t from = args[next];
      if (IsRefRegister(from)) {
        slots->ref = frame->refs[RefIndex(from)];
      } else {
        // Of an i32 also what lies behind it, which nobody reads.
        std::memcpy(&slots->i64, &frame->i32[from], 8);
      }
    }
  };
  if (!import.signature->is_variadic()) return copy(args.size());
  const std::vector<CallElement>& elements = import.signature->arguments();
  for (uint32_t i = 0; i < elements.size(); ++i) {
    if (!elements[i].variadic) {
      copy(1);
      continue;
    }
    const uint32_t tuples = segments[i];
    (slots++)->i64 = tuples;
    copy(tuples * static_cast<uint32_t>(elements[i].types.size()));
  }
}

inline bool Machine::CallNative(const ResolvedImport& import,
                                RegisterList segments, RegisterList args,
                                RegisterList results, bool yieldable) {
  size_t count = args.size();
  if (import.signature->is_variadic()) {
    count += import.signature->arguments().size();
  }
  Slot* slots = stack_.PushSlots(count + import.result_count);
  if (slots == nullptr) return StackOverflow();
  Slot* returned = slots + count;
  FillSlots(import, segments, args, slots);
  absl::Status status = import.thunk(import.native_state, slots, returned);
  stack_.PopSlots(slots);
  if (!status.ok()) [[unlikely]] {
    if (yieldable && IsPending(status)) {
      outcome = Outcome::kYielded;
      return false;
    }
    return Fail(std::move(status));
  }
  for (uint32_t i = 0; i < args.size(); ++i) {
    const uint16_t reg = args[i];
    if (IsRefRegister(reg) && IsMove(reg)) {
      ReplaceRef(frame->refs[RefIndex(reg)], nullptr);
    }
  }
  for (uint32_t i = 0; i < import.result_count; ++i) {
    const uint16_t to = results[i];
    switch (import.results[i]) {
      case ValueType::kRef:
        ReplaceRef(frame->refs[RefIndex(to)], returned[i].ref);
        break;
      case ValueType::kI64:
      case ValueType::kF64:
        std::memcpy(&frame->i32[to], &returned[i].i64, 8);
        break;
      default:
        frame->i32[to] = returned[i].i32;
    }
  }
  return true;
}

bool Machine::CallImport(const uint8_t* at, uint32_t ordinal,
                         RegisterList segments, RegisterList args,
                         RegisterList results, const uint8_t* return_pc,
                         bool yieldable) {
  const ResolvedImport& import = state->imports[ordinal];
  frame->at = at;
  if (import.thunk != nullptr) [[likely]] {
    frame->pc = return_pc;
    if (CallNative(import, segments, args, results, yieldable)) return true;
    frame->pc = at;  // a suspended call is made again
    return false;
  }
  if (import.callee != nullptr) {
    Cursor c = Load();
    c.at = at;
    if (!Enter(c, import.callee, import.callee_state, args, results,
               return_pc)) {
      return false;
    }
    frame->pc = c.pc;
    return true;
  }
  return Fail(absl::NotFoundError(absl::StrCat(
      "The optional import ", state->module->def().imports[ordinal].full_name,
      " is called, but no loaded module has it.")));
}

bool Machine::Fail(absl::Status status) {
  error_ = std::move(status);
  outcome = Outcome::kFailed;
  return false;
}

bool Machine::FailWithCode(int32_t code, absl::string_view message) {
  if (code >= 1 && code <= kLastStatusCode) {
    if (message.empty()) message = "The module fails without a message";
    return Fail(absl::Status(static_cast<absl::StatusCode>(code), message));
  }
  if (code == kIncompatible) return Fail(absl::UnimplementedError(message));
  return Fail(absl::UnknownError(absl::StrCat(
      message, message.empty() ? "" : " ", "(status code ", code, ")")));
}

bool Machine::StackOverflow() {
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
          ? absl::StrCat("Global ref ", offset,
                         " exceeds the module's global refs (", limit, ").")
          : absl::StrCat("A global of ", size, " bytes at offset ", offset,
                         " exceeds the module's globals (", limit,
                         " bytes).")));
}

void Machine::Print(absl::string_view name, RegisterList values, bool trace) {
  const bool listening = print_ != nullptr && *print_;
  std::string line;
  if (listening) absl::StrAppend(&line, trace ? "trace " : "", name, "(");
  for (uint32_t i = 0; i < values.size(); ++i) {
    const uint16_t reg = values[i];
    if (listening && i != 0) absl::StrAppend(&line, ", ");
    if (!IsRefRegister(reg)) {
      if (listening) absl::StrAppend(&line, frame->i32[reg]);
      continue;
    }
    RefObject*& ref = frame->refs[RefIndex(reg)];
    if (listening) absl::StrAppend(&line, ref ? ref->type().name : "null");
    if (IsMove(reg)) ReplaceRef(ref, nullptr);
  }
  if (listening) (*print_)(absl::StrCat(line, ")"));
}

std::string Machine::Backtrace() const {
  std::string text;
  int depth = 0;
  for (const Frame* at = frame; at != nullptr; at = at->caller, ++depth) {
    if (depth == kMaxBacktraceFrames) {
      absl::StrAppend(&text, "; …");
      break;
    }
    const ModuleDef& def = at->state->module->def();
    const uint32_t function = at->function->ordinal;
    const auto offset = static_cast<uint32_t>(at->at - at->function->code);
    absl::StrAppend(&text, depth == 0 ? "; at " : "; from ", def.name, ".",
                    def.FunctionName(function), "+0x", absl::Hex(offset));
    std::string places;
    for (const SourceLocation& place : def.FindLocations(function, offset)) {
      absl::StrAppend(&places, places.empty() ? "" : ", ", place.ToString());
    }
    if (!places.empty()) absl::StrAppend(&text, " (", places, ")");
  }
  return text;
}

absl::Status Machine::TakeError() {
  absl::Status status(
      error_.code(),
      absl::StrCat(absl::StripSuffix(error_.message(), "."), Backtrace()));
  error_ = absl::OkStatus();
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

}  // namespace eyrie::vm
