// Thunks are emitted once; purpose.h defines the registers. Compiled code calls
// them with an instruction's offset in edx, the function in rcx and the step in
// eax, except for CallImport, Resolve and Drop. Only return addresses and saved
// registers are on the stack.
#include "vm/jit/thunks.h"

#include <cstddef>
#include <cstring>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "asmjit/x86.h"
#include "base/status_macros.h"
#include "vm/jit/errors.h"
#include "vm/jit/layout.h"
#include "vm/jit/purpose.h"

namespace eyrie::vm::jit {
namespace {

namespace x86 = asmjit::x86;

constexpr x86::Gp kClobbered[] = {x86::rsi, x86::rdi, x86::r8,
                                  x86::r9,  x86::r10, x86::r11};
constexpr int kFirstFloat = 2;
static_assert(std::size(kClobbered) == CompiledState::kFirstSavedFloat);

constexpr uint8_t kDwarfRbx = 3;
constexpr uint8_t kDwarfRbp = 6;

class ThunkWriter {
 public:
  explicit ThunkWriter(asmjit::CodeHolder& code) : a_(&code) {}

  // A thunk: the field for its address, its name for debuggers, and its
  // emitter.
  struct Thunk {
    size_t field;
    const char* name;
    void (ThunkWriter::*write)();
  };
  static std::span<const Thunk> Thunks() {
    using T = CompiledThunks;
    using W = ThunkWriter;
    static constexpr Thunk kThunks[] = {
        {offsetof(T, enter), "eyrie::enter", &W::Enter},
        {offsetof(T, step), "eyrie::step", &W::CallStep},
        {offsetof(T, slow_step), "eyrie::slow_step", &W::CallSlowStep},
        {offsetof(T, import), "eyrie::import", &W::CallImport},
        {offsetof(T, yieldable), "eyrie::yieldable", &W::CallYieldable},
        {offsetof(T, charge), "eyrie::charge", &W::CallCharge},
        {offsetof(T, leave), "eyrie::leave", &W::CallLeave},
        {offsetof(T, uncompiled), "eyrie::uncompiled", &W::Resolve},
        {offsetof(T, drop), "eyrie::drop", &W::Drop},
    };
    return kThunks;
  }

  // Returns the start of each thunk.
  std::vector<asmjit::Label> Run() {
    std::vector<asmjit::Label> labels;
    leave_ = a_.newLabel();
    a_.embedUInt64(0, 2);  // sanitizers may read before a function
    for (const Thunk& thunk : Thunks()) {
      a_.align(asmjit::AlignMode::kCode, 16);
      labels.push_back(a_.newLabel());
      a_.bind(labels.back());
      Note(0);
      (this->*thunk.write)();
    }
    return labels;
  }
  Unwinding& unwinding() { return unwinding_; }

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

