#include "tools/debug/value_lines.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"
#include "base/plain_text.h"
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

std::string GlobalText(const uint8_t* at, OperandKind kind) {
  switch (kind) {
    case OperandKind::kGlobalI64:
      return absl::StrCat("i64 ", Load<int64_t>(at));
    case OperandKind::kGlobalF32:
      return absl::StrFormat("f32 %.9g", Load<float>(at));
    case OperandKind::kGlobalF64:
      return absl::StrFormat("f64 %.17g", Load<double>(at));
    default:
      return absl::StrCat("i32 ", Load<int32_t>(at));
  }
}

}  // namespace

std::optional<RegisterName> ParseRegister(absl::string_view text) {
  absl::ConsumePrefix(&text, "%");
  if (text.empty()) return std::nullopt;
  const bool is_ref = text[0] == 'r' || text[0] == 'R';
  if (!is_ref && text[0] != 'i') return std::nullopt;
  text.remove_prefix(1);
  text = text.substr(0, text.find(':'));
  uint32_t index = 0;
  if (!absl::SimpleAtoi(text, &index) || index > UINT16_MAX) {
    return std::nullopt;
  }
  return RegisterName{is_ref, static_cast<uint16_t>(index)};
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

std::string NumberLineAs(const vm::Frame& frame, uint16_t index,
                         RegisterKind kind, absl::string_view type,
                         uint32_t count) {
  if (type == "hex") {
    return absl::StrFormat("%%i%d = 0x%08x\n", index,
                           static_cast<uint32_t>(frame.i32[index]));
  }
  if (kind == RegisterKind::kUpper) kind = RegisterKind::kI32;
  if (!type.empty()) {
    const std::optional<RegisterKind> named = ParseRegisterKind(type);
    if (!named.has_value()) {
      return absl::StrCat(
          "'", PlainName(type),
          "' is not a type; expected i32, i64, f32, f64 or hex.\n");
    }
    kind = *named;
  }
  const bool is_wide = kind == RegisterKind::kI64 || kind == RegisterKind::kF64;
  if (is_wide && index + 1u >= count) {
    return absl::StrCat("%i", index, " is the last register; an ", type,
                        " takes two.\n");
  }
  return NumberLine(frame, index, kind);
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

std::string GlobalLines(const vm::BytecodeState& state) {
  std::string text;
  const uint32_t refs = std::min(state.global_ref_count, kMaxGlobals);
  for (uint32_t i = 0; i < refs; ++i) {
    absl::StrAppend(&text, ".refs[", i,
                    "] = ", ObjectText(state.global_refs[i]), "\n");
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
    const OperandKind kind = next != kinds.end() && next->first == at
                                 ? next->second
                                 : OperandKind::kGlobalI32;
    const bool is_wide =
        kind == OperandKind::kGlobalI64 || kind == OperandKind::kGlobalF64;
    if (is_wide && state.global_bytes - at < sizeof(int64_t)) break;
    absl::StrAppend(&text, ".rwdata[", at,
                    "] = ", GlobalText(state.globals + at, kind), "\n");
    at += is_wide ? 8 : 4;
    ++lines;
  }
  if (refs < state.global_ref_count || lines == kMaxGlobals) {
    absl::StrAppend(&text, "... of ", state.global_ref_count,
                    " references and ", state.global_bytes, " bytes\n");
  }
  return text.empty() ? "The module has no globals.\n" : text;
}

}  // namespace eyrie::tools
