// Compiled code calls the thunks with an instruction's offset in edx, the
// function in rcx and the step in eax, except for CallImport, Resolve and Drop.
#include "vm/jit/thunk_writer.h"

#include <cstddef>
#include <cstring>
#include <iterator>

#include "absl/status/status.h"
#include "vm/jit/layout.h"
#include "vm/jit/x86_64/purpose.h"
#include "vm/run/compiled.h"

namespace eyrie::vm::jit {
namespace {

// The places where Drop saves rax and xmm0.
constexpr int kSavedNumber = CompiledState::kFirstSavedFloat - 1;
constexpr int kSavedReal = CompiledState::kSaved - 1;

constexpr uint8_t kDwarfRbx = 3;
constexpr uint8_t kDwarfRbp = 6;

// The assembler must exist before the base class, which refers to it.
struct ThunkAssembler {
  explicit ThunkAssembler(asmjit::CodeHolder& code)
      : a_(&code), leave_(a_.newLabel()) {}

  x86::Assembler a_;
  const asmjit::Label leave_;
};

class X86ThunkWriter final : private ThunkAssembler, public ThunkWriter {
 public:
  explicit X86ThunkWriter(asmjit::CodeHolder& code)
      : ThunkAssembler(code),
        ThunkWriter(a_, {{kDwarfRbp, kDwarfRbx, 12, 13, 14, 15}, {}}) {}

  void Enter() override;
  void CallImport() override;
  void Resolve() override;
  void Drop() override;
  void CallEdge(uint64_t function, bool keeps) override;

 private:
  static x86::Mem State(size_t offset) {
    return x86::qword_ptr(kState, static_cast<int32_t>(offset));
  }
  static x86::Mem Code(size_t offset, uint32_t size) {
    return x86::Mem(x86::rcx, static_cast<int32_t>(offset), size);
  }
  static x86::Mem Header(size_t offset) {
    return x86::qword_ptr(kFrame, static_cast<int32_t>(offset));
  }
  static x86::Mem Saved(int i) {
    return State(offsetof(CompiledState, saved) + static_cast<size_t>(i) * 8);
  }

  void Save() {
    VisitSaved([&](bool real, uint32_t id, int at) {
      if (real) {
        a_.movsd(Saved(at), x86::xmm(id));
      } else {
        a_.mov(Saved(at), x86::gpq(id));
      }
    });
  }
  void Restore() {
    VisitSaved([&](bool real, uint32_t id, int at) {
      if (real) {
        a_.movsd(x86::xmm(id), Saved(at));
      } else {
        a_.mov(x86::gpq(id), Saved(at));
      }
    });
  }

  void LeaveStack() {
    a_.mov(State(offsetof(CompiledState, left)), x86::rsp);
    NoteInCpp();
    a_.and_(x86::rsp, -16);
    a_.mov(State(offsetof(CompiledState, credit)), kFuel);
  }
  void ToCpp() {
    LeaveStack();
    GiveState();
  }
  void GiveState() {
    a_.mov(x86::rdi, kState);
    a_.mov(x86::rsi, kFrame);
  }
  void FromCpp() {
    a_.mov(x86::rsp, State(offsetof(CompiledState, left)));
    Note(0);
    a_.mov(kFuel, State(offsetof(CompiledState, credit)));
  }
  // Leaves compiled code if C++ returned false.
  void GoOn() {
    a_.test(x86::al, x86::al);
    a_.jz(leave_);
    FromCpp();
  }
  void CallCpp(uint64_t function) {
    a_.mov(x86::rax, function);
    a_.call(x86::rax);
  }

  // Returns the representation in memory of an OK status.
  static int32_t Succeeded() {
    const absl::Status status;
    static_assert(sizeof(status) == sizeof(uint64_t));
    uint64_t bits;
    std::memcpy(&bits, static_cast<const void*>(&status), sizeof(bits));
    return static_cast<int32_t>(bits);
  }

