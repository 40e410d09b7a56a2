#include "tools/debug/value_lines.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"
#include "base/plain_text.h"
#include "base/status_macros.h"
#include "tools/debug/object_text.h"
#include "vm/asm/instruction.h"
#include "vm/isa/operand.h"
#include "vm/run/bytecode_module.h"

namespace eyrie::tools {
namespace {

using vm::OperandKind;

constexpr uint32_t kMaxGlobals = 64;

// The types that instructions use for the bytes of globals.
using GlobalKinds = std::map<uint32_t, OperandKind>;

GlobalKinds KindsOfGlobals(const vm::BytecodeModule& module) {
  GlobalKinds kinds;
  for (uint32_t i = 0; i < module.def().functions.size(); ++i) {
    const vm::FunctionCode& function = module.function(i);
    for (uint32_t pc = 0; pc < function.code_size;) {
      const vm::Instruction instruction =
          vm::Decode({function.code, function.code_size}, pc);
      if (instruction.op->reads.count == 0) continue;
      const OperandKind kind = instruction.op->reads[0];
      if (kind == OperandKind::kGlobalI32 || kind == OperandKind::kGlobalI64 ||
          kind == OperandKind::kGlobalF32 || kind == OperandKind::kGlobalF64) {
        kinds.emplace(static_cast<uint32_t>(instruction.reads[0].number), kind);
      }
    }
  }
  return kinds;
}

RegisterKind KindOfGlobal(OperandKind kind) {
  switch (kind) {
    case OperandKind::kGlobalI64:
      return RegisterKind::kI64;
    case OperandKind::kGlobalF32:
      return RegisterKind::kF32;
    case OperandKind::kGlobalF64:
      return RegisterKind::kF64;
    default:
      return RegisterKind::kI32;
  }
}

template <typename T>
absl::Status Store(T value, void* at) {
  std::memcpy(at, &value, sizeof(value));
  return absl::OkStatus();
}

// Writes a number of this type, or its bits as "0x...". INVALID_ARGUMENT: the
// text is neither.
absl::Status StoreNumber(absl::string_view text, RegisterKind kind, void* at) {
  int32_t i32 = 0;
  int64_t i64 = 0;
  float f32 = 0;
  double f64 = 0;
  const char* name = "an i32";
  if (const auto bits = ParseHexBits(text, SizeOf(kind))) {
    std::memcpy(at, &*bits, SizeOf(kind));  // little-endian: the low bytes
    return absl::OkStatus();
  }
  switch (kind) {
    case RegisterKind::kI64:
      if (absl::SimpleAtoi(text, &i64)) return Store(i64, at);
      name = "an i64";
      break;
    case RegisterKind::kF32:
      if (absl::SimpleAtof(text, &f32)) return Store(f32, at);
      name = "an f32";
      break;
    case RegisterKind::kF64:
      if (absl::SimpleAtod(text, &f64)) return Store(f64, at);
      name = "an f64";
      break;
    default:
      if (absl::SimpleAtoi(text, &i32)) return Store(i32, at);
      break;
  }
  return absl::InvalidArgumentError(
      absl::StrCat("'", PlainName(text), "' is not ", name, "."));
}

// Returns "%i4:5 = i64 7" with a line break, or "" for the upper half of a
// pair. A register of kind kUnwritten is shown as an i32.
std::string NumberLine(const vm::Frame& frame, uint16_t index,
                       RegisterKind kind) {
  const int32_t* const at = frame.i32 + index;
  switch (kind) {
    case RegisterKind::kUpper:
      return "";
    case RegisterKind::kI64:
      return absl::StrCat("%i", index, ":", index + 1, " = i64 ",
                          Load<int64_t>(at), "\n");
    case RegisterKind::kF64:
      return absl::StrFormat("%%i%d:%d = f64 %.17g\n", index, index + 1,
                             Load<double>(at));
    case RegisterKind::kF32:
      return absl::StrFormat("%%i%d = f32 %.9g\n", index, Load<float>(at));
    case RegisterKind::kI32:
    case RegisterKind::kUnwritten:
      return absl::StrCat("%i", index, " = i32 ", *at, "\n");
  }
  return "";
}

std::string NumberLineAs(const vm::Frame& frame, const RegisterName& name,
                         RegisterKind usual, absl::string_view type,
                         uint32_t count) {
  const bool is_hex = type == "hex";
  const auto kind =
      KindNamed(name, is_hex ? "" : type, is_hex ? RegisterKind::kI32 : usual);
  if (!kind.ok()) return absl::StrCat(kind.status().message(), "\n");
  const bool is_wide = SizeOf(*kind) == sizeof(int64_t);
  const uint16_t index = name.index;
  if (is_wide && index + 1u >= count) {
    return absl::StrCat("%i", index, " is the last register; an ",
                        *kind == RegisterKind::kI64 ? "i64" : "f64",
                        " takes two.\n");
  }
  if (!is_hex) return NumberLine(frame, index, *kind);
  if (is_wide) {
    return absl::StrFormat("%%i%d:%d = 0x%016x\n", index, index + 1,
                           Load<uint64_t>(frame.i32 + index));
  }
  return absl::StrFormat("%%i%d = 0x%08x\n", index,
                         static_cast<uint32_t>(frame.i32[index]));
}

std::string RefLine(const vm::Frame& frame, uint16_t index) {
  return absl::StrCat("%r", index, " = ", ObjectText(frame.refs[index]), "\n");
}

std::string RefLineAs(const vm::Frame& frame, uint16_t index,
                      absl::string_view type) {
  if (type.empty()) return RefLine(frame, index);
  const auto text = ObjectTextAs(frame.refs[index], type);
  if (!text.ok()) return absl::StrCat(text.status().message(), "\n");
  return absl::StrCat("%r", index, " = ", *text, "\n");
}

// Returns the type that instructions use for the global at an offset, or i32.
RegisterKind GlobalKind(const vm::BytecodeModule& module, uint32_t offset) {
  const GlobalKinds kinds = KindsOfGlobals(module);
  const auto found = kinds.find(offset);
  return found == kinds.end() ? RegisterKind::kI32
                              : KindOfGlobal(found->second);
}

// Returns ".rwdata[8] = i64 7" or ".refs[0] = ...", with a line break. The
// global must exist.
std::string GlobalLine(const vm::BytecodeState& state, const GlobalName& name,
                       RegisterKind kind) {
  if (name.is_ref) {
    return absl::StrCat(".refs[", name.place,
                        "] = ", ObjectText(state.global_refs[name.place]),
                        "\n");
  }
  const std::string place = absl::StrCat(".rwdata[", name.place, "] = ");
  const uint8_t* const at = state.globals + name.place;
  switch (kind) {
    case RegisterKind::kI64:
      return absl::StrCat(place, "i64 ", Load<int64_t>(at), "\n");
    case RegisterKind::kF32:
      return absl::StrFormat("%sf32 %.9g\n", place, Load<float>(at));
    case RegisterKind::kF64:
      return absl::StrFormat("%sf64 %.17g\n", place, Load<double>(at));
    default:
      return absl::StrCat(place, "i32 ", Load<int32_t>(at), "\n");
  }
}

// Returns the number of a function's references, or of its other registers.
uint32_t RegisterCount(const vm::Frame& frame, bool is_ref) {
  const vm::FunctionCode& function = *frame.function;
  if (is_ref) return function.ref_count;
  return frame.state->module->def()
      .functions[function.ordinal]
      .i32_register_count;
}

// Returns the type of the register's last value, or i32.
RegisterKind KindOf(const vm::Frame& frame, uint16_t index,
                    const FrameTracker& tracker) {
  const std::vector<RegisterKind> kinds = tracker.KindsOf(frame);
  return index < kinds.size() ? kinds[index] : RegisterKind::kI32;
}

absl::Status SetNull(RefObject*& reference, absl::string_view value) {
  if (value != "null") {
    return absl::InvalidArgumentError(
        absl::StrCat("'", PlainName(value),
                     "' cannot be set: a reference can only be set "
                     "to null."));
  }
  Ref<RefObject>::Adopt(std::exchange(reference, nullptr)).reset();
  return absl::OkStatus();
}

}  // namespace

std::optional<RegisterName> ParseRegister(absl::string_view text) {
  absl::ConsumePrefix(&text, "%");
  if (text.empty()) return std::nullopt;
  const bool is_ref = text[0] == 'r' || text[0] == 'R';
  if (!is_ref && text[0] != 'i') return std::nullopt;
  text.remove_prefix(1);
  const size_t colon = text.find(':');
  const bool is_pair = colon != text.npos;
  uint32_t index = 0;
  uint32_t upper = 0;
  if (!absl::SimpleAtoi(text.substr(0, colon), &index) || index > UINT16_MAX) {
    return std::nullopt;
  }
  if (is_pair && (is_ref || !absl::SimpleAtoi(text.substr(colon + 1), &upper) ||
                  upper != index + 1)) {
    return std::nullopt;
  }
  return RegisterName{is_ref, static_cast<uint16_t>(index), is_pair};
}

std::optional<GlobalName> ParseGlobal(absl::string_view text) {
  const bool is_ref = absl::ConsumePrefix(&text, ".refs[");
  uint32_t place = 0;
  if ((!is_ref && !absl::ConsumePrefix(&text, ".rwdata[")) ||
      !absl::ConsumeSuffix(&text, "]") || !absl::SimpleAtoi(text, &place)) {
    return std::nullopt;
  }
  return GlobalName{is_ref, place};
}

size_t SizeOf(RegisterKind kind) {
  const bool is_wide = kind == RegisterKind::kI64 || kind == RegisterKind::kF64;
  return is_wide ? sizeof(int64_t) : sizeof(int32_t);
}

std::optional<uint64_t> ParseHexBits(absl::string_view text, size_t bytes) {
  uint64_t bits = 0;
  if (!absl::ConsumePrefix(&text, "0x") && !absl::ConsumePrefix(&text, "0X")) {
    return std::nullopt;
  }
  const bool is_number = !text.empty() && absl::ascii_isxdigit(text[0]) &&
                         absl::SimpleHexAtoi(text, &bits);
  if (!is_number || (bytes < sizeof(bits) && bits >> (8 * bytes) != 0)) {
    return std::nullopt;
  }
  return bits;
}

std::optional<RegisterKind> ParseRegisterKind(absl::string_view text) {
  constexpr std::pair<absl::string_view, RegisterKind> kTypes[] = {
      {"i32", RegisterKind::kI32},
      {"i64", RegisterKind::kI64},
      {"f32", RegisterKind::kF32},
      {"f64", RegisterKind::kF64},
  };
  for (const auto& [name, kind] : kTypes) {
    if (text == name) return kind;
  }
  return std::nullopt;
}

absl::StatusOr<RegisterKind> KindNamed(const RegisterName& name,
                                       absl::string_view type,
                                       RegisterKind usual) {
  if (!type.empty()) {
    const std::optional<RegisterKind> kind = ParseRegisterKind(type);
    if (!kind.has_value()) {
      return absl::InvalidArgumentError(
          absl::StrCat("'", PlainName(type),
                       "' is not a type; expected i32, i64, f32 or f64, or "
                       "hex for 'print'."));
    }
    if (name.is_pair && SizeOf(*kind) != sizeof(int64_t)) {
      return absl::InvalidArgumentError(
          absl::StrCat("%i", name.index, ":", name.index + 1,
                       " is a pair; expected i64 or f64, not ", type, "."));
    }
    return *kind;
  }
  if (name.is_pair && SizeOf(usual) != sizeof(int64_t)) {
    return RegisterKind::kI64;
  }
  const bool is_known =
      usual != RegisterKind::kUnwritten && usual != RegisterKind::kUpper;
  return is_known ? usual : RegisterKind::kI32;
}

std::string NoRegister(const RegisterName& name, uint32_t count) {
  const char* const bank = name.is_ref ? "%r" : "%i";
  const std::string text =
      absl::StrCat(bank, name.index, " does not exist here: ");
  if (count == 0) {
    return absl::StrCat(text, "the function has no ", bank, " registers.\n");
  }
  return absl::StrCat(text, "the function has ", bank, "0 to ", bank, count - 1,
                      ".\n");
}

std::string RegisterLines(const vm::Frame& frame, const FrameTracker& tracker) {
  std::string text;
  const std::vector<RegisterKind> kinds = tracker.KindsOf(frame);
  for (size_t i = 0; i < kinds.size(); ++i) {
    if (kinds[i] == RegisterKind::kUnwritten) continue;
    text += NumberLine(frame, static_cast<uint16_t>(i), kinds[i]);
  }
  for (uint32_t i = 0; i < frame.function->ref_count; ++i) {
    if (frame.refs[i] != nullptr) {
      text += RefLine(frame, static_cast<uint16_t>(i));
    }
  }
  return text.empty() ? "No register was written.\n" : text;
}

std::string RegisterLine(const vm::Frame& frame, const RegisterName& name,
                         absl::string_view type, const FrameTracker& tracker) {
  const uint32_t count = RegisterCount(frame, name.is_ref);
  if (name.index >= count) return NoRegister(name, count);
  if (name.is_ref) return RefLineAs(frame, name.index, type);
  return NumberLineAs(frame, name, KindOf(frame, name.index, tracker), type,
                      count);
}

std::string GlobalLines(const vm::BytecodeState& state) {
  std::string text;
  const uint32_t refs = std::min(state.global_ref_count, kMaxGlobals);
  for (uint32_t i = 0; i < refs; ++i) {
    text += GlobalLine(state, {true, i}, RegisterKind::kI32);
  }
  const GlobalKinds kinds = KindsOfGlobals(*state.module);
  uint32_t lines = 0;
  uint32_t at = 0;
  while (at + sizeof(int32_t) <= state.global_bytes && lines < kMaxGlobals) {
    const auto next = kinds.lower_bound(at);
    if (next != kinds.end() && next->first > at && next->first - at < 4) {
      at = next->first;
      continue;
    }
    const RegisterKind kind = next != kinds.end() && next->first == at
                                  ? KindOfGlobal(next->second)
                                  : RegisterKind::kI32;
    if (state.global_bytes - at < SizeOf(kind)) break;
    text += GlobalLine(state, {false, at}, kind);
    at += SizeOf(kind);
    ++lines;
  }
  if (refs < state.global_ref_count || lines == kMaxGlobals) {
    absl::StrAppend(&text, "... of ", state.global_ref_count,
                    " references and ", state.global_bytes, " bytes\n");
  }
  return text.empty() ? "The module has no globals.\n" : text;
}

absl::StatusOr<std::string> SetRegister(const vm::Frame& frame,
                                        const RegisterName& name,
                                        absl::string_view type,
                                        absl::string_view value,
                                        FrameTracker& tracker) {
  const uint32_t count = RegisterCount(frame, name.is_ref);
  if (name.index >= count) return NoRegister(name, count);
  if (name.is_ref) {
    RETURN_IF_ERROR(SetNull(frame.refs[name.index], value));
    return RefLine(frame, name.index);
  }
  ASSIGN_OR_RETURN(const RegisterKind kind,
                   KindNamed(name, type, KindOf(frame, name.index, tracker)));
  if (name.index + SizeOf(kind) / sizeof(int32_t) > count) {
    return NumberLineAs(frame, name, kind, type, count);  // the error
  }
  RETURN_IF_ERROR(StoreNumber(value, kind, frame.i32 + name.index));
  tracker.SetKind(frame, name.index, kind);
  return NumberLine(frame, name.index, kind);
}

absl::StatusOr<std::string> SetGlobal(const vm::BytecodeState& state,
                                      const GlobalName& name,
                                      absl::string_view type,
                                      absl::string_view value) {
  if (name.is_ref) {
    if (name.place >= state.global_ref_count) {
      return absl::OutOfRangeError(absl::StrCat(
          ".refs[", name.place, "] does not exist: the module has ",
          state.global_ref_count, " references."));
    }
    RETURN_IF_ERROR(SetNull(state.global_refs[name.place], value));
    return GlobalLine(state, name, RegisterKind::kI32);
  }
  ASSIGN_OR_RETURN(const RegisterKind kind,
                   KindNamed({}, type, GlobalKind(*state.module, name.place)));
  if (uint64_t{name.place} + SizeOf(kind) > state.global_bytes) {
    return absl::OutOfRangeError(absl::StrCat(
        ".rwdata[", name.place, "] does not exist with ", SizeOf(kind),
        " bytes: the module has ", state.global_bytes, "."));
  }
  RETURN_IF_ERROR(StoreNumber(value, kind, state.globals + name.place));
  return GlobalLine(state, name, kind);
}

absl::StatusOr<RefObject*> FindReference(const vm::Frame& frame,
                                         absl::string_view name) {
  const auto global = ParseGlobal(name);
  if (global.has_value() && global->is_ref &&
      global->place < frame.state->global_ref_count) {
    return frame.state->global_refs[global->place];
  }
  const auto reg = ParseRegister(name);
  if (reg.has_value() && reg->is_ref &&
      reg->index < frame.function->ref_count) {
    return frame.refs[reg->index];
  }
  return absl::InvalidArgumentError(
      absl::StrCat("'", PlainName(name),
                   "' is not a reference here; 'registers' and 'globals' show "
                   "them."));
}

}  // namespace eyrie::tools
