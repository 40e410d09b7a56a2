// The parts of the verifier that need more than one operand: blocks and
// branches, and the values that calls and returns pass.
//
// Tested by verifier_test.cc.
#ifndef EYRIE_VM_MODULE_VERIFIER_FLOW_H_
#define EYRIE_VM_MODULE_VERIFIER_FLOW_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "base/allocate.h"
#include "vm/isa/callconv.h"
#include "vm/isa/operand.h"
#include "vm/isa/value.h"

namespace eyrie::vm {

// How many registers a function's frame has.
struct RegisterLimits {
  uint32_t i32;
  uint32_t ref;
};

// Reports whether a value of this type fits into the register: bank, bounds,
// and an even pair for i64 and f64.
inline bool FitsRegister(uint16_t reg, ValueType type,
                         const RegisterLimits& limits) {
  switch (type) {
    case ValueType::kRef:
      return IsRefRegister(reg) && RefIndex(reg) < limits.ref;
    case ValueType::kI32:
    case ValueType::kF32:
      return reg < limits.i32;  // a ref register exceeds any limit
    case ValueType::kI64:
    case ValueType::kF64:
      return reg % 2 == 0 && reg + 1u < limits.i32;
  }
  return false;
}

// Returns the error for a register that does not fit: INVALID_ARGUMENT or
// OUT_OF_RANGE.
absl::Status CheckRegister(uint16_t reg, ValueType type,
                           const RegisterLimits& limits);

// Checks a register of either bank, without a type.
absl::Status CheckAnyRegister(uint16_t reg, const RegisterLimits& limits);

// Checks a branch's moves: pairs of source and target, each within one bank.
absl::Status CheckRemap(std::span<const uint16_t> pairs,
                        const RegisterLimits& limits);

// The encoded operands of a call.
struct CallOperands {
  bool has_segments = false;
  std::span<const uint16_t> segments;
  std::span<const uint16_t> arguments;
  std::span<const uint16_t> results;
};

// Checks the number and types of arguments and results against the callee's
// signature.
absl::Status CheckCall(const CallingConvention& callee,
                       const CallOperands& call, const RegisterLimits& limits);

// Checks the registers of a return against the function's own signature.
absl::Status CheckReturn(const CallingConvention& own,
                         std::span<const uint16_t> values,
                         const RegisterLimits& limits);

// The blocks of one function and the branches to them. May be reused: Reset
// takes time in proportion to the function's length.
class BlockMap {
 public:
  // Returns RESOURCE_EXHAUSTED if there is not enough memory.
  absl::Status Reset(size_t function_size);

  void AddBlock(uint32_t offset) {
    marks_[offset / 64] |= uint64_t{1} << offset % 64;
    ++block_count_;
  }

  // Records a branch by the instruction at `from`, for CheckTargets. Returns
  // RESOURCE_EXHAUSTED if there is not enough memory.
  absl::Status AddTarget(uint32_t from, uint32_t target) {
    has_loop_ |= target <= from;
    return PushBack(targets_, Target{from, target}, kTargets);
  }

  uint32_t block_count() const { return block_count_; }
  bool has_loop() const { return has_loop_; }  // it has a backward branch

  // Checks that every branch leads to a block. If one does not, sets `from` to
  // the offset of its instruction.
  absl::Status CheckTargets(uint32_t& from) const;

 private:
  struct Target {
    uint32_t from;
    uint32_t target;
  };
  static constexpr char kTargets[] = "the branches of a function";

  bool IsBlock(uint32_t offset) const {
    return (marks_[offset / 64] >> offset % 64 & 1) != 0;
  }

  size_t function_size_ = 0;
  std::vector<uint64_t> marks_;  // one bit for each byte of the function
  std::vector<Target> targets_;
  uint32_t block_count_ = 0;
  bool has_loop_ = false;
};

}  // namespace eyrie::vm

#endif  // EYRIE_VM_MODULE_VERIFIER_FLOW_H_
