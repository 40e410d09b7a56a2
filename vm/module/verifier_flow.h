// Parts of the verifier that no single operand shows: blocks and branches,
// and the values that calls and returns pass.
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

// The registers of a function's frame.
struct RegisterLimits {
  uint32_t i32;
  uint32_t ref;
};

// True if a register holds a value of this type: bank, bounds, and the even
// pair of an i64 or f64.
inline bool FitsRegister(uint16_t reg, ValueType type,
                         const RegisterLimits& limits) {
  switch (type) {
    case ValueType::kRef:
      return IsRefRegister(reg) && RefIndex(reg) < limits.ref;
    case ValueType::kI32:
    case ValueType::kF32:
      return reg < limits.i32;  // kRefBit is past any limit
    case ValueType::kI64:
    case ValueType::kF64:
      return reg % 2 == 0 && reg + 1u < limits.i32;
  }
  return false;
}

// What does not fit, as an error. INVALID_ARGUMENT or OUT_OF_RANGE.
absl::Status CheckRegister(uint16_t reg, ValueType type,
                           const RegisterLimits& limits);

// The same for either bank, where the type is nobody's concern.
absl::Status CheckAnyRegister(uint16_t reg, const RegisterLimits& limits);

// A branch's register moves, as pairs of from and to: within one bank each.
absl::Status CheckRemap(std::span<const uint16_t> pairs,
                        const RegisterLimits& limits);

// A call as encoded.
struct CallOperands {
  bool has_segments = false;
  std::span<const uint16_t> segments;
  std::span<const uint16_t> arguments;
  std::span<const uint16_t> results;
};

// Arity and types of both lists against the callee's convention.
absl::Status CheckCall(const CallingConvention& callee,
                       const CallOperands& call, const RegisterLimits& limits);

// The registers of a return against the function's own convention.
absl::Status CheckReturn(const CallingConvention& own,
                         std::span<const uint16_t> values,
                         const RegisterLimits& limits);

// The block marks of one function and the branches to them. Reused for many
// functions; Reset costs their length.
class BlockMap {
 public:
  // RESOURCE_EXHAUSTED: there is no memory.
  absl::Status Reset(size_t function_size);

  void AddBlock(uint32_t offset) {
    marks_[offset / 64] |= uint64_t{1} << offset % 64;
    ++block_count_;
  }

  // Notes a branch in the instruction at `from`; CheckTargets looks at it.
  // RESOURCE_EXHAUSTED: there is no memory.
  absl::Status AddTarget(uint32_t from, uint32_t target) {
    has_loop_ |= target <= from;
    return PushBack(targets_, Target{from, target}, kTargets);
  }

  uint32_t block_count() const { return block_count_; }
  bool has_loop() const { return has_loop_; }  // a branch leads back

  // Every branch leads to a block mark. Sets `from` to the offset of an
  // instruction that has one which does not.
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
  std::vector<uint64_t> marks_;  // a bit each byte of the function
  std::vector<Target> targets_;
  uint32_t block_count_ = 0;
  bool has_loop_ = false;
};

}  // namespace eyrie::vm

#endif  // EYRIE_VM_MODULE_VERIFIER_FLOW_H_
