// Elements of buffers and lists on x86-64.
#include "vm/jit/emit_element.h"

#include "vm/jit/layout.h"
#include "vm/jit/views.h"
#include "vm/jit/x86_64/operands.h"

namespace eyrie::vm::jit {
namespace {

namespace Inst = x86::Inst;
using Kind = ElementType::Kind;

class ElementEmitter : public Operands {
 public:
  ElementEmitter(Assembly& code, const Checks& checks)
      : Operands(code), checks_(checks) {}

  bool EmitBuffer(Op op);
  // If a list has another element type, the interpreter converts the elements.
  bool EmitList(Op op);

 private:
  // Returns the view of the element that the current instruction accesses, or
  // null.
  const View* FindView() const {
    return ViewOf(code_.views(), ElementOf(current()), code_.place().block);
  }
  // Reports whether the index is a constant whose element an instruction can
  // address: its offset in bytes, up to 8 times the index, fits 32 bits.
  bool IsNear(const Access& index, int64_t* at) const {
    return IsSmall(index, at) && *at >= 0 && *at < (1 << 27);
  }
  void EmitViewed(const View& view, uint32_t load);
  x86::Mem ViewedAt(const View& view, const Access& index, const Slow* slow);
  x86::Mem ElementAt(const Access& index, uint32_t width, const Slow& slow);
  x86::Mem ItemAt(const Access& index, uint32_t width, const Slow& slow);
  void LoadElement(const Access& to, const x86::Mem& at, uint32_t load);
  void StoreElement(const Access& value, const x86::Mem& at);

  const Checks& checks_;
};

#define EYRIE_NUMBERS(name) \
  case Op::k##name##I32:    \
  case Op::k##name##I64:    \
  case Op::k##name##F32:    \
  case Op::k##name##F64

bool ElementEmitter::EmitBuffer(Op op) {
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
    default:
      return false;
  }
  if (const View* view = FindView()) {
    EmitViewed(*view, load);
    return true;
  }
  const Slow slow = code_.AddSlow(Slow::Kind::kStep);
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

bool ElementEmitter::EmitList(Op op) {
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
    default:
      return false;
  }
  if (const View* view = FindView()) {
    EmitViewed(*view, Inst::kIdMov);
    return true;
  }
  const Slow slow = code_.AddSlow(Slow::Kind::kStep);
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

void ElementEmitter::EmitViewed(const View& view, uint32_t load) {
  auto access = [&](const Slow* slow) {
    const x86::Mem at = ViewedAt(view, In(0), slow);
    if (In(1).written) {
      LoadElement(In(1), at, load);
    } else {
      StoreElement(In(1), at);
    }
  };
  if (checks_.IsSpared(number()) && !code_.again()) return access(nullptr);
  const Slow slow = code_.AddSlow(Slow::Kind::kStep);
  access(&slow);
  a_.bind(slow.back);
}

// Clobbers rcx. If `slow` is null, the index need not be checked.
x86::Mem ElementEmitter::ViewedAt(const View& view, const Access& index,
                                  const Slow* slow) {
  const x86::Gp count = x86::gpq(homes()[view.count_web].reg);
  const x86::Gp data = x86::gpq(homes()[view.data_web].reg);
  const uint32_t width = 1u << view.element.shift;
  int64_t at;
  if (IsNear(index, &at)) {
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

// Clobbers rcx and rdx.
x86::Mem ElementEmitter::ElementAt(const Access& index, uint32_t width,
                                   const Slow& slow) {
  uint32_t shift = 0;
  while (1u << shift != width) ++shift;
  a_.mov(x86::rdx, x86::qword_ptr(x86::rax, BufferLayout::kSize));
  if (shift != 0) a_.shr(x86::rdx, shift);
  int64_t at;
  const bool small = IsNear(index, &at);
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

// Clobbers rcx.
x86::Mem ElementEmitter::ItemAt(const Access& index, uint32_t width,
                                const Slow& slow) {
  int64_t at;
  const bool small = IsNear(index, &at);
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

void ElementEmitter::LoadElement(const Access& to, const x86::Mem& at,
                                 uint32_t load) {
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
void ElementEmitter::StoreElement(const Access& value, const x86::Mem& at) {
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

#undef EYRIE_NUMBERS

}  // namespace

bool EmitElement(Assembly& code, const Checks& checks) {
  ElementEmitter emitter(code, checks);
  const Op op = code.current().op().op;
  return emitter.EmitBuffer(op) || emitter.EmitList(op);
}

}  // namespace eyrie::vm::jit
