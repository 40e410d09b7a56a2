// Short random functions: one block that computes numbers. Each register is
// written before it is read. The JIT inlines most of these functions.
//
// Tested by random_programs_test.cc.
#include <utility>

#include "tests/oracle/generator.h"

namespace eyrie::tests {
namespace {

using vm::OperandKind;
using vm::ValueType;

bool IsNumber(OperandKind kind) {
  return vm::IsRegister(kind) && kind < OperandKind::kRef;
}

bool IsConstant(OperandKind kind) {
  return kind >= OperandKind::kImmI32 && kind <= OperandKind::kImmF64;
}

}  // namespace

// Allocates a register that has a value, by width.
uint16_t FunctionGenerator::NewNumber(bool wide) {
  if (wide) next_number_ += next_number_ % 2;
  const uint16_t reg = next_number_;
  next_number_ += wide ? 2 : 1;
  numbers_[wide].push_back(reg);
  return reg;
}

bool FunctionGenerator::EmitShort(const vm::OpInfo& info) {
  if (!IsAvailable(info) || info.writes.count != 1 || MakesNans(info) ||
      !IsNumber(info.writes[0])) {
    return false;
  }
  Instruction in;
  in.info = &info;
  for (OperandKind kind : info.reads) {
    const auto& known = numbers_[vm::IsWide(kind)];
    if (IsConstant(kind)) {
      in.operands.push_back({kind, Interesting(kind), {}, {}, {}});
    } else if (IsNumber(kind) && !known.empty()) {
      in.operands.push_back({kind, random_.Of(known), {}, {}, {}});
    } else {
      return false;
    }
  }
  const OperandKind kind = info.writes[0];
  const bool wide = vm::IsWide(kind);
  const uint16_t to = numbers_[wide].empty() || random_.OneIn(2)
                          ? NewNumber(wide)
                          : random_.Of(numbers_[wide]);
  in.operands.push_back({kind, to, {}, {}, {}});
  Put(std::move(in));
  return true;
}

Blocks FunctionGenerator::CreateShort() {
  constexpr int kTries = 200;  // most choose other instructions
  blocks_.resize(1);
  const RandomFunction& function = program_.functions[function_];
  for (ValueType type : function.arguments) NewNumber(vm::IsWide(type));
  uint32_t left = random_.Below(8);
  for (int i = 0; i < kTries && left > 0; ++i) {
    if (EmitShort(vm::kOps[random_.Below(vm::kOpCount)])) --left;
  }
  const bool wide = vm::IsWide(function.results[0]);
  if (numbers_[wide].empty()) {
    Emit(
        wide ? vm::Op::kConstI64 : vm::Op::kConstI32,
        {random_.Bits() & (wide ? ~uint64_t{0} : 0xFFFFFFFF), NewNumber(wide)});
  }
  Instruction done;
  done.info = &vm::InfoOf(vm::Op::kReturn);
  Operand& values = done.operands.emplace_back();
  values.kind = OperandKind::kRegList;
  values.list.push_back(random_.Of(numbers_[wide]));
  Put(std::move(done));
  return std::move(blocks_);
}

}  // namespace eyrie::tests
