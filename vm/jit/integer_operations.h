// The table of integer instructions: for each, the function of a machine's
// emitter. Tested by tests/vm/rows_test.cc, tests/oracle.
#ifndef EYRIE_VM_JIT_INTEGER_OPERATIONS_H_
#define EYRIE_VM_JIT_INTEGER_OPERATIONS_H_

#include "vm/isa/opcode.h"

namespace eyrie::vm::jit {

enum class Sign : bool { kUnsigned, kSigned };

// Emits the instruction with the given opcode, unless nothing reads its result
// and it cannot fail. Returns false, and emits nothing, if the opcode belongs
// to another group. `Emitter` is the class of <machine>/emit_integer.cc, which
// derives from Homes.
template <typename Emitter>
bool EmitIntegerOperation(Emitter& emitter, Op op) {
  auto needed = [&] {
    return emitter.OutIsUsed() || emitter.current().op().has(kDivides);
  };
#define EYRIE_OP(name, call)    \
  case Op::k##name:             \
    if (needed()) emitter.call; \
    return true
#define EYRIE_BOTH(name, suffix, call) \
  case Op::k##name##I32##suffix:       \
    EYRIE_OP(name##I64##suffix, call)
  switch (op) {
    EYRIE_OP(ConstF32, WriteConstant());
    EYRIE_OP(ConstF64, WriteConstant());
    EYRIE_OP(ConstF32Zero, WriteConstant());
    EYRIE_OP(ConstF64Zero, WriteConstant());
    EYRIE_BOTH(Const, , WriteConstant());
    EYRIE_BOTH(Const, Zero, WriteConstant());
    EYRIE_BOTH(Add, , Add());
    EYRIE_BOTH(Sub, , Subtract());
    EYRIE_BOTH(Mul, , Multiply(/*adds=*/false));
    EYRIE_BOTH(Fma, , Multiply(/*adds=*/true));
    EYRIE_BOTH(Div, S, Divide(Sign::kSigned, /*remainder=*/false));
    EYRIE_BOTH(Div, U, Divide(Sign::kUnsigned, /*remainder=*/false));
    EYRIE_BOTH(Rem, S, Divide(Sign::kSigned, /*remainder=*/true));
    EYRIE_BOTH(Rem, U, Divide(Sign::kUnsigned, /*remainder=*/true));
    EYRIE_BOTH(And, , And());
    EYRIE_BOTH(Or, , Or());
    EYRIE_BOTH(Xor, , Xor());
    EYRIE_BOTH(Not, , Not());
    EYRIE_BOTH(Abs, , Abs());
    EYRIE_BOTH(Ctlz, , CountZeros());
    EYRIE_BOTH(Select, , Select());
    EYRIE_BOTH(Shl, , ShiftLeft());
    EYRIE_BOTH(Shr, S, ShiftRight(Sign::kSigned));
    EYRIE_BOTH(Shr, U, ShiftRight(Sign::kUnsigned));
    EYRIE_BOTH(Min, S, Min(Sign::kSigned));
    EYRIE_BOTH(Min, U, Min(Sign::kUnsigned));
    EYRIE_BOTH(Max, S, Max(Sign::kSigned));
    EYRIE_BOTH(Max, U, Max(Sign::kUnsigned));
    EYRIE_OP(TruncI32I8, Extend(8, Sign::kUnsigned));
    EYRIE_OP(TruncI32I16, Extend(16, Sign::kUnsigned));
    EYRIE_OP(TruncI64I32, Extend(32, Sign::kUnsigned));
    EYRIE_OP(ExtI8I32S, Extend(8, Sign::kSigned));
    EYRIE_OP(ExtI8I32U, Extend(8, Sign::kUnsigned));
    EYRIE_OP(ExtI16I32S, Extend(16, Sign::kSigned));
    EYRIE_OP(ExtI16I32U, Extend(16, Sign::kUnsigned));
    EYRIE_OP(ExtI32I64S, Extend(32, Sign::kSigned));
    EYRIE_OP(ExtI32I64U, Extend(32, Sign::kUnsigned));
    default:
      return false;
  }
#undef EYRIE_BOTH
#undef EYRIE_OP
}

}  // namespace eyrie::vm::jit

#endif  // EYRIE_VM_JIT_INTEGER_OPERATIONS_H_
