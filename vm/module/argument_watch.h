// Finds out in which registers a function's code expects its arguments.
//
// Compilers 3.1 to 3.4 put a narrow argument into the register that a wide one
// left free below it; later ones do not use that register. A module does not
// tell which compiler wrote it, but its code does: it reads that register
// before writing it only if it holds an argument. (Upstream's runtimes of these
// releases pass mixed arguments incorrectly.)
// Tested by verifier_test.cc.
#ifndef EYRIE_VM_MODULE_ARGUMENT_WATCH_H_
#define EYRIE_VM_MODULE_ARGUMENT_WATCH_H_

#include <cstdint>
#include <span>
#include <vector>

#include "vm/isa/callconv.h"
#include "vm/isa/value.h"

namespace eyrie::vm {

// Watches the registers of one function at a time, in the order of its code.
class ArgumentWatch {
 public:
  // Begins a function. Inactive unless both layouts are possible and differ.
  void Reset(const CallingConvention& signature, uint32_t i32_registers,
             bool may_fill_gaps);

  bool active() const { return active_; }
  // Returns how many registers the arguments need at least.
  RegisterCounts needed() const;

  // Called for each use of a register of the i32 bank, after it was checked.
  void Read(uint16_t reg, ValueType type) { Touch(reg, type, Use::kRead); }
  void Write(uint16_t reg, ValueType type) { Touch(reg, type, Use::kWritten); }
  // Called for the moves of a branch: pairs of source and target, of either
  // bank.
  void Move(std::span<const uint16_t> pairs);
  void WriteAll(std::span<const uint16_t> regs,
                std::span<const ValueType> types);

  // Returns the layout that the code expects.
  ArgumentLayout layout() const;

 private:
  enum class Use : uint8_t { kNone, kRead, kWritten };

  void Touch(uint16_t reg, ValueType type, Use use);

  bool active_ = false;
  const CallingConvention* signature_ = nullptr;
  std::vector<Use> first_use_;  // indexed by register
};

}  // namespace eyrie::vm

#endif  // EYRIE_VM_MODULE_ARGUMENT_WATCH_H_
