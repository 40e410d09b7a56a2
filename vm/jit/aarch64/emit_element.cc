// Elements of buffers and lists on AArch64.
#include "vm/jit/emit_element.h"

#include "vm/jit/aarch64/operands.h"
#include "vm/jit/layout.h"
#include "vm/jit/views.h"

namespace eyrie::vm::jit {
namespace {

using Kind = ElementType::Kind;

class ElementEmitter : public Operands {
 public:
  ElementEmitter(Assembly& code, const Checks& checks)
      : Operands(code), checks_(checks) {}

  // If a list has another element type, the interpreter converts the elements.
  bool Emit();

 private:
  void EmitViewed(const View& view);
  // Access the element of the current instruction: its object is in x0, or a
  // view. Unless `slow` is null, they check the index.
  void AccessObject(const Element& element, const Slow& slow);
  void Access(const a64::Gp& data, const a64::Gp& count, uint32_t shift,
              const Slow* slow);
  void LoadElement(const a64::Mem& at, uint32_t width);
  void StoreElement(const a64::Mem& at, uint32_t width);

  const Checks& checks_;
};

bool ElementEmitter::Emit() {
  const Element element = ElementOf(current());
  if (element.of == Element::Of::kNone) return false;
  const View* const view = ViewOf(code_.views(), element, code_.place().block);
  if (view != nullptr) {
    EmitViewed(*view);
    return true;
  }
  const Slow slow = code_.AddSlow(Slow::Kind::kStep);
  AccessObject(element, slow);
  a_.bind(slow.back);
  return true;
}

void ElementEmitter::EmitViewed(const View& view) {
  const a64::Gp count = Integer(homes()[view.count_web].reg);
  const a64::Gp data = Integer(homes()[view.data_web].reg);
  const uint32_t shift = view.element.shift;
  if (checks_.IsSpared(number()) && !code_.again()) {
    return Access(data, count, shift, nullptr);
  }
  const Slow slow = code_.AddSlow(Slow::Kind::kStep);
  Access(data, count, shift, &slow);
  a_.bind(slow.back);
}

void ElementEmitter::AccessObject(const Element& element, const Slow& slow) {
  const bool list = element.of == Element::Of::kList;
  const a64::Gp count = a64::x2;
  LoadObject(0,
             list ? offsetof(CompiledState, list_type)
                  : offsetof(CompiledState, buffer_type),
             slow);
  if (list) {
    a_.ldrb(count.w(), a64::ptr(a64::x0, ListLayout::kKind));
    a_.cmp(count.w(), static_cast<uint32_t>(element.kind));
    a_.b_ne(slow.entry);
    a_.ldr(count, a64::ptr(a64::x0, ListLayout::kSize));
    a_.ldr(a64::x0, a64::ptr(a64::x0, ListLayout::kStorage));
  } else {
    if (element.stores) {
      a_.ldrb(count.w(), a64::ptr(a64::x0, BufferLayout::kMutable));
      a_.cbz(count.w(), slow.entry);
    }
    a_.ldr(count, a64::ptr(a64::x0, BufferLayout::kSize));
    if (element.shift != 0) a_.lsr(count, count, uint32_t{element.shift});
    a_.ldr(a64::x0, a64::ptr(a64::x0, BufferLayout::kData));
  }
  Access(a64::x0, count, element.shift, &slow);
}

// Clobbers x1, kNear and kFar; a store also x2.
void ElementEmitter::Access(const a64::Gp& data, const a64::Gp& count,
                            uint32_t shift, const Slow* slow) {
  const jit::Access& index = In(0);
  const uint32_t width = 1u << shift;
  auto access = [&](const a64::Mem& at) {
    if (In(1).written) {
      LoadElement(at, width);
    } else {
      StoreElement(at, width);
    }
  };
  int64_t at;
  if (IsSigned(index, &at) && at >= 0 && at < 4096) {
    if (slow != nullptr) {
      a_.cmp(count, at);
      a_.b_ls(slow->entry);
    }
    return access(a64::ptr(data, static_cast<int32_t>(at * width)));
  }
  a64::Gp by = In32or64(index, 1);
  if (!index.wide) {  // only lists have narrow indices
    a_.sxtw(a64::x1, by);
    by = a64::x1;
  }
  if (slow != nullptr) {
    a_.cmp(by, count);
    a_.b_hs(slow->entry);
  }
  access(shift == 0 ? a64::ptr(data, by) : a64::ptr(data, by, a64::lsl(shift)));
}

void ElementEmitter::LoadElement(const a64::Mem& at, uint32_t width) {
  if (width >= 4 && HomeOf(Out()).kind == Home::Kind::kFloat) {
    const a64::Vec out = RealOut();
    a_.ldr(out, at);
    return Done(out);
  }
  const a64::Gp out = Out32or64();
  switch (current().op().op) {
    case Op::kBufferLoadI8U:
      a_.ldrb(out, at);
      break;
    case Op::kBufferLoadI8S:
      a_.ldrsb(out, at);
      break;
    case Op::kBufferLoadI16U:
      a_.ldrh(out, at);
      break;
    case Op::kBufferLoadI16S:
      a_.ldrsh(out, at);
      break;
    default:
      a_.ldr(out, at);
  }
  Done(out);
}

void ElementEmitter::StoreElement(const a64::Mem& at, uint32_t width) {
  const jit::Access& value = In(1);
  if (HomeOf(value).kind == Home::Kind::kFloat && width >= 4) {
    a_.str(RealIn(value, 0), at);
    return;
  }
  const a64::Gp from = In32or64(value, 2);
  if (width == 1) {
    a_.strb(from, at);
  } else if (width == 2) {
    a_.strh(from, at);
  } else {
    a_.str(from, at);
  }
}

}  // namespace

bool EmitElement(Assembly& code, const Checks& checks) {
  return ElementEmitter(code, checks).Emit();
}

}  // namespace eyrie::vm::jit