  // bool (CompiledState*, Frame*, const void* code). If compiled code is left,
  // the stack pointer is reset to its value on entry.
  void Enter() {
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

  void Save() {
    int at = 0;
    for (const x86::Gp& reg : kClobbered) a_.mov(Saved(at++), reg);
    for (int i = kFirstFloat; i < 16; ++i) a_.movsd(Saved(at++), x86::xmm(i));
  }
  void Restore() {
    int at = 0;
    for (const x86::Gp& reg : kClobbered) a_.mov(reg, Saved(at++));
    for (int i = kFirstFloat; i < 16; ++i) a_.movsd(x86::xmm(i), Saved(at++));
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

  void CallStep() { CallEdge(&CompiledRunStep, /*keeps=*/false); }
  void CallSlowStep() { CallEdge(&CompiledRunStep, /*keeps=*/true); }
  void CallYieldable() { CallEdge(&CompiledImport, /*keeps=*/false); }
  void CallCharge() { CallEdge(&CompiledCharge, /*keeps=*/true); }
  void CallLeave() { CallEdge(&CompiledLeave, /*keeps=*/false); }

  template <typename Function>
  void CallEdge(Function* function, bool keeps) {
    if (keeps) Save();
    ToCpp();
    a_.mov(x86::r8d, x86::eax);
    CallCpp(reinterpret_cast<uint64_t>(function));
    GoOn();
    if (keeps) Restore();
    a_.ret();
  }

  // Calls the import whose ResolvedImport is at rax and whose places are at
  // rdx; the frame ends at rsi. Tries the quick function first, if there is
  // one.
  void CallImport() {
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
  void CallDirect() {
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

  // Returns the representation in memory of an OK status.
  static int32_t Succeeded() {
    const absl::Status status;
    static_assert(sizeof(status) == sizeof(uint64_t));
    uint64_t bits;
    std::memcpy(&bits, static_cast<const void*>(&status), sizeof(bits));
    return static_cast<int32_t>(bits);
  }

  // Called like a function, with its FunctionCode in rax.
  void Resolve() {
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
  void Drop() {
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
    a_.mov(Saved(CompiledState::kSavedNumbers + 14), x86::rax);
    a_.movsd(Saved(CompiledState::kSavedNumbers + 15), x86::xmm0);
    ToCpp();
    a_.mov(x86::rdi, x86::rcx);
    CallCpp(reinterpret_cast<uint64_t>(&CompiledDrop));
    FromCpp();
    a_.mov(x86::rax, Saved(CompiledState::kSavedNumbers + 14));
    a_.movsd(x86::xmm0, Saved(CompiledState::kSavedNumbers + 15));
    Restore();
    a_.ret();
  }

  void Note(size_t words) {
    unwinding_.rows.push_back({a_.offset(), static_cast<uint32_t>(words)});
  }
  void NoteInCpp() {
    unwinding_.rows.push_back({a_.offset(), 0, /*in_cpp=*/true});
  }

  x86::Assembler a_;
  asmjit::Label leave_;
  Unwinding unwinding_ = {{kDwarfRbp, kDwarfRbx, 12, 13, 14, 15}, {}};
};

}  // namespace

absl::StatusOr<ThunkCode> CreateThunks(CodeMemory& memory) {
  const auto failed = [] {
    return absl::ResourceExhaustedError(
        "Cannot create the code that all compiled functions call; there may "
        "not be enough memory.");
  };
  asmjit::CodeHolder code;
  Errors errors;
  if (code.init(asmjit::Environment::host()) != asmjit::kErrorOk) {
    return failed();
  }
  code.setErrorHandler(&errors);
  ThunkWriter writer(code);
  const std::vector<asmjit::Label> labels = writer.Run();
  if (errors.any() || code.flatten() != asmjit::kErrorOk ||
      code.resolveUnresolvedLinks() != asmjit::kErrorOk ||
      code.relocateToBase(0) != asmjit::kErrorOk) {
    return failed();
  }
  std::vector<uint8_t> bytes(code.codeSize());
  if (code.copyFlattenedData(bytes.data(), bytes.size()) != asmjit::kErrorOk) {
    return failed();
  }
  ThunkCode made = {};
  ASSIGN_OR_RETURN(made.code, memory.Publish(bytes.data(), bytes.size()));
  made.size = bytes.size();
  made.unwinding = std::move(writer.unwinding());
  for (size_t i = 0; i < labels.size(); ++i) {
    const uint64_t begin = code.labelOffset(labels[i]);
    const uint64_t end =
        i + 1 < labels.size() ? code.labelOffset(labels[i + 1]) : made.size;
    const ThunkWriter::Thunk& thunk = ThunkWriter::Thunks()[i];
    made.names.push_back({thunk.name, begin, end - begin});
    const uint8_t* const place = made.code + begin;
    std::memcpy(reinterpret_cast<uint8_t*>(&made.thunks) + thunk.field, &place,
                sizeof(place));
  }
  return made;
}

}  // namespace eyrie::vm::jit
