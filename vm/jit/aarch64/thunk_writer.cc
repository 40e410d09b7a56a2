// Compiled code calls the thunks with an instruction's offset in w2, the
// function in x3 and the step in w1, except for CallImport, Resolve and Drop.
// Each pushes x29 and the return address, so the stack pointer stays aligned;
// C++ preserves it.
#include "vm/jit/thunk_writer.h"

#include <cstddef>
#include <cstring>

#include "absl/status/status.h"
#include "vm/jit/aarch64/operands.h"
#include "vm/jit/layout.h"
#include "vm/run/compiled.h"

namespace eyrie::vm::jit {
namespace {

// The places where Drop saves x0 and d0.
constexpr int kSavedNumber = CompiledState::kFirstSavedFloat - 1;
constexpr int kSavedReal = CompiledState::kSaved - 1;

// The assembler must exist before the base class, which refers to it.
struct ThunkAssembler {
  explicit ThunkAssembler(asmjit::CodeHolder& code)
      : a_(&code), leave_(a_.newLabel()) {}

  a64::Assembler a_;
  const asmjit::Label leave_;
};

class ArmThunkWriter final : private ThunkAssembler, public ThunkWriter {
 public:
  explicit ArmThunkWriter(asmjit::CodeHolder& code)
      : ThunkAssembler(code),
        ThunkWriter(a_,
                    {{30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19}, {}}) {}

  void Enter() override;
  void CallImport() override;
  void Resolve() override;
  void Drop() override;
  void CallEdge(uint64_t function, bool keeps) override;

 private:
  a64::Mem State(size_t offset) { return AddressOf(a_, kState, offset, 8); }
  a64::Mem Saved(int i) {
    return State(offsetof(CompiledState, saved) + static_cast<size_t>(i) * 8);
  }

  void Save() {
    VisitSaved([&](bool real, uint32_t id, int at) {
      if (real) {
        a_.str(Real(id), Saved(at));
      } else {
        a_.str(Integer(id), Saved(at));
      }
    });
  }
  void Restore() {
    VisitSaved([&](bool real, uint32_t id, int at) {
      if (real) {
        a_.ldr(Real(id), Saved(at));
      } else {
        a_.ldr(Integer(id), Saved(at));
      }
    });
  }

  void Push() {
    a_.stp(a64::x29, kLink, a64::ptr_pre(a64::sp, -16));
    Note(2);
  }
  void Pop() {
    a_.ldp(a64::x29, kLink, a64::ptr_post(a64::sp, 16));
    Note(0);
  }
  void Return() {
    Pop();
    a_.ret(kLink);
  }

  // Points CompiledState::left to the return address.
  void NoteLeft() {
    a_.add(kNear, a64::sp, 8);
    a_.str(kNear, State(offsetof(CompiledState, left)));
    NoteInCpp();
  }
  void LeaveStack() {
    NoteLeft();
    a_.str(kFuel, State(offsetof(CompiledState, credit)));
  }
  void GiveState() {
    a_.mov(a64::x0, kState);
    a_.mov(a64::x1, kFrame);
  }
  void FromCpp() {
    Note(2);
    a_.ldr(kFuel, State(offsetof(CompiledState, credit)));
  }
  // Continues at the label if C++ returned false.
  void IfFalse(const asmjit::Label& label) {
    a_.tst(a64::w0, 0xFF);
    a_.b_eq(label);
  }
  // Leaves compiled code if C++ returned false.
  void GoOn() {
    IfFalse(leave_);
    FromCpp();
  }
  void CallCpp(uint64_t function) {
    LoadBits(a_, kNear, function);
    a_.blr(kNear);
  }

  // Returns the representation in memory of an OK status.
  static uint64_t Succeeded() {
    const absl::Status status;
    static_assert(sizeof(status) == sizeof(uint64_t));
    uint64_t bits;
    std::memcpy(&bits, static_cast<const void*>(&status), sizeof(bits));
    return bits;
  }

