// The interface between compiled code, the compiler (vm/jit) and the
// interpreter.
//
// Compiled code runs on the frames of stack.h. References, and numbers that
// others may read, are always in their registers' places. The headers of frames
// that compiled code enters are written only when control leaves it: from the
// return addresses between CompiledState::entered and ::left, each of which is
// followed by FunctionCode::compiled_words words of its function. See
// docs/jit.md. Tested by tests/vm/rows_test.cc.
#ifndef EYRIE_VM_RUN_COMPILED_H_
#define EYRIE_VM_RUN_COMPILED_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "base/ref.h"
#include "vm/lower/lowered.h"

namespace eyrie::vm {

class BytecodeModule;
class BytecodeState;
class Buffer;
class Machine;
struct CompiledState;
struct Frame;
struct FunctionCode;
struct ResolvedImport;

// Results that are not one number are handed over in CompiledState::results;
// functions with more of them are not compiled.
inline constexpr uint32_t kMaxCompiledResults = 16;

// Bytes of frames that compiled code lays out before it is entered anew: its
// return addresses, one per frame, are on the thread's own stack.
inline constexpr size_t kCompiledReach = size_t{256} << 10;

// Of a caller's frame and its callee's together: where they are no longer, the
// frame's begin is compared, with CompiledState::near_limit.
inline constexpr uint32_t kNearFrames = 4096;

// Fuel that compiled code takes from the meter at a time.
inline constexpr int64_t kCompiledPortion = 1024;

// An argument that compiled code passes in a register of the machine alone:
// the first few integers and floats. Who is called puts it into its frame, if
// anybody may look for it there.
struct PassedNumber {
  uint16_t slot;
  bool wide;
  bool real;
  uint8_t ordinal;  // among the integers, or the floats
};
inline constexpr uint8_t kMaxPassed = 4;  // of each
std::vector<PassedNumber> PassedNumbers(const FunctionCode& function);

// Enters code with the machine's topmost frame. True: its function returned.
using EnterCompiled = bool (*)(CompiledState* state, Frame* frame,
                               const void* code);

// Where compiled code calls C++, by how it looks there. Of a machine.
struct CompiledThunks {
  EnterCompiled enter;
  const void* step;        // an instruction of the interpreter; keeps nothing
  const void* slow_step;   // the same, keeping all registers
  const void* import;      // a call of an import; keeps nothing
  const void* yieldable;   // the same of one that may suspend the call
  const void* charge;      // fuel is used up; keeps all registers
  const void* leave;       // goes on in the interpreter, at an instruction
  const void* uncompiled;  // stands for a function that is not compiled
  const void* drop;        // a reference; keeps all registers
};

// A machine's variables that compiled code reads and writes, by offset.
struct CompiledState {
  static constexpr int kSavedNumbers = 16;
  static constexpr int kSavedFloats = 16;
  // Where arguments that are passed in registers are among `saved`.
  static constexpr int kFirstSavedFloat = 6;

  Machine* machine;
  Frame** frame;               // the machine's topmost
  uint8_t** stack_top;         // where that ends
  const uint8_t* stack_limit;  // frames end below it
  const uint8_t* near_limit;   // kNearFrames below that
  BytecodeState* state;        // of the module, as what follows
  uint8_t* globals;
  RefObject* const* global_refs;
  const Ref<Buffer>* rodata;
  const ResolvedImport* imports;
  const void* stop;  // a byte of the meter's: 0 unless the call is to stop
  const void* const* entered;  // the stack pointer in, and
  const void* const* left;     // where control is in C++
  int64_t credit;              // fuel taken from the meter, not yet used
  CompiledThunks thunks;
  const RefType* buffer_type;
  const RefType* list_type;
  uint64_t number;                        // a result: of integers, and
  uint64_t real;                          // of floats
  uint64_t results[kMaxCompiledResults];  // else: numbers and references
  // What an import has returned: an absl::Status, there while one ends.
  alignas(absl::Status) uint8_t status[sizeof(absl::Status)];
  uint64_t saved[kSavedNumbers + kSavedFloats];
};

// Code of a function: where compiled code calls it, the same with arguments in
// the frame alone, the words that it keeps on the thread's stack, and how many
// bytes it has.
struct CompiledFunction {
  const void* call = nullptr;
  const void* entry = nullptr;
  uint32_t words = 0;
  size_t bytes = 0;
  bool stopped = false;  // before it was compiled: it may be another time
};

// Reports whether the call that compiles a function is to stop.
using CompileStopped = absl::FunctionRef<bool()>;

// Where compiled code called a function.
struct CompiledSite {
  const FunctionCode* function;  // the caller
  uint32_t offset;               // of the call, in its lowered code
};

// A module's compiled functions.
class CompiledModule {
 public:
  explicit CompiledModule(const CompiledThunks& thunks) : thunks_(thunks) {}
  virtual ~CompiledModule() = default;

