// References, globals and sizes on AArch64.
#include "vm/jit/emit_object.h"

#include <cstring>

#include "vm/jit/aarch64/operands.h"
#include "vm/jit/layout.h"

namespace eyrie::vm::jit {
namespace {

using Kind = ElementType::Kind;

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
  // Loads the address of a pointer in an array of CompiledState to x3.
  void LoadAddress(size_t array, uint32_t index) {
    a_.ldr(a64::x3, State(array));
    if (index == 0) return;
    AddConstant(a_, a64::x3, a64::x3,
                static_cast<int64_t>(index * sizeof(void*)));
  }
};

#define EYRIE_NUMBERS(name) \
  case Op::k##name##I32:    \
  case Op::k##name##I64:    \
  case Op::k##name##F32:    \
  case Op::k##name##F64

bool ObjectEmitter::Emit(Op op) {
  switch (op) {
    case Op::kConstRefZero:
      LoadBits(a_, a64::x0, 0);
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
  LoadAddress(offsetof(CompiledState, rodata), OperandWord(0));
  a_.ldr(a64::x0, a64::ptr(a64::x3));
  a_.cbz(a64::x0, slow.entry);
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
  LoadAddress(offsetof(CompiledState, global_refs), OperandWord(0));
  a_.ldr(a64::x0, a64::ptr(a64::x3));
  a_.cbz(a64::x0, null);
  if (want.kind == Kind::kRef && want.ref != nullptr) {
    LoadBits(a_, a64::x1, reinterpret_cast<uint64_t>(want.ref));
    a_.ldr(a64::x2, a64::ptr(a64::x0, RefObjectLayout::kType));
    a_.cmp(a64::x1, a64::x2);
    a_.b_ne(slow.entry);
  } else if (want.kind != Kind::kVariant && want.kind != Kind::kRef) {
    a_.b(slow.entry);
  }
  if (IsMove(to)) {
    a_.str(a64::xzr, a64::ptr(a64::x3));
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
    LoadBits(a_, a64::x0, 0);
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
  a_.ldr(kPointer, State(offsetof(CompiledState, globals)));
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
  const a64::Gp out = Out32or64();
  a_.ldr(out, a64::ptr(a64::x0, field));
  Done(out);
  a_.bind(slow.back);
}

#undef EYRIE_NUMBERS

}  // namespace

bool EmitObject(Assembly& code) {
  return ObjectEmitter(code).Emit(code.current().op().op);
}

}  // namespace eyrie::vm::jit
