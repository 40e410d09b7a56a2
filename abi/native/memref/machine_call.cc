#include "abi/native/memref/machine_call.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace eyrie::native {
namespace {

constexpr size_t kFloatPlace = kMaxIntegerRegisters;
constexpr size_t kStackPlace = kFloatPlace + kFloatRegisters;
static_assert(sizeof(MachineWords) ==
              (kStackPlace + kStackWords) * sizeof(uint64_t));

}  // namespace

absl::StatusOr<size_t> MachineCall::AddInteger() {
  if (integers_ == IntegerRegisters()) return AddStack();
  const size_t place = integers_++;
  caller_ = FindCaller();
  return place;
}

absl::StatusOr<size_t> MachineCall::AddFloat() {
  if (floats_ == kFloatRegisters) {
    return FloatsUseIntegerRegisters() ? AddInteger() : AddStack();
  }
  const size_t place = kFloatPlace + floats_++;
  caller_ = FindCaller();
  return place;
}

absl::StatusOr<size_t> MachineCall::AddStack() {
  if (stack_ == kStackWords) {
    return absl::ResourceExhaustedError(
        absl::StrCat("A native function takes more than ", kStackWords,
                     " words on the stack, which is the limit."));
  }
  const size_t place = kStackPlace + stack_++;
  caller_ = FindCaller();
  return place;
}

}  // namespace eyrie::native
