#include "vm/jit/emit_object.h"

#include <cstring>

#include "vm/jit/layout.h"
#include "vm/jit/machine_code.h"
#include "vm/jit/references.h"

namespace eyrie::vm::jit {
namespace {

using Kind = ElementType::Kind;

class ObjectEmitter : public References {
 public:
  using References::References;

  bool Emit(Op op);

 private:
  // Loads the address of an array of CompiledState to register 1, and returns
  // the place of one of its pointers.
  Memory PointerIn(size_t array, uint32_t index);
  void EmitNull(uint16_t to);
  void EmitRodata();
  void EmitGlobalReference();
  void EmitDiscard();
  void EmitGlobal();
  void EmitSize(size_t type, uint32_t field);
};

#define EYRIE_NUMBERS(name) \
  case Op::k##name##I32:    \
  case Op::k##name##I64:    \
  case Op::k##name##F32:    \
  case Op::k##name##F64

bool ObjectEmitter::Emit(Op op) {
  switch (op) {
    case Op::kConstRefZero:
      EmitNull(OperandRegister(0));
      return true;
    case Op::kAssignRef:
      AssignReference(OperandRegister(0), OperandRegister(1));
      return true;
    case Op::kConstRefRodata:
      EmitRodata();
      return true;
    case Op::kGlobalLoadRef:
      EmitGlobalReference();
      return true;
    case Op::kDiscardRefs:
      EmitDiscard();
      return true;
    case Op::kBufferLength:
      EmitSize(offsetof(CompiledState, buffer_type), BufferLayout::kSize);
      return true;
    case Op::kListSize:
      EmitSize(offsetof(CompiledState, list_type), ListLayout::kSize);
      return true;
      EYRIE_NUMBERS(GlobalLoad) : EYRIE_NUMBERS(GlobalStore) : EmitGlobal();
      return true;
    default:
      return false;
  }
}

#undef EYRIE_NUMBERS

Memory ObjectEmitter::PointerIn(size_t array, uint32_t index) {
  LoadRegister(/*real=*/false, 1, StateAt(array));
  const auto offset = static_cast<uint32_t>(index * sizeof(void*));
  return {Memory::Base::kPointer, offset, /*wide=*/true};
}

void ObjectEmitter::EmitNull(uint16_t to) {
  LoadConstant(/*real=*/false, 0, 0, /*wide=*/true);
  ReplaceReference(to);
}

// The interpreter creates the buffer at its first use.
void ObjectEmitter::EmitRodata() {
  const Slow slow = code_.AddSlow(Slow::Kind::kStep);
  LoadRegister(/*real=*/false, 0,
               PointerIn(offsetof(CompiledState, rodata), OperandWord(0)));
  JumpIfZero(code_, 0, slow.entry);
  AddReference(code_);
  ReplaceReference(OperandRegister(1));
  Bind(slow.back);
}

// For an object of another type, the interpreter reports the error.
void ObjectEmitter::EmitGlobalReference() {
  const ElementType& want = program().module->types()[OperandWord(1)];
  const uint16_t to = OperandRegister(2);
  const Slow slow = code_.AddSlow(Slow::Kind::kStep);
  const asmjit::Label null = NewLabel();
  const Memory global =
      PointerIn(offsetof(CompiledState, global_refs), OperandWord(0));
  LoadRegister(/*real=*/false, 0, global);
  JumpIfZero(code_, 0, null);
  if (want.kind == Kind::kRef && want.ref != nullptr) {
    LoadConstant(/*real=*/false, 2, reinterpret_cast<uint64_t>(want.ref),
                 /*wide=*/true);
    JumpUnlessEqual(code_, 2, TypeOfObject(), slow.entry);
  } else if (want.kind != Kind::kVariant && want.kind != Kind::kRef) {
    Jump(code_, slow.entry);
  }
  if (IsMove(to)) {
    StoreBits(global, 0);
  } else {
    AddReference(code_);
  }
  Bind(null);
  ReplaceReference(RefIndex(to));
  Bind(slow.back);
}

void ObjectEmitter::EmitDiscard() {
  const uint8_t* list;
  std::memcpy(&list, current().at + LayOut(current().op()).at[0], sizeof(list));
  const RegisterList registers(list);
  for (uint32_t i = 0; i < registers.size(); ++i) {
    EmitNull(RefIndex(registers[i]));
  }
}

void ObjectEmitter::EmitGlobal() {
  const Access& value = In(0);
  LoadRegister(/*real=*/false, 1, StateAt(offsetof(CompiledState, globals)));
  const Memory at = {Memory::Base::kPointer, OperandWord(0), value.wide};
  if (value.written) {
    Load(value, at);
  } else {
    Store(value, at);
  }
}

// Emits the load of the size of a buffer in bytes, or of a list in elements.
void ObjectEmitter::EmitSize(size_t type, uint32_t field) {
  const Slow slow = code_.AddSlow(Slow::Kind::kStep);
  LoadObject(0, type, slow);
  Load(Out(), {Memory::Base::kObject, field, Out().wide});
  Bind(slow.back);
}

}  // namespace

bool EmitObject(Assembly& code) {
  return ObjectEmitter(code).Emit(code.current().op().op);
}

}  // namespace eyrie::vm::jit
