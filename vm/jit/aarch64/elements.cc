// Elements of buffers and lists on AArch64.
#include "vm/jit/aarch64/operands.h"
#include "vm/jit/machine_code.h"

namespace eyrie::vm::jit {
namespace {

class ElementAccess : public Operands {
 public:
  using Operands::Operands;

  // `count` is null if the index need not be checked.
  void Emit(const a64::Gp& data, uint32_t shift, const a64::Gp* count,
            const asmjit::Label& outside);

 private:
  void Access(const a64::Mem& at, uint32_t width);
  void Load(const a64::Mem& at, uint32_t width);
  void Store(const a64::Mem& at, uint32_t width);
};

void ElementAccess::Emit(const a64::Gp& data, uint32_t shift,
                         const a64::Gp* count, const asmjit::Label& outside) {
  const jit::Access& index = In(0);
  const uint32_t width = 1u << shift;
  int64_t at;
  if (IsSigned(index, &at) && at >= 0 && at < 4096) {
    if (count != nullptr) {
      a_.cmp(*count, at);
      a_.b_ls(outside);
    }
    return Access(a64::ptr(data, static_cast<int32_t>(at * width)), width);
  }
  a64::Gp by = In32or64(index, 1);
  if (!index.wide) {  // only lists have narrow indices
    a_.sxtw(a64::x1, by);
    by = a64::x1;
  }
  if (count != nullptr) {
    a_.cmp(by, *count);
    a_.b_hs(outside);
  }
  Access(shift == 0 ? a64::ptr(data, by) : a64::ptr(data, by, a64::lsl(shift)),
         width);
}

void ElementAccess::Access(const a64::Mem& at, uint32_t width) {
  if (In(1).written) {
    Load(at, width);
  } else {
    Store(at, width);
  }
}

void ElementAccess::Load(const a64::Mem& at, uint32_t width) {
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

// Clobbers x2.
void ElementAccess::Store(const a64::Mem& at, uint32_t width) {
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

void AccessElement(Assembly& code, uint8_t data, uint32_t shift, uint8_t count,
                   const asmjit::Label& outside) {
  const a64::Gp counted = Integer(count);
  ElementAccess(code).Emit(Integer(data), shift, &counted, outside);
}

void AccessElement(Assembly& code, uint8_t data, uint32_t shift) {
  ElementAccess(code).Emit(Integer(data), shift, nullptr, {});
}

}  // namespace eyrie::vm::jit
