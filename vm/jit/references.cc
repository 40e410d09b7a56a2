#include "vm/jit/references.h"

namespace eyrie::vm::jit {

void References::AssignReference(uint16_t from, uint16_t to) {
  if (RefIndex(from) == to) return;
  TakeReference(from);
  ReplaceReference(to);
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
