// The interface between compiled code, vm/jit and the interpreter.
//
// Compiled code runs on the frames of stack.h. References, and numbers that
// other code may read, are always kept in their registers in the frame. The
// headers of frames that compiled code enters are written only when control
// leaves it. They are derived from the return addresses between
// CompiledState::left and ::entered; each of them is followed by the
// FunctionCode::compiled_words words of its function. See docs/jit.md.
// Tested by tests/vm/rows_test.cc.
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

// Any results other than a single number are returned in
// CompiledState::results. Functions with more results than this are not
// compiled.
inline constexpr uint32_t kMaxCompiledResults = 16;

// How many bytes of frames compiled code may push before it must be entered
// anew. It limits the use of the thread's own stack, which holds one return
// address per frame.
inline constexpr size_t kCompiledReach = size_t{256} << 10;

// Limit for the bytes of a caller's frame plus its callee's. If they fit, only
// the frame's start is compared, with CompiledState::near_limit.
inline constexpr uint32_t kNearFrames = 4096;

// How many units of fuel compiled code takes from the meter at a time.
inline constexpr int64_t kCompiledPortion = 256;

// An argument that compiled code passes only in a machine register: the first
// few integers and floats. The callee stores it into its frame if other code
// may read it there.
struct PassedNumber {
  uint16_t slot;
  bool wide;
  bool real;
  uint8_t ordinal;  // among the integers or among the floats
};
inline constexpr uint8_t kMaxPassed = 4;  // of each kind
std::vector<PassedNumber> PassedNumbers(const FunctionCode& function);

// Enters compiled code with the machine's topmost frame. Returns true if the
// function returned.
using EnterCompiled = bool (*)(CompiledState* state, Frame* frame,
                               const void* code);

// Addresses through which compiled code calls C++. They differ in which
// registers they preserve.
struct CompiledThunks {
  EnterCompiled enter;
  const void* step;        // runs an instruction's body; preserves no registers
  const void* slow_step;   // the same; preserves all registers
  const void* import;      // calls an import; preserves no registers
  const void* yieldable;   // the same for an import that may suspend the call
  const void* charge;      // called when fuel is used up; preserves all
  const void* leave;       // continues in the interpreter at an instruction
  const void* uncompiled;  // called in place of an uncompiled function
  const void* drop;        // drops a reference; preserves all registers
};

// A machine's variables that compiled code reads and writes. Compiled code
// knows their offsets.
struct CompiledState {
  // Registers in `saved`: integers, from the first that passes an argument on,
  // then floats, likewise.
  static constexpr int kFirstSavedFloat = 16;
  static constexpr int kSaved = 48;

  Machine* machine;
  Frame** frame;               // points to the machine's topmost frame
  uint8_t** stack_top;         // points to the end of that frame
  const uint8_t* stack_limit;  // frames must end below it
  const uint8_t* near_limit;   // stack_limit minus kNearFrames
  BytecodeState* state;        // of the module; the next fields are, too
  uint8_t* globals;
  RefObject* const* global_refs;
  const Ref<Buffer>* rodata;
  const ResolvedImport* imports;
  const void* stop;  // points to the meter's byte: nonzero to stop
  // The stack pointer where compiled code was entered and where it called C++.
  const void* const* entered;
  const void* const* left;
  int64_t credit;  // fuel taken from the meter and not yet used
  CompiledThunks thunks;
  const RefType* buffer_type;
  const RefType* list_type;
  uint64_t number;                        // the result if it is an integer,
  uint64_t real;                          // a float,
  uint64_t results[kMaxCompiledResults];  // or anything else
  // An absl::Status that an import returned; constructed only until EndImport.
  alignas(absl::Status) uint8_t status[sizeof(absl::Status)];
  uint64_t saved[kSaved];
};

// A compiled function.
struct CompiledFunction {
  // The entry for compiled code, with some arguments in registers.
  const void* call = nullptr;
  // The entry for others, with all arguments in the frame.
  const void* entry = nullptr;
  // How many words it keeps on the thread's stack.
  uint32_t words = 0;
  // Size of the code.
  size_t bytes = 0;
  // The compiler was interrupted; it may be tried again.
  bool stopped = false;
};