  void CallDirect();
};

// bool (CompiledState*, Frame*, const void* code). If compiled code is left,
// the stack pointer is reset to its value on entry.
void ArmThunkWriter::Enter() {
  Push();
  for (uint32_t id = 27; id >= 19; id -= 2) {
    a_.stp(Integer(id), Integer(id + 1), a64::ptr_pre(a64::sp, -16));
    Note(2 + (29 - id));
  }
  a_.mov(kState, a64::x0);
  a_.mov(kFrame, a64::x1);
  a_.ldr(kFuel, State(offsetof(CompiledState, credit)));
  a_.sub(kNear, a64::sp, 8);
  a_.str(kNear, State(offsetof(CompiledState, entered)));
  a_.blr(a64::x2);
  a_.str(a64::x0, State(offsetof(CompiledState, number)));
  a_.str(a64::d0, State(offsetof(CompiledState, real)));
  a_.str(kFuel, State(offsetof(CompiledState, credit)));
  LoadBits(a_, a64::w0, 1);
  const asmjit::Label out = a_.newLabel();
  a_.bind(out);
  for (uint32_t id = 19; id <= 27; id += 2) {
    a_.ldp(Integer(id), Integer(id + 1), a64::ptr_post(a64::sp, 16));
    Note(2 + (27 - id));
  }
  Return();
  a_.bind(leave_);
  Note(12);
  a_.ldr(kNear, State(offsetof(CompiledState, entered)));
  a_.add(a64::sp, kNear, 8);
  LoadBits(a_, a64::w0, 0);
  a_.b(out);
}

void ArmThunkWriter::CallEdge(uint64_t function, bool keeps) {
  Push();
  if (keeps) Save();
  LeaveStack();
  a_.mov(a64::w4, a64::w1);
  GiveState();
  CallCpp(function);
  GoOn();
  if (keeps) Restore();
  Return();
}

// Calls the import whose ResolvedImport is at x0 and whose places are at x2;
// the frame ends at x1. Tries the quick function first, if there is one.
void ArmThunkWriter::CallImport() {
  const asmjit::Label direct = a_.newLabel();
  const asmjit::Label unanswered = a_.newLabel();
  Push();
  a_.ldr(a64::x4, a64::ptr(a64::x0, ImportLayout::kQuick));
  a_.cbz(a64::x4, direct);
  for (int i = 0; i < 4; ++i) {
    a_.str(Integer(static_cast<uint32_t>(i)), Saved(i));
  }
  a_.mov(a64::x0, kFrame);
  a_.mov(a64::x1, a64::x2);
  NoteLeft();
  a_.blr(a64::x4);
  Note(2);
  IfFalse(unanswered);
  Return();
  a_.bind(unanswered);
  Note(2);
  for (int i = 0; i < 4; ++i) {
    a_.ldr(Integer(static_cast<uint32_t>(i)), Saved(i));
  }
  a_.bind(direct);
  CallDirect();
}

// Calls the direct function, which returns its status through x8. If the import
// has none, calls the thunk `yieldable`. The function may look for its caller
// in the frame's header.
void ArmThunkWriter::CallDirect() {
  const asmjit::Label other = a_.newLabel();
  const asmjit::Label ended = a_.newLabel();
  auto header = [&](size_t offset) { return AddressOf(a_, kFrame, offset, 8); };
  a_.sub(a64::x2, a64::x2, uint32_t{ImportLayout::kPlaces});
  a_.ldr(a64::x4, a64::ptr(a64::x0, ImportLayout::kDirect));
  a_.cbz(a64::x4, other);
  a_.ldr(a64::x5, State(offsetof(CompiledState, stack_top)));
  a_.str(a64::x1, a64::ptr(a64::x5));
  a_.ldr(a64::x0, a64::ptr(a64::x0, ImportLayout::kState));
  a_.ldr(a64::x5, State(offsetof(CompiledState, frame)));
  a_.str(kFrame, a64::ptr(a64::x5));
  a_.ldr(a64::x5, State(offsetof(CompiledState, state)));
  a_.str(a64::x3, header(offsetof(Frame, function)));
  a_.str(a64::x2, header(offsetof(Frame, pc)));
  a_.str(a64::x5, header(offsetof(Frame, state)));
  a_.add(a64::x2, a64::x2, uint32_t{ImportLayout::kPlaces});
  a_.mov(a64::x1, kFrame);
  AddConstant(a_, a64::x8, kState, offsetof(CompiledState, status));
  LeaveStack();
  a_.blr(a64::x4);
  a_.ldr(a64::x5, State(offsetof(CompiledState, stop)));
  a_.ldr(a64::x6, State(offsetof(CompiledState, status)));
  LoadBits(a_, a64::x7, Succeeded());
  a_.cmp(a64::x6, a64::x7);
  a_.b_ne(ended);
  a_.ldrb(a64::w5, a64::ptr(a64::x5));
  a_.cbnz(a64::w5, ended);
  FromCpp();
  Return();
  a_.bind(ended);
  NoteInCpp();
  GiveState();
  CallCpp(reinterpret_cast<uint64_t>(&CompiledImportEnded));
  GoOn();
  Return();
  a_.bind(other);
  Note(2);
  a_.ldr(a64::x5, a64::ptr(a64::x3, offsetof(FunctionCode, lowered)));
  a_.sub(a64::x2, a64::x2, a64::x5);
  Pop();
  a_.ldr(kNear, State(offsetof(CompiledState, thunks.yieldable)));
  a_.br(kNear);
}

// Called like a function, with its FunctionCode in x0.
void ArmThunkWriter::Resolve() {
  Push();
  Save();
  LeaveStack();
  a_.mov(a64::x2, a64::x0);
  GiveState();
  CallCpp(reinterpret_cast<uint64_t>(&CompiledResolve));
  a_.cbz(a64::x0, leave_);
  a_.mov(kNear, a64::x0);
  FromCpp();
  Pop();
  a_.br(kNear);
}

// Drops a reference to the object in x1; preserves x0 and d0, too. Only the
// last reference needs C++. If another thread has dropped its reference
// meanwhile, restores the count and then drops the last one.
void ArmThunkWriter::Drop() {
  const asmjit::Label last = a_.newLabel();
  const asmjit::Label again = a_.newLabel();
  const a64::Gp count = kNear.w();
  a_.add(kFar, a64::x1, uint32_t{RefObjectLayout::kCount});
  a_.ldar(count, a64::ptr(kFar));
  a_.cmp(count, 1);
  a_.b_eq(last);
  a_.bind(again);
  a_.ldaxr(count, a64::ptr(kFar));
  a_.sub(count, count, 1);
  a_.stlxr(a64::w2, count, a64::ptr(kFar));
  a_.cbnz(a64::w2, again);
  const asmjit::Label raced = a_.newLabel();
  a_.cbz(count, raced);
  a_.ret(kLink);
  a_.bind(raced);
  LoadBits(a_, count, 1);
  a_.str(count, a64::ptr(kFar));
  a_.bind(last);
  Push();
  Save();
  a_.str(a64::x0, Saved(kSavedNumber));
  a_.str(a64::d0, Saved(kSavedReal));
  LeaveStack();
  a_.mov(a64::x0, a64::x1);
  CallCpp(reinterpret_cast<uint64_t>(&CompiledDrop));
  FromCpp();
  a_.ldr(a64::x0, Saved(kSavedNumber));
  a_.ldr(a64::d0, Saved(kSavedReal));
  Restore();
  Return();
}

}  // namespace

std::unique_ptr<ThunkWriter> NewThunkWriter(asmjit::CodeHolder& code) {
  return std::make_unique<ArmThunkWriter>(code);
}

}  // namespace eyrie::vm::jit
