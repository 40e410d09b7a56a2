// Finds the values of registers without running code: constants, and the origin
// of other values.
//
// Values are propagated through a function's blocks and the moves of its
// branches. If two branches to a block have different values of a register, its
// value is unknown.
// Tested by value_flow_test.cc.
#ifndef EYRIE_VM_FLOW_VALUE_FLOW_H_
#define EYRIE_VM_FLOW_VALUE_FLOW_H_

#include <cstdint>
#include <map>
#include <optional>

#include "absl/functional/function_ref.h"
#include "vm/asm/instruction.h"
#include "vm/isa/callconv.h"
#include "vm/isa/opcode.h"
#include "vm/lower/remap.h"
#include "vm/module/verifier.h"

namespace eyrie::vm {

struct KnownValue {
  enum class Kind : uint8_t {
    kInteger,   // its value; 0 for a null reference
    kRodata,    // a constant's ordinal
    kGlobal,    // the ordinal of the global ref it was read from
    kResult,    // the offset of the call that returned it
    kArgument,  // the function's argument, a ref
  };
  Kind kind = Kind::kInteger;
  bool wide = false;  // 64 bits, in two registers
  int64_t number = 0;
  uint32_t index = 0;  // which result of the call

  friend bool operator==(const KnownValue&, const KnownValue&) = default;
};

// Returns the number of a value that is a known integer.
inline std::optional<int64_t> IntegerOf(
    const std::optional<KnownValue>& value) {
  if (!value.has_value() || value->kind != KnownValue::Kind::kInteger) {
    return std::nullopt;
  }
  return value->number;
}

// The known registers of a function at one instruction.
class KnownRegisters {
 public:
  // Returns the value of a register. `reg` is encoded, with or without move
  // bit.
  std::optional<KnownValue> Get(uint16_t reg) const;
  // Makes a register, and the pair that it is part of, unknown.
  void Forget(uint16_t reg);
  void Set(uint16_t reg, const KnownValue& value);
  // Applies the moves of a branch in parallel.
  void Move(const RemapList& moves);
  // Keeps only values that both agree on. Returns true if this removed any.
  bool Meet(const KnownRegisters& other);

  size_t size() const { return values_.size(); }

 private:
  std::map<uint16_t, KnownValue> values_;  // by register, without move bit
};

// Called for each instruction of a function, in order, with the values known
// before it.
using InstructionVisitor =
    absl::FunctionRef<void(uint32_t offset, const Instruction& instruction,
                           const KnownRegisters& registers)>;

// Selects the instructions to visit.
using OpFilter = absl::FunctionRef<bool(Op op)>;
inline bool EveryOp(Op) { return true; }

// Visits a function's code, in which registers have these values at the start.
// Returns false if the function is too large for value flow analysis; all
// registers are unknown then.
bool VisitFunction(const VerifiedModule& module, uint32_t function,
                   InstructionVisitor visit,
                   const KnownRegisters& entry = KnownRegisters(),
                   OpFilter wants = EveryOp);
// Returns the registers of a function whose arguments that are refs are known.
KnownRegisters ArgumentRegisters(const CallingConvention& signature);

}  // namespace eyrie::vm

#endif  // EYRIE_VM_FLOW_VALUE_FLOW_H_
