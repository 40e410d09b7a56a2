// What is known of registers without running code: constants, and where other
// values come from.
//
// Values are followed through a function's blocks and the moves of its
// branches; where two ways into a block bring different ones, nothing is known.
// Tested by value_flow_test.cc.
#ifndef EYRIE_TOOLS_INSPECT_VALUE_FLOW_H_
#define EYRIE_TOOLS_INSPECT_VALUE_FLOW_H_

#include <cstdint>
#include <map>
#include <optional>

#include "absl/functional/function_ref.h"
#include "vm/asm/instruction.h"
#include "vm/verifier.h"

namespace eyrie::tools {

struct KnownValue {
  enum class Kind : uint8_t {
    kInteger,  // its value; of refs 0: null
    kRodata,   // a constant's ordinal
    kGlobal,   // the ordinal of a global ref that it was read from
    kResult,   // the offset of the call whose only or first result it is
  };
  Kind kind = Kind::kInteger;
  bool wide = false;  // of 64 bits, in two registers
  int64_t number = 0;

  friend bool operator==(const KnownValue&, const KnownValue&) = default;
};

// The registers of a function at one place.
class KnownRegisters {
 public:
  // A register as encoded, with or without its move bit.
  std::optional<KnownValue> Get(uint16_t reg) const;
  // Forgets what a register held, and the pair that it is half of.
  void Forget(uint16_t reg);
  void Set(uint16_t reg, const KnownValue& value);
  // The moves of a branch, all at once: pairs of from and to.
  void Move(const std::vector<uint16_t>& pairs);
  // Keeps what both know to be the same; true if that is less than before.
  bool Meet(const KnownRegisters& other);

  size_t size() const { return values_.size(); }

 private:
  std::map<uint16_t, KnownValue> values_;  // by register without move bit
};

// Called with each instruction of a function, in order, and what is known
// before it.
using InstructionVisitor =
    absl::FunctionRef<void(uint32_t offset, const vm::Instruction& instruction,
                           const KnownRegisters& registers)>;

// Visits a function's code. False: it would take too long to follow values, and
// all registers were unknown.
bool VisitFunction(const vm::VerifiedModule& module, uint32_t function,
                   InstructionVisitor visit);

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_INSPECT_VALUE_FLOW_H_
