// Recipes are texts of this program, so they are parsed without checks;
// shims_test.cc applies each one.
#include "tools/upgrade/shims.h"

#include <cstdlib>
#include <optional>

#include "abi/call/host_imports.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/status_macros.h"
#include "vm/isa/callconv.h"
#include "vm/isa/opcode.h"
#include "vm/isa/release.h"

namespace eyrie::tools {
namespace {

using vm::KnownRegisters;
using vm::KnownValue;
using vm::Op;

struct ShimRow {
  const char* module;
  const char* old_name;
  const char* old_convention;
  const char* new_name;
  const char* new_convention;
  const char* to_new;
  const char* to_old;
};

constexpr ShimRow kShimRows[] = {
#define SHIM(...) {__VA_ARGS__},
#define MODULE_VERSION(...)
#include "tools/upgrade/shims.def"
#undef MODULE_VERSION
};

struct ModuleVersion {
  absl::string_view module;
  int first;
  uint32_t version;
};

constexpr ModuleVersion kModuleVersions[] = {
#define SHIM(...)
#define MODULE_VERSION(module, first, version) \
  {module, vm::ReleaseOf(first), version},
#include "tools/upgrade/shims.def"
};

int64_t NumberOf(absl::string_view text) {
  int64_t number = 0;
  return absl::SimpleAtoi(text, &number) ? number : 0;
}

// Returns the value of a scalar argument if it is a constant.
std::optional<int64_t> Constant(const ImportCall& call, int64_t argument,
                                const vm::KnownRegisters& registers) {
  const auto& list = call.arguments[static_cast<size_t>(argument)];
  return vm::IntegerOf(registers.Get(list[0]));
}

absl::Status Not(int64_t argument, std::optional<int64_t> value,
                 absl::string_view expected) {
  return absl::UnimplementedError(
      absl::StrCat("argument ", argument, " is ",
                   value.has_value() ? absl::StrCat(*value) : "not a constant",
                   "; it must ", expected, "."));
}

// Checks "N=K", "N<=K" or "#N=K".
absl::Status CheckCondition(absl::string_view condition, const ImportCall& call,
                            const vm::KnownRegisters& registers) {
  const size_t equals = condition.find('=');
  const int64_t expected = NumberOf(condition.substr(equals + 1));
  if (condition[0] == '#') {
    const int64_t argument = NumberOf(condition.substr(1, equals - 1));
    const auto count = static_cast<int64_t>(
        call.arguments[static_cast<size_t>(argument)].size());
    if (count == expected) return absl::OkStatus();
    return absl::UnimplementedError(absl::StrCat(
        "argument ", argument, " has ", count, " elements, not ", expected));
  }
  const bool at_most = condition[equals - 1] == '<';
  const int64_t argument =
      NumberOf(condition.substr(0, equals - (at_most ? 1 : 0)));
  const auto value = Constant(call, argument, registers);
  if (value == expected) return absl::OkStatus();
  if (at_most && value.has_value() && *value >= 0 && *value < expected) {
    return absl::OkStatus();
  }
  return Not(argument, value,
             absl::StrCat("be ", at_most ? "at most " : "", expected));
}

// Checks what a word says about its argument.
absl::Status CheckWord(absl::string_view word, const ImportCall& call,
                       const vm::KnownRegisters& registers) {
  const int64_t argument = NumberOf(word.substr(1));
  if (word[0] == '*') {
    const size_t count = call.arguments[static_cast<size_t>(argument)].size();
    if (count == 1) return absl::OkStatus();
    return absl::UnimplementedError(absl::StrCat("argument ", argument, " has ",
                                                 count, " elements, not 1."));
  }
  if (word[0] != 't') return absl::OkStatus();
  const auto value = Constant(call, argument, registers);
  if (value.has_value() && *value >= INT32_MIN && *value <= UINT32_MAX) {
    return absl::OkStatus();
  }
  return Not(argument, value, "have 32 bits");
}

uint16_t AddNumber(vm::ValueType type, int64_t number, CodeEditor& editor) {
  if (type == vm::ValueType::kI64) {
    const uint16_t reg = editor.ScratchI64();
    if (number == 0) {
      editor.Add(Op::kConstI64Zero, {}, {reg});
    } else {
      editor.Add(Op::kConstI64, {static_cast<uint64_t>(number)}, {reg});
    }
    return reg;
  }
  const uint16_t reg = editor.ScratchI32();
  if (number == 0) {
    editor.Add(Op::kConstI32Zero, {}, {reg});
  } else {
    editor.Add(Op::kConstI32, {static_cast<uint32_t>(number)}, {reg});
  }
  return reg;
}

// Returns the argument of another width.
uint16_t AddConversion(Op op, int64_t argument, const ImportCall& call,
                       const vm::KnownRegisters& registers,
                       CodeEditor& editor) {
  const bool widens = op == Op::kExtI32I64U;
  const auto type = widens ? vm::ValueType::kI64 : vm::ValueType::kI32;
  if (const auto value = Constant(call, argument, registers)) {
    return AddNumber(type, widens ? static_cast<uint32_t>(*value) : *value,
                     editor);
  }
  const uint16_t reg = widens ? editor.ScratchI64() : editor.ScratchI32();
  editor.Add(op, {call.arguments[static_cast<size_t>(argument)][0]}, {reg});
  return reg;
}

// Returns the registers of one argument of the new call.
std::vector<uint16_t> AddArgument(absl::string_view word, vm::ValueType type,
                                  const ImportCall& call,
                                  const vm::KnownRegisters& registers,
                                  CodeEditor& editor) {
  const int64_t argument = NumberOf(word.substr(1));
  if (word == "[]") return {};
  if (word == "null") {
    const uint16_t reg = editor.ScratchRef();
    editor.Add(Op::kConstRefZero, {}, {reg});
    return {reg};
  }
  switch (word[0]) {
    case '=':
      return {AddNumber(type, argument, editor)};
    case 'u':
      return {
          AddConversion(Op::kExtI32I64U, argument, call, registers, editor)};
    case 't':
    case 'w':
      return {
          AddConversion(Op::kTruncI64I32, argument, call, registers, editor)};
    case '*':
      return call.arguments[static_cast<size_t>(argument)];
    case '[':
      return call.arguments[static_cast<size_t>(
          NumberOf(word.substr(1, word.size() - 2)))];
    default:
      return call.arguments[static_cast<size_t>(NumberOf(word))];
  }
}

}  // namespace

bool HasImport(int release, absl::string_view full_name,
               absl::string_view convention) {
  const auto range = abi::ReleasesOf(full_name, convention);
  if (range.has_value()) {
    return release >= range->first && release <= range->last;
  }
  return !abi::IsHostModule(full_name.substr(0, full_name.find('.')));
}

std::vector<Shim> ShimsFor(int release, absl::string_view full_name,
                           absl::string_view convention) {
  std::vector<Shim> shims;
  const auto range = abi::ReleasesOf(full_name, convention);
  if (!range.has_value()) return shims;
  const bool up = release > range->last;
  for (const ShimRow& row : kShimRows) {
    const char* const recipe = up ? row.to_new : row.to_old;
    const std::string name =
        absl::StrCat(row.module, ".", up ? row.old_name : row.new_name);
    if (*recipe == '\0' || name != full_name ||
        convention != (up ? row.old_convention : row.new_convention)) {
      continue;
    }
    shims.push_back(
        {absl::StrCat(row.module, ".", up ? row.new_name : row.old_name),
         up ? row.new_convention : row.old_convention, recipe});
  }
  return shims;
}

uint32_t ModuleVersionOf(absl::string_view module, int release) {
  uint32_t version = 0;
  for (const ModuleVersion& row : kModuleVersions) {
    if (row.module == module && row.first <= release) version = row.version;
  }
  return version;
}

absl::StatusOr<ImportCall> ApplyShim(const Shim& shim, const ImportCall& call,
                                     const vm::KnownRegisters& registers,
                                     CodeEditor& editor) {
  const std::vector<absl::string_view> parts = absl::StrSplit(shim.recipe, ';');
  const std::vector<absl::string_view> words =
      absl::StrSplit(parts[0], ' ', absl::SkipEmpty());
  if (parts.size() > 1) {
    for (const absl::string_view condition :
         absl::StrSplit(parts[1], ' ', absl::SkipEmpty())) {
      RETURN_IF_ERROR(CheckCondition(condition, call, registers));
    }
  }
  for (const absl::string_view word : words) {
    RETURN_IF_ERROR(CheckWord(word, call, registers));
  }
  ASSIGN_OR_RETURN(const vm::CallingConvention convention,
                   vm::CallingConvention::Parse(shim.convention));
  ImportCall made;
  made.results = call.results;
  made.next = call.next;
  for (size_t i = 0; i < words.size(); ++i) {
    made.arguments.push_back(AddArgument(
        words[i], convention.arguments()[i].type(), call, registers, editor));
  }
  return made;
}

}  // namespace eyrie::tools
