#include "tools/upgrade/pushed_arguments.h"

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "vm/isa/opcode.h"
#include "vm/isa/operand.h"

namespace eyrie::tools {
namespace {

using vm::KnownRegisters;
using vm::KnownValue;
using vm::Op;

constexpr int64_t kMaxConstants = 64;
constexpr size_t kMaxRegisters = 4096;  // descriptors of a function
constexpr size_t kDescriptorFields =
    5;  // binding, slot, buffer, offset, length
constexpr int64_t kUnknownCommands = -1;

struct PushRow {
  const char* name;
  const char* convention;
  PushFate fate;
};

constexpr PushRow kPushRows[] = {
    {"hal.command_buffer.push_constants", "0rriCiD_v", PushFate::kConstant},
    {"hal.command_buffer.push_descriptor_set", "0rriCiirIID_v", PushFate::kSet},
    {"hal.descriptor_set_layout.create", "0riCiiiD_r", PushFate::kLayout},
    {"hal.pipeline_layout.create", "0riCrD_r", PushFate::kLayout},
    {kDispatchName, "0rriiii_v", PushFate::kDispatch},
    {kIndirectName, "0rrirI_v", PushFate::kIndirect},
};

std::optional<int64_t> Integer(uint16_t reg,
                               const vm::KnownRegisters& registers) {
  return vm::IntegerOf(registers.Get(reg));
}

// Returns a number for the command buffer that a call records to.
int64_t CommandsOf(const ImportCall& call,
                   const vm::KnownRegisters& registers) {
  const auto value = registers.Get(call.arguments[0][0]);
  return value.has_value() && value->kind == vm::KnownValue::Kind::kResult
             ? value->number
             : kUnknownCommands;
}

void MoveWide(uint16_t from, uint16_t to, std::vector<uint16_t>& moves) {
  for (const uint16_t half : {0, 1}) {
    moves.push_back(static_cast<uint16_t>(from + half));
    moves.push_back(static_cast<uint16_t>(to + half));
  }
}

absl::Status Unknown(absl::string_view what) {
  return absl::UnimplementedError(absl::StrCat(what, " is not a constant."));
}

}  // namespace

PushFate PushFateOf(absl::string_view full_name, absl::string_view convention) {
  for (const PushRow& row : kPushRows) {
    if (full_name == row.name && convention == row.convention) return row.fate;
  }
  return PushFate::kOther;
}

absl::Status PushedArguments::Prepare(PushFate fate, const ImportCall& call,
                                      const vm::KnownRegisters& registers,
                                      CodeEditor& editor) {
  const int64_t commands = CommandsOf(call, registers);
  const auto number = Integer(call.arguments[2][0], registers);
  const std::vector<uint16_t>& values = call.arguments[3];
  if (fate == PushFate::kConstant) {
    if (!number.has_value()) return Unknown("the offset of the constants");
    for (size_t i = 0; i < values.size(); ++i) {
      const int64_t at = *number + static_cast<int64_t>(i);
      if (at < 0 || at >= kMaxConstants) {
        return absl::UnimplementedError(absl::StrCat(
            "it pushes constant ", at, "; the limit is ", kMaxConstants, "."));
      }
      const auto [known, is_new] = constants_.try_emplace({commands, at}, 0);
      if (is_new) known->second = editor.NewI32();
    }
    return absl::OkStatus();
  }
  if (!number.has_value()) return Unknown("the number of the set");
  for (size_t i = 0; i < values.size(); i += kDescriptorFields) {
    const auto binding = Integer(values[i], registers);
    if (!binding.has_value()) return Unknown("the number of a binding");
    const auto [known, is_new] =
        descriptors_.try_emplace({commands, *number, *binding}, Descriptor{});
    if (!is_new) continue;
    if (descriptors_.size() > kMaxRegisters) {
      return absl::ResourceExhaustedError(absl::StrCat(
          "a function pushes more than ", kMaxRegisters, " descriptors."));
    }
    known->second = {editor.NewI32(), editor.NewRef(), editor.NewI64(),
                     editor.NewI64()};
    refs_.push_back(known->second.buffer);
  }
  return absl::OkStatus();
}

void PushedArguments::Push(PushFate fate, const ImportCall& call,
                           const vm::KnownRegisters& registers,
                           CodeEditor& editor) {
  const int64_t commands = CommandsOf(call, registers);
  const int64_t number = *Integer(call.arguments[2][0], registers);
  const std::vector<uint16_t>& values = call.arguments[3];
  std::vector<uint16_t> moves;
  if (fate == PushFate::kConstant) {
    for (size_t i = 0; i < values.size(); ++i) {
      moves.push_back(values[i]);
      moves.push_back(constants_.at({commands, number + int64_t(i)}));
    }
  } else {
    for (size_t i = 0; i < values.size(); i += kDescriptorFields) {
      const Descriptor& to =
          descriptors_.at({commands, number, *Integer(values[i], registers)});
      moves.insert(moves.end(),
                   {values[i + 1], to.slot, values[i + 2], to.buffer});
      MoveWide(values[i + 3], to.offset, moves);
      MoveWide(values[i + 4], to.length, moves);
    }
  }
  editor.AddMoves(std::move(moves));
}

absl::StatusOr<ImportCall> PushedArguments::Dispatch(
    PushFate fate, uint32_t function, const PipelineLayouts& layouts,
    const ImportCall& call, const vm::KnownRegisters& registers,
    CodeEditor& editor) {
  const auto* const kernels =
      layouts.Find(function, registers.Get(call.arguments[1][0]));
  const auto ordinal = Integer(call.arguments[2][0], registers);
  if (!ordinal.has_value()) return Unknown("the kernel's ordinal");
  if (kernels == nullptr || *ordinal < 0 ||
      *ordinal >= static_cast<int64_t>(kernels->size())) {
    return absl::UnimplementedError(
        absl::StrCat("the layout of kernel ", *ordinal, " is unknown."));
  }
  const KernelLayout& layout = (*kernels)[static_cast<size_t>(*ordinal)];
  const int64_t commands = CommandsOf(call, registers);
  const uint16_t zero = editor.ScratchI32();
  const uint16_t flags = editor.ScratchI64();
  std::vector<uint16_t> constants;
  for (uint32_t i = 0; i < layout.constants; ++i) {
    const auto known = constants_.find({commands, i});
    // A constant that is never pushed is 0.
    constants.push_back(known == constants_.end() ? zero : known->second);
  }
  std::vector<uint16_t> bindings;
  for (const auto& [set, binding] : layout.bindings) {
    const auto known = descriptors_.find({commands, set, binding});
    if (known == descriptors_.end()) {
      return absl::UnimplementedError(absl::StrCat(
          "binding ", binding, " of set ", set, " is not pushed before it."));
    }
    const Descriptor& from = known->second;
    bindings.insert(bindings.end(),
                    {zero, from.slot, from.buffer, from.offset, from.length});
  }
  editor.Add(Op::kConstI32Zero, {}, {zero});
  editor.Add(Op::kConstI64Zero, {}, {flags});
  ImportCall made = call;
  if (fate == PushFate::kIndirect) {
    made.arguments.insert(made.arguments.begin() + 3, {zero});
  }
  made.arguments.push_back({flags});
  made.arguments.push_back(std::move(constants));
  made.arguments.push_back(std::move(bindings));
  return made;
}

}  // namespace eyrie::tools
