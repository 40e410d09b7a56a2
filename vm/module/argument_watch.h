// Finds where a function's code expects its arguments.
//
// Compilers from 3.1 to 3.4 put a narrow argument into the register that a
// wide one left free below it; later ones leave that register alone. A module
// does not say which compiler made it, but the code does: it reads such a
// register before it writes it only if an argument is there. (Upstream's
// runtimes of those releases hand mixed arguments over wrongly themselves.)
// Tested by verifier_test.cc.
#ifndef EYRIE_VM_MODULE_ARGUMENT_WATCH_H_
#define EYRIE_VM_MODULE_ARGUMENT_WATCH_H_

#include <cstdint>
#include <span>
#include <vector>

#include "vm/isa/callconv.h"
#include "vm/isa/value.h"

namespace eyrie::vm {

// Watches the registers of one function after another, in code order.
class ArgumentWatch {
 public:
  // Begins a function. Inactive unless both layouts may occur and differ.
  void Reset(const CallingConvention& signature, uint32_t i32_registers,
             bool may_fill_gaps);

  bool active() const { return active_; }
  // Registers that the arguments need at least.
  RegisterCounts needed() const;

  // A checked register of the i32 bank is used.
  void Read(uint16_t reg, ValueType type) { Touch(reg, type, Use::kRead); }
  void Write(uint16_t reg, ValueType type) { Touch(reg, type, Use::kWritten); }
  // A branch moves values; pairs of from and to, in either bank.
  void Move(std::span<const uint16_t> pairs);
  void WriteAll(std::span<const uint16_t> regs,
                std::span<const ValueType> types);

  // The layout that fits what was seen.
  ArgumentLayout layout() const;

 private:
  enum class Use : uint8_t { kNone, kRead, kWritten };

  void Touch(uint16_t reg, ValueType type, Use use);

  bool active_ = false;
  const CallingConvention* signature_ = nullptr;
  std::vector<Use> first_use_;  // by register
};

}  // namespace eyrie::vm

#endif  // EYRIE_VM_MODULE_ARGUMENT_WATCH_H_
