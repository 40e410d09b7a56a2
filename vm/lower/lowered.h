// The form of a function that the interpreter runs: instructions with their
// operands at fixed places, each beginning with the address of the code that
// runs it (direct threading).
//
// An instruction of opcodes.def is its handler, then its operands and results
// at their natural alignment, padded to 8 bytes. A register is its index in its
// bank (a ref that moves keeps kMoveBit), an ordinal or offset 4 bytes, a list
// or string the address of the encoded one in the module. Control flow and
// calls have the structs below. Nothing here outlives its module.
// Tested by lowering_test.cc.
#ifndef EYRIE_VM_LOWER_LOWERED_H_
#define EYRIE_VM_LOWER_LOWERED_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "vm/isa/opcode.h"
#include "vm/isa/operand.h"

namespace eyrie::vm {

struct FunctionCode;

using Handler = const void*;  // a label of the interpreter's loop

// Code of one function. 8-byte words keep its instructions aligned.
using LoweredCode = std::vector<uint64_t>;

// Where instructions come from: offsets in the lowered code, ascending, and in
// the function's bytecode.
using LoweredPlaces = std::vector<std::pair<uint32_t, uint32_t>>;

// Bytes of an operand; for lists, of their address.
constexpr uint32_t LoweredSize(OperandKind kind) {
  if (IsRegister(kind)) return 2;
  return FixedSize(kind) == 4 ? 4 : 8;
}

// Where an instruction's operands and results are, in encoding order.
struct LoweredLayout {
  uint8_t at[2 * OperandList::kMax] = {};
  uint32_t end = sizeof(Handler);  // of the last
  constexpr uint32_t size() const { return (end + 7) & ~7u; }
  // Two int32_t behind the operands of a comparison that branches.
  constexpr uint32_t branch_at() const { return (end + 3) & ~3u; }
  constexpr uint32_t branch_size() const { return (branch_at() + 15) & ~7u; }
};

constexpr LoweredLayout LayOut(const OpInfo& op) {
  LoweredLayout layout;
  int next = 0;
  auto add = [&](OperandKind kind) {
    const uint32_t size = LoweredSize(kind);
    layout.end = (layout.end + size - 1) & ~(size - 1);
    layout.at[next++] = static_cast<uint8_t>(layout.end);
    layout.end += size;
  };
  for (OperandKind kind : op.reads) add(kind);
  for (OperandKind kind : op.writes) add(kind);
  return layout;
}

// True for rows whose only result is an i32 that says yes or no.
constexpr bool IsComparison(const OpInfo& op) {
  return op.text[0] == 'c' && op.text[1] == 'm' && op.text[2] == 'p' &&
         op.text[3] == '.';
}

// Instructions of the lowered form alone.
enum class Lowered : uint8_t {
#define LOWERED(name, body) k##name,
#include "vm/lower/lowered.def"
#undef LOWERED
};
inline constexpr size_t kLoweredCount = 0
#define LOWERED(name, body) +1
#include "vm/lower/lowered.def"
#undef LOWERED
    ;

// Which of its forms an instruction has.
enum class Form : uint8_t {
  kOp,       // a row of opcodes.def
  kBranch,   // a comparison, with the cond_br behind it
  kTurn,     // the same at a loop's end, taking fuel first
  kLowered,  // a row of lowered.def
};

// Tells where the loop runs a row's form.
using FindHandler = Handler (*)(Form form, size_t row);

// Jumps count in bytes from the beginning of their instruction.

// A register move: wide ones fill an even pair.
struct LoweredMove {
  static constexpr uint16_t kWide = 0x8000;  // in `to`, of numbers
  uint16_t from;  // as encoded: with kRefBit and kMoveBit
  uint16_t to;
};

struct LoweredJump {
  Handler handler;
  int32_t target;
  uint32_t move_count;
  static constexpr uint32_t Size(uint32_t moves) {
    return 16 + (moves * 4 + 7) / 8 * 8;
  }
  const LoweredMove* moves() const {
    return reinterpret_cast<const LoweredMove*>(this + 1);
  }
};

// Goes to `target` if the register is not zero, else to the other.
struct LoweredCondBranch {
  Handler handler;
  int32_t target;
  int32_t otherwise;
  uint32_t condition;
  uint32_t unused;
};

// Goes to the index's target, or to the last one.
struct LoweredBranchTable {
  Handler handler;
  uint32_t index;  // a register
  uint32_t count;  // of targets
  const int32_t* targets() const {
    return reinterpret_cast<const int32_t*>(this + 1);
  }
};

struct LoweredPause {
  Handler handler;
  uint32_t offset;  // of the instruction behind it, in the bytecode
  uint32_t unused;
};

struct LoweredYield {
  Handler handler;
};

// What all calls begin with. A caller's frame points at its call; the callee's
// return finds there where results go and where to go on.
struct LoweredCall {
  Handler handler;
  uint32_t size;        // of the instruction
  uint32_t results_at;  // bytes from its beginning; uint16_t registers
  const uint16_t* results() const {
    return reinterpret_cast<const uint16_t*>(
        reinterpret_cast<const uint8_t*>(this) + results_at);
  }
};

// Of a function of the same module. Moves: `numbers` of 4 bytes, `wides` of 8,
// then `refs`, as pairs of the caller's and the callee's index.
struct LoweredCallFunction {
  LoweredCall call;
  const FunctionCode* callee;
  uint16_t numbers;
  uint16_t wides;
  uint16_t refs;
  uint16_t unused;
  const LoweredMove* moves() const {
    return reinterpret_cast<const LoweredMove*>(this + 1);
  }
};

// Of an import, with the places that a DirectThunk is given.
struct LoweredCallImport {
  LoweredCall call;
  uint32_t import;
  uint32_t slots;
  uint32_t yieldable;  // 0 or 1
  uint32_t unused;
  // The registers as encoded, for a callee in another module.
  const uint8_t* arguments;
  const uint32_t* places() const {
    return reinterpret_cast<const uint32_t*>(this + 1);
  }
};

// Registers as encoded, in the order of the function's results.
struct LoweredReturn {
  Handler handler;
  uint32_t count;
  uint32_t unused;
  const uint16_t* values() const {
    return reinterpret_cast<const uint16_t*>(this + 1);
  }
};

// The struct at a place of lowered code.
template <typename T>
inline const T& LoweredAt(const uint8_t* pc) {
  return *reinterpret_cast<const T*>(pc);
}

}  // namespace eyrie::vm

#endif  // EYRIE_VM_LOWER_LOWERED_H_
