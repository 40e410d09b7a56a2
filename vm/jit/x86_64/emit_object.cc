// References, globals and sizes on x86-64.
#include "vm/jit/emit_object.h"

#include <cstring>

#include "vm/jit/layout.h"
#include "vm/jit/x86_64/operands.h"

namespace eyrie::vm::jit {
namespace {

using Kind = ElementType::Kind;

int32_t PointerAt(uint32_t index) {
  return static_cast<int32_t>(index * sizeof(void*));
}

class ObjectEmitter : public Operands {
 public:
  using Operands::Operands;

  bool Emit(Op op);

 private:
  void EmitRodata();
  void EmitGlobalReference();
  void EmitDiscard();
  bool EmitGlobal(Op op);
  void EmitSize(size_t type, int32_t field);
};

#define EYRIE_NUMBERS(name) \
  case Op::k##name##I32:    \
  case Op::k##name##I64:    \
  case Op::k##name##F32:    \
  case Op::k##name##F64

bool ObjectEmitter::Emit(Op op) {
  switch (op) {
    case Op::kConstRefZero:
      a_.xor_(x86::eax, x86::eax);
      ReplaceReference(OperandRegister(0));
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
    default:
      return EmitGlobal(op);
  }
}

// The interpreter creates the buffer at its first use.
void ObjectEmitter::EmitRodata() {
  const Slow slow = code_.AddSlow(Slow::Kind::kStep);
  a_.mov(x86::rax, State(offsetof(CompiledState, rodata), 8));
  a_.mov(x86::rax, x86::qword_ptr(x86::rax, PointerAt(OperandWord(0))));
  a_.test(x86::rax, x86::rax);
  a_.jz(slow.entry);
  ShareReference();
  ReplaceReference(OperandRegister(1));
  a_.bind(slow.back);
}

// For an object of another type, the interpreter reports the error.
void ObjectEmitter::EmitGlobalReference() {
  const ElementType& want = program().module->types()[OperandWord(1)];
  const uint16_t to = OperandRegister(2);
  const Slow slow = code_.AddSlow(Slow::Kind::kStep);
  const asmjit::Label null = NewLabel();
  a_.mov(x86::rdx, State(offsetof(CompiledState, global_refs), 8));
  const x86::Mem global = x86::qword_ptr(x86::rdx, PointerAt(OperandWord(0)));
  a_.mov(x86::rax, global);
  a_.test(x86::rax, x86::rax);
  a_.jz(null);
  if (want.kind == Kind::kRef && want.ref != nullptr) {
    a_.mov(x86::rcx, reinterpret_cast<uint64_t>(want.ref));
    a_.cmp(x86::rcx, x86::qword_ptr(x86::rax, RefObjectLayout::kType));
    a_.jne(slow.entry);
  } else if (want.kind != Kind::kVariant && want.kind != Kind::kRef) {
    a_.jmp(slow.entry);
  }
  if (IsMove(to)) {
    a_.mov(global, 0);
  } else {
    ShareReference();
  }
  a_.bind(null);
  ReplaceReference(RefIndex(to));
  a_.bind(slow.back);
}

void ObjectEmitter::EmitDiscard() {
  const uint8_t* list;
  std::memcpy(&list, current().at + LayOut(current().op()).at[0], sizeof(list));
  const RegisterList registers(list);
  for (uint32_t i = 0; i < registers.size(); ++i) {
    a_.xor_(x86::eax, x86::eax);
    ReplaceReference(RefIndex(registers[i]));
  }
}

bool ObjectEmitter::EmitGlobal(Op op) {
  switch (op) {
    EYRIE_NUMBERS(GlobalLoad) : EYRIE_NUMBERS(GlobalStore) : break;
    default:
      return false;
  }
  const Access& value = In(0);
  a_.mov(kPointer, State(offsetof(CompiledState, globals), 8));
  const Memory at = {Memory::Base::kPointer, OperandWord(0), value.wide};
  if (value.written) {
    Load(value, at);
  } else {
    Store(value, at);
  }
  return true;
}

// Emits the load of the size of a buffer in bytes, or of a list in elements.
void ObjectEmitter::EmitSize(size_t type, int32_t field) {
  const Slow slow = code_.AddSlow(Slow::Kind::kStep);
  LoadObject(0, type, slow);
  const x86::Gp out = IntegerOut(Out(), x86::rax);
  a_.mov(out, x86::Mem(x86::rax, field, Out().wide ? 8 : 4));
  IntegerDone(Out(), out);
  a_.bind(slow.back);
}

#undef EYRIE_NUMBERS

}  // namespace

bool EmitObject(Assembly& code) {
  return ObjectEmitter(code).Emit(code.current().op().op);
}

}  // namespace eyrie::vm::jit
