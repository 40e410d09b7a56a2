// Finds the values of registers without running code: constants, and the origin
// of other values.
//
// Values are propagated through a function's blocks and the moves of its
// branches. If two branches to a block have different values of a register, its
// value is unknown.
// Tested by value_flow_test.cc.
#ifndef EYRIE_ABI_NEEDS_VALUE_FLOW_H_
#define EYRIE_ABI_NEEDS_VALUE_FLOW_H_

#include <cstdint>
#include <map>
#include <optional>

#include "absl/functional/function_ref.h"
#include "vm/asm/instruction.h"
#include "vm/module/verifier.h"

namespace eyrie::abi {

struct KnownValue {
  enum class Kind : uint8_t {
    kInteger,  // its value; 0 for a null reference
    kRodata,   // a constant's ordinal
    kGlobal,   // the ordinal of the global ref it was read from
    kResult,   // the offset of the call whose first result it is
  };
  Kind kind = Kind::kInteger;
  bool wide = false;  // 64 bits, in two registers
  int64_t number = 0;

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
  // Applies the moves of a branch in parallel: pairs of source and target.
  void Move(const std::vector<uint16_t>& pairs);
  // Keeps only values that both agree on. Returns true if this removed any.
  bool Meet(const KnownRegisters& other);

  size_t size() const { return values_.size(); }

 private:
  std::map<uint16_t, KnownValue> values_;  // by register, without move bit
};

// Called for each instruction of a function, in order, with the values known
// before it.
using InstructionVisitor =
    absl::FunctionRef<void(uint32_t offset, const vm::Instruction& instruction,
                           const KnownRegisters& registers)>;

// Visits a function's code. Returns false if the function is too large for
// value flow analysis; all registers are unknown then.
bool VisitFunction(const vm::VerifiedModule& module, uint32_t function,
                   InstructionVisitor visit);

}  // namespace eyrie::abi

#endif  // EYRIE_ABI_NEEDS_VALUE_FLOW_H_
