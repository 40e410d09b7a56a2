// Checks registers, moves, calls, returns and branch targets.
#include "vm/module/verifier_flow.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/counted.h"
#include "base/status_macros.h"
#include "vm/isa/operand.h"

namespace eyrie::vm {
namespace {

absl::Status RefOutOfRange(uint16_t reg, const RegisterLimits& limits) {
  return absl::OutOfRangeError(absl::StrCat("Register r", RefIndex(reg),
                                            " exceeds the function's ",
                                            limits.ref, " ref registers."));
}

absl::Status I32OutOfRange(uint16_t reg, const RegisterLimits& limits) {
  return absl::OutOfRangeError(absl::StrCat("Register i", reg,
                                            " exceeds the function's ",
                                            limits.i32, " i32 registers."));
}

absl::Status WrongBank(uint16_t reg, ValueType type) {
  std::string name = IsRefRegister(reg) ? absl::StrCat("r", RefIndex(reg))
                                        : absl::StrCat("i", reg);
  return absl::InvalidArgumentError(
      absl::StrCat("Register ", name, " is used where ",
                   type == ValueType::kRef
                       ? "a ref is expected."
                       : absl::StrCat("an ", NameOf(type), " is expected.")));
}

absl::Status WrongArity(absl::string_view what, size_t got, uint64_t want,
                        const CallingConvention& convention) {
  return absl::InvalidArgumentError(
      absl::StrCat("It has ", Counted(got, what), "; the convention ",
                   convention.ToString(), " has ", want, "."));
}

absl::Status CheckValues(std::span<const ValueType> types,
                         std::span<const uint16_t> registers,
                         const RegisterLimits& limits) {
  for (size_t i = 0; i < types.size(); ++i) {
    if (!FitsRegister(registers[i], types[i], limits)) {
      return CheckRegister(registers[i], types[i], limits);
    }
  }
  return absl::OkStatus();
}

// For each span, the segment's count tells how many tuples of arguments belong
// to it.
absl::Status CheckVariadic(const CallingConvention& callee,
                           const CallOperands& call,
                           const RegisterLimits& limits) {
  const std::vector<CallElement>& wanted = callee.arguments();
  if (!call.has_segments) {
    return absl::InvalidArgumentError(
        absl::StrCat("A call without segments has a variadic callee, ",
                     callee.ToString(), "."));
  }
  if (call.segments.size() != wanted.size()) {
    return WrongArity("segment", call.segments.size(), wanted.size(), callee);
  }
  uint64_t total = 0;
  for (size_t i = 0; i < wanted.size(); ++i) {
    total += wanted[i].variadic
                 ? uint64_t{call.segments[i]} * wanted[i].types.size()
                 : 1;
  }
  if (total != call.arguments.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("It has ", Counted(call.arguments.size(), "argument"),
                     "; its segments and the "
                     "convention ",
                     callee.ToString(), " need ", total, "."));
  }
  std::span<const uint16_t> rest = call.arguments;
  for (size_t i = 0; i < wanted.size(); ++i) {
    uint32_t tuples = wanted[i].variadic ? call.segments[i] : 1;
    for (uint32_t t = 0; t < tuples; ++t) {
      RETURN_IF_ERROR(CheckValues(wanted[i].types, rest, limits));
      rest = rest.subspan(wanted[i].types.size());
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckRegister(uint16_t reg, ValueType type,
                           const RegisterLimits& limits) {
  if (FitsRegister(reg, type, limits)) return absl::OkStatus();
  if (IsRefRegister(reg) != (type == ValueType::kRef)) {
    return WrongBank(reg, type);
  }
  if (type == ValueType::kRef) return RefOutOfRange(reg, limits);
  const bool pair = IsWide(type);
  if (pair && reg % 2 != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("Register i", reg, " cannot begin an ", NameOf(type),
                     ", which needs an even register."));
  }
  return I32OutOfRange(pair ? reg + 1 : reg, limits);
}

absl::Status CheckAnyRegister(uint16_t reg, const RegisterLimits& limits) {
  return CheckRegister(
      reg, IsRefRegister(reg) ? ValueType::kRef : ValueType::kI32, limits);
}

absl::Status CheckRemap(std::span<const uint16_t> pairs,
                        const RegisterLimits& limits) {
  for (size_t i = 0; i + 1 < pairs.size(); i += 2) {
    uint16_t from = pairs[i];
    uint16_t to = pairs[i + 1];
    RETURN_IF_ERROR(CheckAnyRegister(from, limits));
    RETURN_IF_ERROR(CheckAnyRegister(to, limits));
    if (IsRefRegister(from) != IsRefRegister(to)) {
      return WrongBank(to,
                       IsRefRegister(from) ? ValueType::kRef : ValueType::kI32);
    }
    if (IsRefRegister(to) && IsMove(to)) {
      return absl::InvalidArgumentError(
          absl::StrCat("Register r", RefIndex(to),
                       " is written by a branch and carries the move bit."));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckCall(const CallingConvention& callee,
                       const CallOperands& call, const RegisterLimits& limits) {
  if (callee.is_variadic()) {
    RETURN_IF_ERROR(CheckVariadic(callee, call, limits));
  } else {
    const std::vector<ValueType>& wanted = callee.argument_types();
    if (call.arguments.size() != wanted.size()) {
      return WrongArity("argument", call.arguments.size(), wanted.size(),
                        callee);
    }
    if (call.has_segments && call.segments.size() != wanted.size()) {
      return WrongArity("segment", call.segments.size(), wanted.size(), callee);
    }
    RETURN_IF_ERROR(CheckValues(wanted, call.arguments, limits));
  }
  if (call.results.size() != callee.result_types().size()) {
    return WrongArity("result", call.results.size(),
                      callee.result_types().size(), callee);
  }
  return CheckValues(callee.result_types(), call.results, limits);
}

absl::Status CheckReturn(const CallingConvention& own,
                         std::span<const uint16_t> values,
                         const RegisterLimits& limits) {
  if (values.size() != own.result_types().size()) {
    return WrongArity("value", values.size(), own.result_types().size(), own);
  }
  return CheckValues(own.result_types(), values, limits);
}

absl::Status BlockMap::Reset(size_t function_size) {
  marks_.clear();
  function_size_ = function_size;
  targets_.clear();
  block_count_ = 0;
  has_loop_ = false;
  return Resize(marks_, function_size / 64 + 1, "the blocks of a function");
}

absl::Status BlockMap::CheckTargets(uint32_t& from) const {
  for (const Target& branch : targets_) {
    if (branch.target >= function_size_) {
      from = branch.from;
      return absl::OutOfRangeError(
          absl::StrCat("A branch leads to 0x", absl::Hex(branch.target),
                       ", past the function's ", function_size_, " bytes."));
    }
    if (!IsBlock(branch.target)) {
      from = branch.from;
      return absl::InvalidArgumentError(
          absl::StrCat("A branch leads to 0x", absl::Hex(branch.target),
                       ", where no block begins."));
    }
  }
  return absl::OkStatus();
}

}  // namespace eyrie::vm
