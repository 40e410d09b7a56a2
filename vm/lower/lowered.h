// The form of a function that the interpreter runs: instructions with operands
// at fixed positions, each beginning with the address of the code that runs it
// (direct threading).
//
// An instruction of opcodes.def is a handler followed by its operands and
// results, naturally aligned, padded to 8 bytes. A register is its index in its
// bank (with kMoveBit for a ref that moves), an ordinal or offset has 4 bytes,
// a list or string is the address of its encoding in the module. Control flow
// and calls use the structs below. Valid only as long as the module.
// Tested by lowering_test.cc.
#ifndef EYRIE_VM_LOWER_LOWERED_H_
#define EYRIE_VM_LOWER_LOWERED_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "vm/isa/opcode.h"
#include "vm/isa/operand.h"

namespace eyrie::vm {

struct FunctionCode;

using Handler = const void*;  // a label of the interpreter's loop

// The code of one function. Words of 8 bytes keep instructions aligned.
using LoweredCode = std::vector<uint64_t>;

// Pairs of offsets: in the lowered code, ascending, and in the bytecode that it
// comes from.
using LoweredPlaces = std::vector<std::pair<uint32_t, uint32_t>>;

// Returns the size of an operand in bytes; for a list, that of its address.
constexpr uint32_t LoweredSize(OperandKind kind) {
  if (IsRegister(kind)) return 2;
  return FixedSize(kind) == 4 ? 4 : 8;
}

// The offsets of an instruction's operands and results, in order of encoding.
struct LoweredLayout {
  uint8_t at[2 * OperandList::kMax] = {};
  uint32_t end = sizeof(Handler);  // end of the last operand
  constexpr uint32_t size() const { return (end + 7) & ~7u; }
  // Two int32_t jumps that follow the operands of a comparison that branches.
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

// By Op.
inline constexpr auto kLoweredLayouts = [] {
  std::array<LoweredLayout, kOpCount> layouts;
  for (size_t i = 0; i < kOpCount; ++i) layouts[i] = LayOut(kOps[i]);
  return layouts;
}();

// Instructions that exist only in the lowered form.
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

// The forms that an instruction may have.
enum class Form : uint8_t {
  kOp,       // a row of opcodes.def
  kBranch,   // a comparison and the cond_br after it
  kTurn,     // the same at a loop's end; takes fuel first
  kLowered,  // a row of lowered.def
};

// Returns the address in the loop that runs a form of a row.
using FindHandler = Handler (*)(Form form, size_t row);

// Jumps are in bytes, relative to the start of their instruction.

// A register move. A wide one moves an even pair.
struct LoweredMove {
  static constexpr uint16_t kWide = 0x8000;  // flag in `to`, for numbers only
  uint16_t from;  // with kRefBit and kMoveBit, as encoded
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

// Jumps to `target` if the register is not zero, else to `otherwise`.
struct LoweredCondBranch {
  Handler handler;
  int32_t target;
  int32_t otherwise;
  uint32_t condition;
  uint32_t unused;
};

// Jumps to the target with this index; to the last one if there is none.
struct LoweredBranchTable {
  Handler handler;
  uint32_t index;  // a register
  uint32_t count;  // number of targets
  const int32_t* targets() const {
    return reinterpret_cast<const int32_t*>(this + 1);
  }
};

struct LoweredPause {
  Handler handler;
  uint32_t offset;  // in the bytecode, of the next instruction
  uint32_t unused;
};

struct LoweredYield {
  Handler handler;
};

// The common beginning of all calls. A caller's `pc` points at its call; when
// the callee returns, this tells where its results go and where to continue.
struct LoweredCall {
  Handler handler;
  uint32_t size;        // size of the instruction
  uint32_t results_at;  // offset in the instruction of uint16_t registers
  const uint16_t* results() const {
    return reinterpret_cast<const uint16_t*>(
        reinterpret_cast<const uint8_t*>(this) + results_at);
  }
};

// A call of a function of the same module. Followed by moves: `numbers` of 4
// bytes, `wides` of 8, then `refs`; each is a pair of the caller's and the
// callee's register index.
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

// A call of an import, followed by the places that a DirectThunk takes.
struct LoweredCallImport {
  LoweredCall call;
  uint32_t import;
  uint32_t slots;
  uint32_t yieldable;  // 0 or 1
  uint32_t unused;
  // The encoded registers, for a callee in another bytecode module.
  const uint8_t* arguments;
  const uint32_t* places() const {
    return reinterpret_cast<const uint32_t*>(this + 1);
  }
};

// Followed by encoded registers, in the order of the function's results.
struct LoweredReturn {
  Handler handler;
  uint32_t count;
  uint32_t unused;
  const uint16_t* values() const {
    return reinterpret_cast<const uint16_t*>(this + 1);
  }
};

// Returns the struct at a position in lowered code.
template <typename T>
inline const T& LoweredAt(const uint8_t* pc) {
  return *reinterpret_cast<const T*>(pc);
}

}  // namespace eyrie::vm

#endif  // EYRIE_VM_LOWER_LOWERED_H_
