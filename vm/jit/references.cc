#include "vm/jit/references.h"

#include "vm/jit/layout.h"
#include "vm/jit/machine_code.h"

namespace eyrie::vm::jit {

void References::AssignReference(uint16_t from, uint16_t to) {
  if (RefIndex(from) == to) return;
  TakeReference(from);
  ReplaceReference(to);
}

void References::TakeReference(uint16_t from) {
  const Memory at = RefAt(RefIndex(from));
  LoadRegister(/*real=*/false, 0, at);
  if (IsMove(from)) return StoreBits(at, 0);
  const asmjit::Label null = NewLabel();
  JumpIfZero(code_, 0, null);
  AddReference(code_);
  Bind(null);
}

void References::ReplaceReference(uint16_t to) {
  LoadRegister(/*real=*/false, 1, RefAt(to));
  StoreRegister(/*real=*/false, 0, RefAt(to));
  DropOld();
}

void References::DropReference(uint16_t index) {
  LoadRegister(/*real=*/false, 1, RefAt(index));
  DropOld();
}

void References::DropOld() {
  const asmjit::Label null = NewLabel();
  JumpIfZero(code_, 1, null);
  CallThunk(code_, offsetof(CompiledState, thunks.drop));
  Bind(null);
}

Memory References::TypeOfObject() {
  return {Memory::Base::kObject, RefObjectLayout::kType, /*wide=*/true};
}

void References::LoadObject(int operand, size_t type, const Slow& slow) {
  LoadRegister(/*real=*/false, 0, RefAt(OperandRegister(operand)));
  LoadRegister(/*real=*/false, 1, StateAt(type));
  JumpIfZero(code_, 0, slow.entry);
  JumpUnlessEqual(code_, 1, TypeOfObject(), slow.entry);
}

void References::MoveAll() {
  size_t access = 0;
  for (LoweredMove move : MovesOf(current())) {
    if (IsRefRegister(move.from)) {
      AssignReference(move.from, RefIndex(move.to));
    } else {
      Move(In(access), In(access + 1));
      access += 2;
    }
  }
}

}  // namespace eyrie::vm::jit
