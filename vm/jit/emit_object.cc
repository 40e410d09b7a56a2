// References, globals, buffers and lists. Uncommon cases, such as another type
// or an index out of bounds, are left to the interpreter's body.
#include <cstring>

#include "vm/jit/emitter.h"
#include "vm/jit/layout.h"

namespace eyrie::vm::jit {

namespace Inst = x86::Inst;
using Kind = ElementType::Kind;

namespace {

int32_t PointerAt(uint32_t index) {
  return static_cast<int32_t>(index * sizeof(void*));
}

}  // namespace

uint16_t Emitter::OperandRegister(int operand) const {
  uint16_t reg;
  std::memcpy(&reg, current_->at + LayOut(current_->op()).at[operand], 2);
  return reg;
}

uint32_t Emitter::OperandWord(int operand) const {
  uint32_t word;
  std::memcpy(&word, current_->at + LayOut(current_->op()).at[operand], 4);
  return word;
}

void Emitter::TakeReference(uint16_t from) {
  const x86::Mem at = RefAt(RefIndex(from));
  a_.mov(x86::rax, at);
  if (IsMove(from)) {
    a_.mov(at, 0);
    return;
  }
  const asmjit::Label null = a_.newLabel();
  a_.test(x86::rax, x86::rax);
  a_.jz(null);
  ShareReference();
  a_.bind(null);
}

void Emitter::ShareReference() {
  a_.lock().inc(x86::dword_ptr(x86::rax, RefObjectLayout::kCount));
}

void Emitter::ReplaceReference(uint16_t to) {
  const asmjit::Label null = a_.newLabel();
  a_.mov(x86::rcx, RefAt(to));
  a_.mov(RefAt(to), x86::rax);
  a_.test(x86::rcx, x86::rcx);
  a_.jz(null);
  a_.call(State(offsetof(CompiledState, thunks.drop), 8));
  a_.bind(null);
}

void Emitter::DropReference(uint16_t index) {
  const asmjit::Label null = a_.newLabel();
  a_.mov(x86::rcx, RefAt(index));
  a_.test(x86::rcx, x86::rcx);
  a_.jz(null);
  a_.call(State(offsetof(CompiledState, thunks.drop), 8));
  a_.bind(null);
}

void Emitter::AssignReference(uint16_t from, uint16_t to) {
  if (RefIndex(from) == to) return;
  TakeReference(from);
  ReplaceReference(to);
}

#define EYRIE_NUMBERS(name) \
  case Op::k##name##I32:    \
  case Op::k##name##I64:    \
  case Op::k##name##F32:    \
  case Op::k##name##F64

bool Emitter::EmitObject(Op op) {
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
    default:
      return EmitGlobal(op) || EmitBuffer(op) || EmitList(op);
  }
}

// The interpreter creates the buffer at its first use.
void Emitter::EmitRodata() {
  const Slow slow = NewStepSlow();
  a_.mov(x86::rax, State(offsetof(CompiledState, rodata), 8));
  a_.mov(x86::rax, x86::qword_ptr(x86::rax, PointerAt(OperandWord(0))));
  a_.test(x86::rax, x86::rax);
  a_.jz(slow.entry);
  ShareReference();
  ReplaceReference(OperandRegister(1));
  a_.bind(slow.back);
}

