// Writes one random function.
//
// Registers have roles, which keeps most programs from failing at once: some
// hold small numbers for indices, fuel for loops, canonical NaNs; of the refs,
// some are buffers, some lists. Everything else is anybody's. A list that can
// hold lists never gets into one, or nothing could free it.
// Tested by random_programs_test.cc.
#ifndef EYRIE_TESTS_ORACLE_GENERATOR_H_
#define EYRIE_TESTS_ORACLE_GENERATOR_H_

#include <cstdint>
#include <initializer_list>
#include <map>
#include <vector>

#include "tests/oracle/instruction.h"
#include "tests/oracle/program.h"
#include "tests/oracle/random.h"
#include "vm/isa/opcode.h"

namespace eyrie::tests {

// Registers of the i32 bank by role.
enum NumberRole : uint16_t {
  kGeneral = 16,  // 0 to 15: arguments, and whatever is computed
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
// Of the ref bank.
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

// Places in every random module.
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
  // The signatures of all functions are in the program already.
  FunctionGenerator(Random& random, const Program& program, uint32_t function);

  Blocks Create();
  // Of a function whose arguments are numbers, as its one result.
  Blocks MakeShort();

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
  // To `block`, or to the return, at the end of the block at hand.
  void CountDown(uint32_t block);
  uint64_t EmitComparison();
  uint16_t MovedNumber(bool wide);
  Regs Moves();
  void AddRefMove(Regs& moves);
  Operand Remap() { return {Kind::kRemap, 0, Moves(), {}, {}}; }

  // generator_operands.cc: instructions that only have operands.
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

  // generator_short.cc: one block, of numbers.
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
  bool Startswith(const vm::OpInfo& info, const char* prefix) const;
  // Whether it may compute a NaN, whose bits are the processor's.
  bool MakesNans(const vm::OpInfo& info) const;

  Random& random_;
  const Program& program_;
  const uint32_t function_;
  uint32_t body_blocks_ = 0;
  uint32_t current_ = 0;
  Blocks blocks_;
  std::map<uint32_t, uint32_t> guards_;
  // Of a short function: registers with a value, narrow and wide ones.
  uint16_t next_number_ = 0;
  Regs numbers_[2];
};

}  // namespace eyrie::tests

#endif  // EYRIE_TESTS_ORACLE_GENERATOR_H_
