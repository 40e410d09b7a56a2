// Writes one random function.
//
// Registers have roles, so that most programs do not fail at once: some hold
// small numbers for indices, fuel for loops, or canonical NaNs; some refs are
// buffers, some are lists. All others hold any value. A list that may contain
// lists is never stored in one, because the cycle would leak.
// Tested by random_programs_test.cc.
#ifndef EYRIE_TESTS_ORACLE_GENERATOR_H_
#define EYRIE_TESTS_ORACLE_GENERATOR_H_

#include <cstdint>
#include <initializer_list>
#include <map>
#include <vector>

#include "tests/oracle/instruction.h"
#include "tests/oracle/program_parts.h"
#include "tests/oracle/random.h"
#include "vm/isa/opcode.h"

namespace eyrie::tests {

// Roles of registers in the i32 bank.
enum NumberRole : uint16_t {
  kGeneral = 16,  // 0 to 15: arguments and computed values
  kFuel = kGeneral,
  kMinusOne,
  kSmall,                   // four i32
  kSmallWide = kSmall + 4,  // four i64
  kLength = kSmallWide + 8,
  kNan64 = kLength + 2,
  kNan32 = kNan64 + 2,
  kAlignment,
  kSize,
  kScratch,
  kNumberCount,
};
// Roles of registers in the ref bank.
enum RefRole : uint16_t {
  kAny = 0,      // four: arguments, results; may hold anything
  kBuffers = 4,  // four: a buffer or null
  kLists = 8,    // three, made of numbers, variants, buffers; never of lists
  kNumberList = kLists,
  kVariantList,
  kBufferList,
  kListOfLists,
  kRefCount,
};

// Sizes of every random module's tables.
inline constexpr uint32_t kGlobalBytes = 64;
inline constexpr uint32_t kGlobalRefs = 4;  // two buffers, a list, anything
inline constexpr uint32_t kRodataCount = 3;
inline constexpr const char* kTypes[] = {
    "i8", "i16",        "i32",           "i64",           "f32",       "f64",
    "?",  "!vm.buffer", "!vm.list<i32>", "!test.unknown", "!vm.ref<?>"};
enum TypeOrdinal : uint32_t {
  kTypeVariant = 6,
  kTypeBuffer,
  kTypeList,
  kTypeUnknown,
  kTypeAnyRef,
  kTypeCount,
};

class FunctionGenerator {
 public:
  // `program` must already have the signatures of all functions.
  FunctionGenerator(Random& random, const Program& program, uint32_t function);

  Blocks Create();
  // Creates a short function that takes numbers and returns one.
  Blocks CreateShort();

 private:
  using Kind = vm::OperandKind;
  using Regs = std::vector<uint16_t>;

  // generator.cc: blocks and control flow.
  void Prologue();
  void Body();
  void Terminate(uint32_t block);
  void EmitCall(bool yieldable, uint32_t from);
  bool IsAvailable(const vm::OpInfo& info) const;
  Operand BlockOperand(uint32_t from);
  uint32_t TargetFrom(uint32_t from);
  uint32_t GuardOf(uint32_t block);
  // Ends the current block: counts down, then continues at `block` or returns.
  void CountDown(uint32_t block);
  uint64_t EmitComparison();
  uint16_t MovedNumber(bool wide);
  Regs Moves();
  void AddRefMove(Regs& moves);
  Operand Remap() { return {Kind::kRemap, 0, Moves(), {}, {}}; }

  // generator_operands.cc: instructions with operands only.
  void EmitRandom(const vm::OpInfo& info);
  void PrepareOperands(Instruction& in);
  Operand RandomOperand(const vm::OpInfo& info, uint32_t index, Kind kind);
  Regs RandomList(Kind kind);
  uint64_t RandomPlace(Kind kind);
  Operand NumberOperand(const vm::OpInfo& info, uint32_t index, Kind kind);
  void ChooseRefs(Instruction& in);
  void ChooseListRefs(Instruction& in);
  void ChooseTypedRefs(Instruction& in);
  void ChoosePlainRefs(Instruction& in);
  void Canonicalize(const Instruction& in);

  // generator_short.cc: one block that computes with numbers.
  uint16_t NewNumber(bool wide);
  bool EmitShort(const vm::OpInfo& info);

  // Registers and numbers.
  uint16_t General(Kind kind);
  uint16_t General(vm::ValueType type);
  uint16_t Role(RefRole role);  // a register of the role
  uint16_t AnyRef();
  uint16_t MaybeMove(uint16_t reg);
  uint64_t Interesting(Kind kind);
  void Refill(uint16_t reg);
  void RefillMoved(const Instruction& in);

  void Emit(vm::Op op, std::initializer_list<uint64_t> operands);
  void Put(Instruction in) { blocks_[current_].push_back(std::move(in)); }
  bool StartsWith(const vm::OpInfo& info, const char* prefix) const;
  // Reports whether the instruction may compute a NaN, whose bits depend on the
  // processor.
  bool MakesNans(const vm::OpInfo& info) const;

  Random& random_;
  const Program& program_;
  const uint32_t function_;
  uint32_t body_blocks_ = 0;
  uint32_t current_ = 0;
  Blocks blocks_;
  std::map<uint32_t, uint32_t> guards_;
  // In a short function: registers that have a value, by width.
  uint16_t next_number_ = 0;
  Regs numbers_[2];
};

}  // namespace eyrie::tests

#endif  // EYRIE_TESTS_ORACLE_GENERATOR_H_
