// Elements of buffers and lists on x86-64.
#include "vm/jit/machine_code.h"
#include "vm/jit/x86_64/operands.h"

namespace eyrie::vm::jit {
namespace {

namespace Inst = x86::Inst;

class ElementAccess : public Operands {
 public:
  using Operands::Operands;

  // `count` is null if the index need not be checked.
  void Emit(const x86::Gp& data, uint32_t shift, const x86::Gp* count,
            const asmjit::Label& outside);

 private:
  void Access(const x86::Mem& at);
  void Load(const x86::Mem& at);
  void Store(const x86::Mem& at);
};

void ElementAccess::Emit(const x86::Gp& data, uint32_t shift,
                         const x86::Gp* count, const asmjit::Label& outside) {
  const jit::Access& index = In(0);
  const uint32_t width = 1u << shift;
  // An instruction can address an element whose offset in bytes fits 32 bits.
  constexpr int64_t kNear = int64_t{1} << 27;
  int64_t at;
  if (IsSmall(index, &at) && at >= 0 && at < kNear) {
    if (count != nullptr) {
      a_.cmp(*count, static_cast<int32_t>(at));
      a_.jbe(outside);
    }
    return Access(x86::Mem(data, static_cast<int32_t>(at * width), width));
  }
  x86::Gp by = Integer(index, x86::rcx);
  if (!index.wide) {  // only lists have narrow indices
    a_.movsxd(x86::rcx, by);
    by = x86::rcx;
  }
  if (count != nullptr) {
    a_.cmp(by, *count);
    a_.jae(outside);
  }
  Access(x86::Mem(data, by, shift, 0, width));
}

void ElementAccess::Access(const x86::Mem& at) {
  if (In(1).written) {
    Load(at);
  } else {
    Store(at);
  }
}

void ElementAccess::Load(const x86::Mem& at) {
  if (Out().bank == Bank::kFloat) {
    const x86::Xmm out = FloatOut(Out(), x86::xmm0);
    a_.emit(Out().wide ? Inst::kIdMovsd : Inst::kIdMovss, out, at);
    return FloatDone(Out(), out);
  }
  const x86::Gp out = IntegerOut(Out(), x86::rax);
  switch (current().op().op) {
    case Op::kBufferLoadI8U:
    case Op::kBufferLoadI16U:
      a_.movzx(out, at);
      break;
    case Op::kBufferLoadI8S:
    case Op::kBufferLoadI16S:
      a_.movsx(out, at);
      break;
    default:
      a_.mov(out, at);
  }
  IntegerDone(Out(), out);
}

// Clobbers rdx.
void ElementAccess::Store(const x86::Mem& at) {
  const jit::Access& value = In(1);
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

}  // namespace

void AccessElement(Assembly& code, uint8_t data, uint32_t shift, uint8_t count,
                   const asmjit::Label& outside) {
  const x86::Gp counted = x86::gpq(count);
  ElementAccess(code).Emit(x86::gpq(data), shift, &counted, outside);
}

void AccessElement(Assembly& code, uint8_t data, uint32_t shift) {
  ElementAccess(code).Emit(x86::gpq(data), shift, nullptr, {});
}

}  // namespace eyrie::vm::jit