  // What they run with: there as long as they are, whoever made them.
  const CompiledThunks& thunks() const { return thunks_; }
  // The call that returns to an address.
  virtual CompiledSite FindSite(const void* address) const = 0;
  // Where to enter a function at a branch backwards, which has taken its fuel;
  // null: not there.
  virtual const void* FindTurn(uint32_t function, uint32_t offset) const = 0;

 private:
  const CompiledThunks thunks_;
};

// Makes compiled code. Immutable; shared by threads.
class Jit {
 public:
  // When functions are compiled: each at its first call, or what is hot.
  explicit Jit(bool eager) : eager_(eager) {}
  virtual ~Jit() = default;

  bool eager() const { return eager_; }
  // Made at first use; null: there is no memory for code, nor a processor that
  // it is for, and nothing is compiled.
  virtual const CompiledThunks* thunks() const = 0;

  // What will hold a module's code. There are thunks.
  virtual std::unique_ptr<CompiledModule> NewModule(
      const BytecodeModule& module) const = 0;
  // Code of a function that has been lowered. Null: it stays interpreted. Not
  // of one module from several threads at a time. Functions that its loops call
  // are named first: what is compiled by then is called directly. Takes time in
  // proportion to the function's bytes, and looks whether to stop meanwhile.
  virtual CompiledFunction Compile(const BytecodeModule& module,
                                   uint32_t function, CompiledModule& into,
                                   absl::FunctionRef<void(uint32_t)> callee,
                                   CompileStopped stopped) const = 0;
  // Whether calls by the host are shorter for a function's code: to enter and
  // to leave that takes longer than what little a short function does itself.
  virtual bool Pays(const BytecodeModule& module, uint32_t function) const = 0;

 private:
  const bool eager_;
};

// The interpreter's body of an instruction, run at `pc` on the topmost frame.
// False: it failed or yielded, as the machine says.
using CompiledStep = bool (*)(Machine& m, const uint8_t* pc);

// By row of opcodes.def; null where there is none.
extern const CompiledStep kCompiledStepTable[kOpCount];

// What the thunks call, with the frame of the function that is left. Offsets
// are those of instructions in its lowered code. False: leave compiled code.
bool CompiledRunStep(CompiledState* state, Frame* frame, uint32_t offset,
                     const FunctionCode* function, uint32_t step);
bool CompiledImport(CompiledState* state, Frame* frame, uint32_t offset,
                    const FunctionCode* function);
// Ends a call whose status is not that of success, or a call that was stopped.
bool CompiledImportEnded(CompiledState* state, Frame* frame);
bool CompiledCharge(CompiledState* state, Frame* frame, uint32_t offset,
                    const FunctionCode* function);
bool CompiledLeave(CompiledState* state, Frame* frame, uint32_t offset,
                   const FunctionCode* function);
// Code for a callee, of which there are only its arguments yet, in its frame
// and in `saved`; null: leave.
const void* CompiledResolve(CompiledState* state, Frame* frame,
                            const FunctionCode* function);
void CompiledDrop(RefObject* object);

}  // namespace eyrie::vm

#endif  // EYRIE_VM_RUN_COMPILED_H_