// Returns true if the call that is compiling a function must stop.
using CompileStopped = absl::FunctionRef<bool()>;

// The place from which compiled code called a function.
struct CompiledSite {
  const FunctionCode* function;  // the caller
  uint32_t offset;               // of the call instruction in its lowered code
};

// A module's compiled functions.
class CompiledModule {
 public:
  explicit CompiledModule(const CompiledThunks& thunks) : thunks_(thunks) {}
  virtual ~CompiledModule() = default;

  // The thunks that the code uses. They live at least as long as the module.
  const CompiledThunks& thunks() const { return thunks_; }
  // Returns the call that has this return address.
  virtual CompiledSite FindSite(const void* address) const = 0;
  // Returns where compiled code continues after a backward branch that has
  // already paid its fuel; null if the function cannot be entered there.
  virtual const void* FindTurn(uint32_t function, uint32_t offset) const = 0;

 private:
  const CompiledThunks thunks_;
};

// Compiles functions. Immutable; shared by threads.
class Jit {
 public:
  // If `eager`, each function is compiled at its first call; otherwise, only
  // hot functions are.
  explicit Jit(bool eager) : eager_(eager) {}
  virtual ~Jit() = default;

  bool eager() const { return eager_; }
  // Creates the thunks at first use. Returns null, and nothing is compiled, if
  // there is no memory for code or if the processor is not supported.
  virtual const CompiledThunks* thunks() const = 0;

  // Creates the holder of a module's code. thunks() must not be null.
  virtual std::unique_ptr<CompiledModule> NewModule(
      const BytecodeModule& module) const = 0;
  // Compiles a function that has been lowered. Returns a null `call` if the
  // function must remain interpreted. Calls `callee` for the functions that its
  // loops call; those that are compiled when it returns are called directly.
  // Two threads must not compile functions of the same module at the same time.
  // Takes time in proportion to the function's size; calls `stopped` repeatedly
  // and gives up if it returns true.
  virtual CompiledFunction Compile(const BytecodeModule& module,
                                   uint32_t function, CompiledModule& into,
                                   absl::FunctionRef<void(uint32_t)> callee,
                                   CompileStopped stopped) const = 0;
  // Reports whether calls from the host become faster if the function is
  // compiled. Entering and leaving compiled code costs more than a short
  // function. Returns true if `stopped` returns true before that is known.
  virtual bool Pays(const BytecodeModule& module, uint32_t function,
                    CompileStopped stopped) const = 0;

 private:
  const bool eager_;
};

// Runs the interpreter's body of the instruction at `pc`, on the topmost frame.
// Returns false if it failed or yielded; the machine has the outcome.
using CompiledStep = bool (*)(Machine& m, const uint8_t* pc);

// Indexed by row of opcodes.def; null for rows that have no body.
extern const CompiledStep kCompiledStepTable[kOpCount];

// The functions that thunks call. `frame` and `function` are those that call
// the thunk; `offset` is that of an instruction in the function's lowered code.
// If they return false, the thunk leaves compiled code.
bool CompiledRunStep(CompiledState* state, Frame* frame, uint32_t offset,
                     const FunctionCode* function, uint32_t step);
bool CompiledImport(CompiledState* state, Frame* frame, uint32_t offset,
                    const FunctionCode* function);
// Ends an import call that returned an error or during which the call was
// stopped.
bool CompiledImportEnded(CompiledState* state, Frame* frame);
bool CompiledCharge(CompiledState* state, Frame* frame, uint32_t offset,
                    const FunctionCode* function);
bool CompiledLeave(CompiledState* state, Frame* frame, uint32_t offset,
                   const FunctionCode* function);
// Returns the code of a callee whose arguments are in its frame and in `saved`,
// but whose frame is not initialized otherwise. Returns null if compiled code
// must be left.
const void* CompiledResolve(CompiledState* state, Frame* frame,
                            const FunctionCode* function);
void CompiledDrop(RefObject* object);

}  // namespace eyrie::vm

#endif  // EYRIE_VM_RUN_COMPILED_H_
