// The short pieces of machine code that calls, entries and branches are made
// of, which the code that all machines share asks of a machine. Each machine
// has its own, in <machine>/machine_code.cc; next to it are the emitters of
// emit_*.h. Tested by tests/vm/rows_test.cc, tests/oracle.
#ifndef EYRIE_VM_JIT_MACHINE_CODE_H_
#define EYRIE_VM_JIT_MACHINE_CODE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "asmjit/core.h"
#include "vm/lower/function_code.h"
#include "vm/lower/lowered.h"

namespace eyrie::vm::jit {

class Assembly;

std::unique_ptr<asmjit::BaseAssembler> NewAssembler(asmjit::CodeHolder& code);

// Null if the processor has the instructions that compiled code uses, else the
// end of a sentence: what is required.
const char* MissingInstructions();

// Makes code that has been written to memory visible to all threads that will
// run it. Async-signal-safe.
void PublishCode(const uint8_t* code, size_t size);
// Whether memory that had code must be mapped again before it gets other code.
bool MapsReusedCodeAgain();

// Takes one unit of fuel; continues at `none` if there was none.
void TakeFuel(Assembly& code, const asmjit::Label& none);
void Jump(Assembly& code, const asmjit::Label& label);
void Trap(Assembly& code);  // is never reached

// Calls a stub with the current instruction, and with its row if `step`.
void CallStub(Assembly& code, const asmjit::Label& stub, bool step);
// The stub: jumps to the thunk at an offset of CompiledState, with the
// function.
void JumpToThunk(Assembly& code, size_t thunk);

// Calls between compiled functions. CheckRoom continues at `full` if there is
// no room for `bytes` of frames, counted from the start of the current one.
void CheckRoom(Assembly& code, uint32_t bytes, const asmjit::Label& full);
void EnterFrame(Assembly& code, uint32_t bytes);
void LeaveFrame(Assembly& code, uint32_t bytes);
void CallLabel(Assembly& code, const asmjit::Label& entry);
void CallAddress(Assembly& code, uint64_t entry);
void CallUncompiled(Assembly& code, const FunctionCode& callee);
// Calls the import of the current instruction, which cannot suspend the call.
// `places` is where they will be while the code runs.
void CallImport(Assembly& code, const LoweredCallImport& call,
                const uint32_t* places);

// Saves the return address and the kept registers of the function, and returns
// to the caller after restoring them. Both note where unwinding changes.
void Keep(Assembly& code);
void ReturnToCaller(Assembly& code);
// How many words of the thread's stack a function takes, without its return
// address; and all that its body has pushed, as UnwindRow counts.
uint32_t KeptWords(size_t kept);
uint32_t PushedWords(size_t kept);
// The registers that a function pushes, by their DWARF numbers.
std::vector<uint8_t> PushedRegisters(const std::vector<uint8_t>& kept);

// Sets words of the frame to zero: references that are not arguments, and the
// number registers.
void ClearReferences(Assembly& code, const std::vector<bool>& arguments);
void ClearNumbers(Assembly& code, std::span<const uint16_t> slots);

}  // namespace eyrie::vm::jit

#endif  // EYRIE_VM_JIT_MACHINE_CODE_H_