  void CallDirect();
};

// bool (CompiledState*, Frame*, const void* code). If compiled code is left,
// the stack pointer is reset to its value on entry.
void X86ThunkWriter::Enter() {
  const x86::Gp kept[] = {x86::rbp, x86::rbx, x86::r12,
                          x86::r13, x86::r14, x86::r15};
  uint32_t words = 0;
  for (const x86::Gp& reg : kept) {
    a_.push(reg);
    Note(++words);
  }
  a_.sub(x86::rsp, 8);
  Note(++words);
  a_.mov(kState, x86::rdi);
  a_.mov(kFrame, x86::rsi);
  a_.mov(kFuel, State(offsetof(CompiledState, credit)));
  a_.lea(x86::rax, x86::ptr(x86::rsp, -8));
  a_.mov(State(offsetof(CompiledState, entered)), x86::rax);
  a_.call(x86::rdx);
  a_.mov(State(offsetof(CompiledState, number)), x86::rax);
  a_.movsd(State(offsetof(CompiledState, real)), x86::xmm0);
  a_.mov(State(offsetof(CompiledState, credit)), kFuel);
  a_.mov(x86::eax, 1);
  const asmjit::Label out = a_.newLabel();
  a_.bind(out);
  a_.add(x86::rsp, 8);
  Note(--words);
  for (int i = 5; i >= 0; --i) {
    a_.pop(kept[i]);
    Note(--words);
  }
  a_.ret();
  a_.bind(leave_);
  a_.mov(x86::rsp, State(offsetof(CompiledState, entered)));
  a_.add(x86::rsp, 8);
  Note(std::size(kept) + 1);
  a_.xor_(x86::eax, x86::eax);
  a_.jmp(out);
}

void X86ThunkWriter::CallEdge(uint64_t function, bool keeps) {
  if (keeps) Save();
  ToCpp();
  a_.mov(x86::r8d, x86::eax);
  CallCpp(function);
  GoOn();
  if (keeps) Restore();
  a_.ret();
}

// Calls the import whose ResolvedImport is at rax and whose places are at
// rdx; the frame ends at rsi. Tries the quick function first, if there is
// one.
void X86ThunkWriter::CallImport() {
  constexpr x86::Gp kQuick = x86::r8;
  constexpr x86::Gp kPassed[] = {x86::rax, x86::rcx, x86::rdx, x86::rsi};
  const asmjit::Label direct = a_.newLabel();
  const asmjit::Label unanswered = a_.newLabel();
  a_.mov(kQuick, x86::qword_ptr(x86::rax, ImportLayout::kQuick));
  a_.test(kQuick, kQuick);
  a_.jz(direct);
  for (int i = 0; i < 4; ++i) a_.mov(Saved(i), kPassed[i]);
  a_.mov(x86::rdi, kFrame);
  a_.mov(x86::rsi, x86::rdx);
  a_.mov(State(offsetof(CompiledState, left)), x86::rsp);
  NoteInCpp();
  a_.and_(x86::rsp, -16);
  a_.call(kQuick);
  a_.mov(x86::rsp, State(offsetof(CompiledState, left)));
  Note(0);
  a_.test(x86::al, x86::al);
  a_.jz(unanswered);
  a_.ret();
  a_.bind(unanswered);
  for (int i = 0; i < 4; ++i) a_.mov(kPassed[i], Saved(i));
  a_.bind(direct);
  CallDirect();
}

// Calls the direct function. If the import has none, calls the thunk
// `yieldable`. The function may look for its caller in the frame's header.
void X86ThunkWriter::CallDirect() {
  const asmjit::Label other = a_.newLabel();
  const asmjit::Label ended = a_.newLabel();
  const x86::Gp direct = x86::r8;
  a_.sub(x86::rdx, ImportLayout::kPlaces);
  a_.mov(direct, x86::qword_ptr(x86::rax, ImportLayout::kDirect));
  a_.test(direct, direct);
  a_.jz(other);
  a_.mov(x86::r9, State(offsetof(CompiledState, stack_top)));
  a_.mov(x86::qword_ptr(x86::r9), x86::rsi);
  a_.mov(x86::rsi, x86::qword_ptr(x86::rax, ImportLayout::kState));
  a_.mov(x86::r9, State(offsetof(CompiledState, frame)));
  a_.mov(x86::qword_ptr(x86::r9), kFrame);
  a_.mov(x86::r9, State(offsetof(CompiledState, state)));
  a_.mov(Header(offsetof(Frame, function)), x86::rcx);
  a_.mov(Header(offsetof(Frame, pc)), x86::rdx);
  a_.mov(Header(offsetof(Frame, state)), x86::r9);
  a_.lea(x86::rcx, x86::ptr(x86::rdx, ImportLayout::kPlaces));
  a_.mov(x86::rdx, kFrame);
  const x86::Mem status = State(offsetof(CompiledState, status));
  a_.lea(x86::rdi, status);
  LeaveStack();
  a_.call(direct);
  a_.mov(x86::rax, State(offsetof(CompiledState, stop)));
  a_.cmp(status, Succeeded());
  a_.jne(ended);
  a_.cmp(x86::byte_ptr(x86::rax), 0);
  a_.jne(ended);
  FromCpp();
  a_.ret();
  a_.bind(ended);
  NoteInCpp();
  GiveState();
  CallCpp(reinterpret_cast<uint64_t>(&CompiledImportEnded));
  GoOn();
  a_.ret();
  a_.bind(other);
  Note(0);
  a_.sub(x86::rdx, Code(offsetof(FunctionCode, lowered), 8));
  a_.jmp(x86::qword_ptr(kState, offsetof(CompiledState, thunks.yieldable)));
}

// Called like a function, with its FunctionCode in rax.
void X86ThunkWriter::Resolve() {
  Save();
  ToCpp();
  a_.mov(x86::rdx, x86::rax);
  CallCpp(reinterpret_cast<uint64_t>(&CompiledResolve));
  a_.test(x86::rax, x86::rax);
  a_.jz(leave_);
  FromCpp();
  a_.jmp(x86::rax);
}

// Drops a reference to the object in rcx; preserves rax and xmm0, too. Only
// the last reference needs C++. If another thread has dropped its reference
// meanwhile, restores the count and then drops the last one.
void X86ThunkWriter::Drop() {
  const asmjit::Label last = a_.newLabel();
  const asmjit::Label raced = a_.newLabel();
  const x86::Mem count = x86::dword_ptr(x86::rcx, RefObjectLayout::kCount);
  a_.cmp(count, 1);
  a_.je(last);
  a_.lock().sub(count, 1);
  a_.jz(raced);
  a_.ret();
  a_.bind(raced);
  a_.mov(count, 1);
  a_.bind(last);
  Save();
  a_.mov(Saved(kSavedNumber), x86::rax);
  a_.movsd(Saved(kSavedReal), x86::xmm0);
  ToCpp();
  a_.mov(x86::rdi, x86::rcx);
  CallCpp(reinterpret_cast<uint64_t>(&CompiledDrop));
  FromCpp();
  a_.mov(x86::rax, Saved(kSavedNumber));
  a_.movsd(x86::xmm0, Saved(kSavedReal));
  Restore();
  a_.ret();
}

}  // namespace

std::unique_ptr<ThunkWriter> NewThunkWriter(asmjit::CodeHolder& code) {
  return std::make_unique<X86ThunkWriter>(code);
}

}  // namespace eyrie::vm::jit