// For an object of another type, the interpreter reports the error.
void Emitter::EmitGlobalReference() {
  const ElementType& want = program().module->types()[OperandWord(1)];
  const uint16_t to = OperandRegister(2);
  const Slow slow = NewStepSlow();
  const asmjit::Label null = a_.newLabel();
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

void Emitter::EmitDiscard() {
  const uint8_t* list;
  std::memcpy(&list, current_->at + LayOut(current_->op()).at[0], sizeof(list));
  const RegisterList registers(list);
  for (uint32_t i = 0; i < registers.size(); ++i) {
    a_.xor_(x86::eax, x86::eax);
    ReplaceReference(RefIndex(registers[i]));
  }
}

bool Emitter::EmitGlobal(Op op) {
  switch (op) {
    EYRIE_NUMBERS(GlobalLoad) : EYRIE_NUMBERS(GlobalStore) : break;
    default:
      return false;
  }
  const Access& value = In(0);
  a_.mov(x86::rcx, State(offsetof(CompiledState, globals), 8));
  const x86::Mem at(x86::rcx, static_cast<int32_t>(OperandWord(0)),
                    value.wide ? 8 : 4);
  if (!value.written) {
    Store(value, at);
  } else if (HomeOf(value).kind == Home::Kind::kFloat) {
    const x86::Xmm out = FloatOut(value, x86::xmm0);
    a_.emit(value.wide ? Inst::kIdMovsd : Inst::kIdMovss, out, at);
    FloatDone(value, out);
  } else {
    const x86::Gp out = IntegerOut(value, x86::rax);
    a_.mov(out, at);
    IntegerDone(value, out);
  }
  return true;
}

void Emitter::LoadObject(int operand, size_t type_offset, const Slow& slow) {
  a_.mov(x86::rax, RefAt(OperandRegister(operand)));
  a_.mov(x86::rcx, State(type_offset, 8));
  a_.test(x86::rax, x86::rax);
  a_.jz(slow.entry);
  a_.cmp(x86::rcx, x86::qword_ptr(x86::rax, RefObjectLayout::kType));
  a_.jne(slow.entry);
}

// Clobbers rcx and rdx.
x86::Mem Emitter::ElementAt(const Access& index, uint32_t width,
                            const Slow& slow) {
  uint32_t shift = 0;
  while (1u << shift != width) ++shift;
  a_.mov(x86::rdx, x86::qword_ptr(x86::rax, BufferLayout::kSize));
  if (shift != 0) a_.shr(x86::rdx, shift);
  int64_t at;
  const bool small = IsSmall(index, &at) && at >= 0 && at < (1 << 27);
  const x86::Gp by = small ? x86::Gp(x86::rcx) : Integer(index, x86::rcx);
  if (small) {
    a_.cmp(x86::rdx, static_cast<int32_t>(at));
    a_.jbe(slow.entry);
  } else {
    a_.cmp(by, x86::rdx);
    a_.jae(slow.entry);
  }
  a_.mov(x86::rax, x86::qword_ptr(x86::rax, BufferLayout::kData));
  if (small) {
    return x86::Mem(x86::rax, static_cast<int32_t>(at * width), width);
  }
  return x86::Mem(x86::rax, by, shift, 0, width);
}

// Clobbers only rcx.
void Emitter::LoadView(const View& view) {
  const x86::Gp count = x86::gpq(homes()[view.count_web].reg);
  const x86::Gp data = x86::gpq(homes()[view.data_web].reg);
  const bool list = view.element.of == Element::Of::kList;
  const asmjit::Label done = a_.newLabel();
  a_.mov(data, RefAt(view.element.ref));
  a_.xor_(Sized(count, false), Sized(count, false));
  a_.mov(x86::rcx, State(list ? offsetof(CompiledState, list_type)
                              : offsetof(CompiledState, buffer_type),
                         8));
  a_.test(data, data);
  a_.jz(done);
  a_.cmp(x86::rcx, x86::qword_ptr(data, RefObjectLayout::kType));
  a_.jne(done);
  if (list) {
    a_.cmp(x86::byte_ptr(data, ListLayout::kKind),
           static_cast<uint32_t>(view.element.kind));
    a_.jne(done);
    a_.mov(count, x86::qword_ptr(data, ListLayout::kSize));
    a_.mov(data, x86::qword_ptr(data, ListLayout::kStorage));
  } else {
    if (view.element.stores) {
      a_.cmp(x86::byte_ptr(data, BufferLayout::kMutable), 0);
      a_.je(done);
    }
    a_.mov(count, x86::qword_ptr(data, BufferLayout::kSize));
    if (view.element.shift != 0) a_.shr(count, view.element.shift);
    a_.mov(data, x86::qword_ptr(data, BufferLayout::kData));
  }
  a_.bind(done);
}

// Clobbers rcx. If `slow` is null, the index need not be checked.
x86::Mem Emitter::ViewedAt(const View& view, const Access& index,
                           const Slow* slow) {
  const x86::Gp count = x86::gpq(homes()[view.count_web].reg);
  const x86::Gp data = x86::gpq(homes()[view.data_web].reg);
  const uint32_t width = 1u << view.element.shift;
  int64_t at;
  if (IsSmall(index, &at) && at >= 0 && at < (1 << 27)) {
    if (slow != nullptr) {
      a_.cmp(count, static_cast<int32_t>(at));
      a_.jbe(slow->entry);
    }
    return x86::Mem(data, static_cast<int32_t>(at * width), width);
  }
  x86::Gp by = Integer(index, x86::rcx);
  if (!index.wide) {  // only lists have narrow indices
    a_.movsxd(x86::rcx, by);
    by = x86::rcx;
  }
  if (slow != nullptr) {
    a_.cmp(by, count);
    a_.jae(slow->entry);
  }
  return x86::Mem(data, by, view.element.shift, 0, width);
}

void Emitter::EmitViewed(const View& view, uint32_t load) {
  auto access = [&](const Slow* slow) {
    const x86::Mem at = ViewedAt(view, In(0), slow);
    if (In(1).written) {
      LoadElement(In(1), at, load);
    } else {
      StoreElement(In(1), at);
    }
  };
  if (checks_.IsSpared(number_) && !again_) return access(nullptr);
  const Slow slow = NewStepSlow();
  access(&slow);
  a_.bind(slow.back);
}

void Emitter::LoadElement(const Access& to, const x86::Mem& at, uint32_t load) {
  if (to.bank == Bank::kFloat) {
    const x86::Xmm out = FloatOut(to, x86::xmm0);
    a_.emit(to.wide ? Inst::kIdMovsd : Inst::kIdMovss, out, at);
    FloatDone(to, out);
  } else {
    const x86::Gp out = IntegerOut(to, x86::rax);
    a_.emit(load, out, at);
    IntegerDone(to, out);
  }
}

// Clobbers rdx.
void Emitter::StoreElement(const Access& value, const x86::Mem& at) {
  const uint32_t width = at.size();
  uint64_t bits;
  if (HomeOf(value).kind == Home::Kind::kFloat && width >= 4) {
    a_.emit(value.wide ? Inst::kIdMovsd : Inst::kIdMovss, at,
            Float(value, x86::xmm0));
    return;
  }
  if (IsConstant(value, &bits) && width == 4) {
    a_.mov(at, asmjit::Imm(static_cast<int32_t>(bits)));
    return;
  }
  const uint32_t from = Integer(value, x86::rdx).id();
  a_.mov(at, width == 1   ? x86::Gp(x86::gpb_lo(from))
             : width == 2 ? x86::Gp(x86::gpw(from))
             : width == 4 ? x86::Gp(x86::gpd(from))
                          : x86::Gp(x86::gpq(from)));
}

// Emits the load of the size of a buffer in bytes, or of a list in elements.
void Emitter::EmitSize(size_t type_offset, int32_t field) {
  const Slow slow = NewStepSlow();
  LoadObject(0, type_offset, slow);
  const x86::Gp out = IntegerOut(Out(), x86::rax);
  a_.mov(out, x86::Mem(x86::rax, field, Out().wide ? 8 : 4));
  IntegerDone(Out(), out);
  a_.bind(slow.back);
}

bool Emitter::EmitBuffer(Op op) {
  uint32_t width = 0;
  uint32_t load = Inst::kIdMov;
  switch (op) {
    case Op::kBufferLoadI8U:
    case Op::kBufferLoadI16U:
      load = Inst::kIdMovzx;
      width = op == Op::kBufferLoadI8U ? 1 : 2;
      break;
    case Op::kBufferLoadI8S:
    case Op::kBufferLoadI16S:
      load = Inst::kIdMovsx;
      width = op == Op::kBufferLoadI8S ? 1 : 2;
      break;
    case Op::kBufferStoreI8:
    case Op::kBufferStoreI16:
      width = op == Op::kBufferStoreI8 ? 1 : 2;
      break;
      EYRIE_NUMBERS(BufferLoad)
          : EYRIE_NUMBERS(BufferStore) : width = In(1).wide ? 8 : 4;
      break;
    case Op::kBufferLength:
      EmitSize(offsetof(CompiledState, buffer_type), BufferLayout::kSize);
      return true;
    default:
      return false;
  }
  if (const View* view = FindView()) {
    EmitViewed(*view, load);
    return true;
  }
  const Slow slow = NewStepSlow();
  const Access& value = In(1);
  LoadObject(0, offsetof(CompiledState, buffer_type), slow);
  if (value.written) {
    LoadElement(value, ElementAt(In(0), width, slow), load);
  } else {
    a_.cmp(x86::byte_ptr(x86::rax, BufferLayout::kMutable), 0);
    a_.je(slow.entry);
    StoreElement(value, ElementAt(In(0), width, slow));
  }
  a_.bind(slow.back);
  return true;
}

// If a list has another element type, the interpreter converts the elements.
bool Emitter::EmitList(Op op) {
  Kind kind;
  switch (op) {
    case Op::kListGetI32:
    case Op::kListSetI32:
      kind = Kind::kI32;
      break;
    case Op::kListGetI64:
    case Op::kListSetI64:
      kind = Kind::kI64;
      break;
    case Op::kListGetF32:
    case Op::kListSetF32:
      kind = Kind::kF32;
      break;
    case Op::kListGetF64:
    case Op::kListSetF64:
      kind = Kind::kF64;
      break;
    case Op::kListSize:
      EmitSize(offsetof(CompiledState, list_type), ListLayout::kSize);
      return true;
    default:
      return false;
  }
  if (const View* view = FindView()) {
    EmitViewed(*view, Inst::kIdMov);
    return true;
  }
  const Slow slow = NewStepSlow();
  const Access& value = In(1);
  LoadObject(0, offsetof(CompiledState, list_type), slow);
  a_.cmp(x86::byte_ptr(x86::rax, ListLayout::kKind),
         static_cast<uint32_t>(kind));
  a_.jne(slow.entry);
  const x86::Mem at = ItemAt(In(0), value.wide ? 8 : 4, slow);
  if (value.written) {
    LoadElement(value, at, Inst::kIdMov);
  } else {
    StoreElement(value, at);
  }
  a_.bind(slow.back);
  return true;
}

// Clobbers rcx.
x86::Mem Emitter::ItemAt(const Access& index, uint32_t width,
                         const Slow& slow) {
  int64_t at;
  const bool small = IsSmall(index, &at) && at >= 0 && at < (1 << 27);
  if (small) {
    a_.cmp(x86::qword_ptr(x86::rax, ListLayout::kSize),
           static_cast<int32_t>(at));
    a_.jbe(slow.entry);
  } else {
    a_.movsxd(x86::rcx, Integer(index, x86::rcx));
    a_.cmp(x86::rcx, x86::qword_ptr(x86::rax, ListLayout::kSize));
    a_.jae(slow.entry);
  }
  a_.mov(x86::rax, x86::qword_ptr(x86::rax, ListLayout::kStorage));
  if (small) {
    return x86::Mem(x86::rax, static_cast<int32_t>(at * width), width);
  }
  return x86::Mem(x86::rax, x86::rcx, width == 8 ? 3 : 2, 0, width);
}

#undef EYRIE_NUMBERS

}  // namespace eyrie::vm::jit
