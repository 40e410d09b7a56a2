// Moves numbers, booleans and tensors straight between host values and
// registers.
//
// A plan is made once for the arguments or the results of a function. Its calls
// then need no Encoder or Decoder. A plan handles only values that need no
// conversion: it leaves all others, and all errors, to those classes, so that a
// call has the same results and the same errors either way.
// Tested by abi/call/direct_test.cc.
#ifndef EYRIE_ABI_VALUE_DIRECT_H_
#define EYRIE_ABI_VALUE_DIRECT_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "abi/signature/signature.h"
#include "abi/value/host_value.h"
#include "hal/device.h"
#include "vm/isa/value.h"

namespace eyrie::abi {

// Thread-compatible.
class DirectPlan {
 public:
  // The maximum number of values, so that a call's slots need little stack.
  static constexpr size_t kMaxValues = 16;

  DirectPlan() = default;  // of a function that needs the general way
  // The parameters must outlive the plan.
  explicit DirectPlan(std::span<const Parameter> parameters);

  // Reports whether values of these parameters can be moved at all.
  bool applies() const { return applies_; }
  size_t size() const { return steps_.size(); }

  // Stores size() arguments in `slots`, which borrow their references from the
  // values. Adds the number of tensors to `lent`. Returns false if a value
  // needs an Encoder; `lent` and the content of the slots are then meaningless.
  bool Encode(const HostValue* const* values, hal::Device* device,
              vm::Slot* slots, uint32_t& lent) const;
  // Reports whether Decode can convert these results of a call.
  bool CanDecode(const vm::Slot* slots) const {
    return !checks_results_ || CheckResults(slots);
  }
  // Replaces `results` by the contents of `slots`, and takes the references in
  // these. Adds the number of tensors to `lent`. CanDecode must be true.
  void Decode(vm::Slot* slots, HostValue* const* results, uint32_t& lent) const;

 private:
  enum class Kind : uint8_t {
    kOther,  // the function needs the general way
    kBool,
    kInteger,
    kFloat32,
    kFloat64,
    kTensor,
  };
  // How the value of one parameter moves.
  struct Step {
    Kind kind = Kind::kOther;
    bool is_wide = false;      // integers: in an i64 register
    bool is_unsigned = false;  // integers
    uint8_t unused = 0;        // integers: bits above the type's width
    hal::ElementType element = hal::ElementType::kNone;
    int64_t least = 0;    // integers: arguments from `least`
    uint64_t extent = 0;  // to `least + extent` have their register's bits
    const Type* type = nullptr;
  };

  static Step StepOf(const Parameter& parameter);
  static int64_t IntegerIn(const Step& step, vm::Slot slot);
  static bool EncodeTensor(const Step& step, const HostValue& value,
                           hal::Device* device, vm::Slot& slot);
  bool CheckResults(const vm::Slot* slots) const;

  std::vector<Step> steps_;
  bool applies_ = false;
  bool checks_results_ = false;  // some slots may not match their types
};

}  // namespace eyrie::abi

#endif  // EYRIE_ABI_VALUE_DIRECT_H_
