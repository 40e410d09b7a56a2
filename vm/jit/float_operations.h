// The table of float instructions: for each, the function of a machine's
// emitter. Tested by tests/vm/rows_test.cc, tests/oracle.
#ifndef EYRIE_VM_JIT_FLOAT_OPERATIONS_H_
#define EYRIE_VM_JIT_FLOAT_OPERATIONS_H_

#include "vm/isa/opcode.h"
#include "vm/jit/integer_operations.h"

namespace eyrie::vm::jit {

// Emits the instruction with the given opcode, unless nothing reads its result.
// Returns false, and emits nothing, if the opcode belongs to another group.
// `Emitter` is the class of <machine>/emit_float.cc, which derives from Homes.
template <typename Emitter>
bool EmitFloatOperation(Emitter& emitter, Op op) {
#define EYRIE_OP(name, call)               \
  case Op::k##name:                        \
    if (emitter.OutIsUsed()) emitter.call; \
    return true
#define EYRIE_BOTH(name, suffix, call) \
  case Op::k##name##F32##suffix:       \
    EYRIE_OP(name##F64##suffix, call)
  switch (op) {
    EYRIE_BOTH(Add, , Add());
    EYRIE_BOTH(Sub, , Subtract());
    EYRIE_BOTH(Mul, , Multiply());
    EYRIE_BOTH(Div, , Divide());
    EYRIE_BOTH(Fma, , MultiplyAndAdd());
    EYRIE_BOTH(Min, , Min());
    EYRIE_BOTH(Max, , Max());
    EYRIE_BOTH(Abs, , Abs());
    EYRIE_BOTH(Neg, , Negate());
    EYRIE_BOTH(Floor, , Floor());
    EYRIE_BOTH(Ceil, , Ceil());
    EYRIE_BOTH(Round, Even, RoundToEven());
    EYRIE_BOTH(Sqrt, , Root());
    EYRIE_BOTH(Rsqrt, , ReciprocalRoot());
    EYRIE_BOTH(Select, , Select());
    EYRIE_BOTH(CastSi32, , FromInteger(Sign::kSigned));
    EYRIE_BOTH(CastSi64, , FromInteger(Sign::kSigned));
    EYRIE_BOTH(CastUi32, , FromInteger(Sign::kUnsigned));
    EYRIE_OP(TruncF64F32, ChangeWidth());
    EYRIE_OP(ExtF32F64, ChangeWidth());
    EYRIE_OP(BitcastI32F32, Move(emitter.In(0), emitter.Out()));
    EYRIE_OP(BitcastF32I32, Move(emitter.In(0), emitter.Out()));
    EYRIE_OP(BitcastI64F64, Move(emitter.In(0), emitter.Out()));
    EYRIE_OP(BitcastF64I64, Move(emitter.In(0), emitter.Out()));
    default:
      return false;
  }
#undef EYRIE_BOTH
#undef EYRIE_OP
}

}  // namespace eyrie::vm::jit

#endif  // EYRIE_VM_JIT_FLOAT_OPERATIONS_H_
