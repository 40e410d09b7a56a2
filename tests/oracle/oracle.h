// A reference evaluator of bytecode: simple, slow, and independent of the
// interpreter.
//
// It shares the verified module, the objects of modules (vm.buffer and vm.list,
// accessed by bytes and elements) and native functions. It has its own decoder,
// registers, frames, calls, conversions and arithmetic.
// Tested by random_programs_test.cc, fixtures_test.cc.
#ifndef EYRIE_TESTS_ORACLE_ORACLE_H_
#define EYRIE_TESTS_ORACLE_ORACLE_H_

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/ref.h"
#include "tests/oracle/engine.h"
#include "tests/oracle/instruction.h"
#include "vm/isa/callconv.h"
#include "vm/isa/opcode.h"
#include "vm/module/module.h"
#include "vm/native/native_binding.h"
#include "vm/object/buffer.h"
#include "vm/run/bytecode_module.h"

namespace eyrie::tests {

// Thread-compatible.
class OracleEngine final : public Engine {
 public:
  const char* name() const override { return "oracle"; }
  absl::StatusOr<std::unique_ptr<Instance>> Load(
      std::vector<std::shared_ptr<const vm::Module>> modules,
      vm::PrintSink print) override;

  // Maximum number of instructions of a call; a longer one fails with ABORTED.
  uint64_t max_steps = ~uint64_t{0};
  // Number of executions of each row of opcodes.def, including failed ones.
  std::array<uint64_t, vm::kOpCount> executed = {};
};

struct LinkedModule;

// A linked import. Empty if it is optional and missing.
struct LinkedImport {
  const vm::CallingConvention* signature = nullptr;
  vm::NativeImport native;
  LinkedModule* module = nullptr;
  uint32_t function = 0;

  bool resolved() const { return native.resolved() || module != nullptr; }
};

// A bytecode module with its globals.
struct LinkedModule {
  std::shared_ptr<const vm::BytecodeModule> module;
  std::vector<uint8_t> globals;
  std::vector<Ref<RefObject>> global_refs;
  std::vector<Ref<vm::Buffer>> rodata;  // made when first asked for
  std::vector<LinkedImport> imports;
  // Decoded instructions, by function and offset.
  std::vector<std::map<uint32_t, Instruction>> code;

  const vm::ModuleDef& def() const { return module->def(); }
  const vm::ElementType& type(uint32_t ordinal) const {
    return module->types()[ordinal];
  }
  bool operand_moves() const { return def().bytecode_version->operand_moves; }
  const Instruction& DecodeAt(uint32_t function, uint32_t offset);
};

// A running function.
struct Activation {
  LinkedModule* module = nullptr;
  uint32_t function = 0;
  uint32_t at = 0;    // offset of the current instruction
  uint32_t next = 0;  // offset of the next instruction
  std::vector<uint32_t> numbers;
  std::vector<Ref<RefObject>> refs;
  const std::vector<uint16_t>* results = nullptr;  // in the caller's registers

  const vm::CallingConvention& signature() const {
    return module->module->verified().signature(function);
  }
  uint64_t Number(uint16_t reg, bool wide) const {
    return wide ? numbers[reg] | uint64_t{numbers[reg + 1]} << 32
                : numbers[reg];
  }
  uint64_t Number(const Operand& operand) const {
    return Number(operand.reg(), operand.wide());
  }
  void SetNumber(uint16_t reg, bool wide, uint64_t bits) {
    numbers[reg] = static_cast<uint32_t>(bits);
    if (wide) numbers[reg + 1] = static_cast<uint32_t>(bits >> 32);
  }
  void SetNumber(const Operand& operand, uint64_t bits) {
    SetNumber(operand.reg(), operand.wide(), bits);
  }
  Ref<RefObject>& RefAt(uint16_t reg) { return refs[vm::RefIndex(reg)]; }
  Ref<RefObject>& RefAt(const Operand& operand) { return RefAt(operand.reg()); }
  // Reports whether an operand moves its ref out of the register.
  bool Moves(const Operand& operand) const {
    return vm::IsMove(operand.reg()) && module->operand_moves();
  }
};

// Returns the object in a ref register. INVALID_ARGUMENT: it is not a T.
template <typename T>
absl::StatusOr<T*> As(Activation& a, const Operand& operand) {
  T* object = RefCast<T>(a.RefAt(operand).get());
  if (object == nullptr) return absl::InvalidArgumentError("wrong ref");
  return object;
}
inline absl::Status PastEnd() { return absl::OutOfRangeError("past the end"); }

// Executes an instruction that needs only its own frame: globals, refs, lists,
// buffers. Fails with the status code of the instruction's error.
using Effect = absl::Status (*)(Activation&, const Instruction&);

// Return nullptr for other instructions.
Effect FindObjectEffect(vm::Op op);  // of globals, refs and lists
Effect FindBufferEffect(vm::Op op);

}  // namespace eyrie::tests

#endif  // EYRIE_TESTS_ORACLE_ORACLE_H_
