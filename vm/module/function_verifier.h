// Proves that one function of a decoded module is safe to run without checks
// (verifier.h).
//
// Tested by verifier_test.cc, testing/module_fuzz.cc.
#ifndef EYRIE_VM_MODULE_FUNCTION_VERIFIER_H_
#define EYRIE_VM_MODULE_FUNCTION_VERIFIER_H_

#include <cstdint>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/byte_reader.h"
#include "vm/isa/callconv.h"
#include "vm/isa/opcode.h"
#include "vm/isa/operand.h"
#include "vm/module/argument_watch.h"
#include "vm/module/module_def.h"
#include "vm/module/verifier_flow.h"

namespace eyrie::vm {

using Conventions = std::vector<CallingConvention>;

// Checks one function at a time.
class FunctionVerifier {
 public:
  FunctionVerifier(const ModuleDef& def, const Conventions& signatures,
                   const Conventions& import_signatures)
      : def_(def),
        signatures_(signatures),
        import_signatures_(import_signatures) {}

  // Checks a function whose frame has these registers. Returns where its code
  // expects its arguments.
  absl::StatusOr<ArgumentLayout> Verify(uint32_t ordinal,
                                        const RegisterLimits& limits);

  // Returns the offset of the last instruction that was checked.
  uint32_t offset() const { return start_; }
  // Reports whether the last function has a loop.
  bool has_loop() const { return blocks_.has_loop(); }

 private:
  absl::Status CheckFrame();
  absl::Status CheckBody();
  absl::Status CheckInstruction();
  absl::Status ReadOp();
  absl::Status CheckOperand(OperandKind kind);
  absl::Status CheckRegisterOperand(OperandKind kind);
  absl::Status CheckRegisterList(OperandKind kind);
  absl::Status CheckPlace(OperandKind kind, uint32_t value);
  absl::Status CheckCallee();
  void WatchResults(const CallingConvention& callee) {
    if (!watch_.active()) [[likely]]
      return;
    watch_.WriteAll(call_.results, callee.result_types());
  }
  absl::Status CheckCases();

  // Reads the next value, or returns OUT_OF_RANGE at the end of the function.
  template <typename T>
  absl::Status Read(T& value) {
    if (sizeof(T) > code_.size() - pc_) return PastEnd();
    value = LoadLittleEndian<T>(code_.data() + pc_);
    pc_ += sizeof(T);
    return absl::OkStatus();
  }
  // Reads an aligned list that has `width` values per count.
  absl::Status ReadList(uint32_t width, std::span<const uint16_t>& list);
  absl::Status PastEnd() const;

  const ModuleDef& def_;
  const Conventions& signatures_;
  const Conventions& import_signatures_;

  // The current function.
  const FunctionDef* function_ = nullptr;
  const CallingConvention* signature_ = nullptr;
  RegisterLimits limits_ = {};
  std::span<const uint8_t> code_;
  uint32_t pc_ = 0;
  bool in_block_ = false;
  BlockMap blocks_;
  ArgumentWatch watch_;

  // The current instruction.
  uint32_t start_ = 0;
  const OpInfo* op_ = nullptr;
  uint32_t callee_ = 0;
  CallOperands call_;
  std::span<const uint16_t>* next_list_ = nullptr;
};

}  // namespace eyrie::vm

#endif  // EYRIE_VM_MODULE_FUNCTION_VERIFIER_H_
