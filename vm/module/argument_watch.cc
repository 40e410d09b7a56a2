// The first use of each register decides.
#include "vm/module/argument_watch.h"

#include "vm/isa/operand.h"

namespace eyrie::vm {

void ArgumentWatch::Reset(const CallingConvention& signature,
                          uint32_t i32_registers, bool may_fill_gaps) {
  active_ = may_fill_gaps && signature.leaves_gaps();
  if (!active_) return;
  signature_ = &signature;
  first_use_.assign(i32_registers, Use::kNone);
}

RegisterCounts ArgumentWatch::needed() const {
  RegisterCounts counts;
  for (ValueType type : signature_->argument_types()) {
    counts.Add(type, ArgumentLayout::kFillsGaps);
  }
  return counts;
}

void ArgumentWatch::Touch(uint16_t reg, ValueType type, Use use) {
  if (type == ValueType::kRef) return;
  const bool wide = IsWide(type);
  for (uint32_t i = reg; i <= reg + uint32_t{wide}; ++i) {
    if (first_use_[i] == Use::kNone) first_use_[i] = use;
  }
}

void ArgumentWatch::Move(std::span<const uint16_t> pairs) {
  for (size_t i = 0; i < pairs.size(); ++i) {
    if (IsRefRegister(pairs[i])) continue;
    Touch(pairs[i], ValueType::kI32, i % 2 == 0 ? Use::kRead : Use::kWritten);
  }
}

void ArgumentWatch::WriteAll(std::span<const uint16_t> regs,
                             std::span<const ValueType> types) {
  for (size_t i = 0; i < regs.size(); ++i) Write(regs[i], types[i]);
}

ArgumentLayout ArgumentWatch::layout() const {
  if (!active_) return ArgumentLayout::kInOrder;
  if (signature_->argument_registers().i32 > first_use_.size()) {
    return ArgumentLayout::kFillsGaps;
  }
  RegisterCounts counts;
  for (ValueType type : signature_->argument_types()) {
    const uint32_t gap = counts.gap;
    const uint32_t reg = counts.Add(type, ArgumentLayout::kFillsGaps);
    if (type != ValueType::kRef && gap != 0 && reg == gap &&
        first_use_[gap] == Use::kRead) {
      return ArgumentLayout::kFillsGaps;
    }
  }
  return ArgumentLayout::kInOrder;
}

}  // namespace eyrie::vm
