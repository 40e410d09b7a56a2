// The interface between the compiler, which all machines share, and each
// machine: functions that emit the machine code of calls, entries, branches and
// accesses of elements. Each machine implements them in
// <machine>/machine_code.cc, comparisons.cc and elements.cc; next to them are
// emit_integer.cc and emit_float.cc. Tested by tests/vm/rows_test.cc,
// tests/oracle.
#ifndef EYRIE_VM_JIT_MACHINE_CODE_H_
#define EYRIE_VM_JIT_MACHINE_CODE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "asmjit/core.h"
#include "vm/jit/comparison.h"
#include "vm/jit/memory.h"
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

// Integer registers have their numbers here, as in homes.h. The first compares
// 8 bytes, the second 4; the third those of `with`.
void JumpIfZero(Assembly& code, uint8_t reg, const asmjit::Label& label);
void JumpIfEqual(Assembly& code, uint8_t reg, uint32_t value,
                 const asmjit::Label& label);
void JumpUnlessEqual(Assembly& code, uint8_t reg, const Memory& with,
                     const asmjit::Label& label);
// Compares one byte.
void JumpUnlessByte(Assembly& code, const Memory& at, uint8_t value,
                    const asmjit::Label& label);
void ShiftRight(Assembly& code, uint8_t reg, uint32_t by);
// Continues at the label of this number in a table of `count` labels, or at
// `otherwise`.
void JumpByTable(Assembly& code, uint8_t index, uint32_t count,
                 const asmjit::Label& table, const asmjit::Label& otherwise);

// Compare operands of the current instruction: SetIf sets register 0 to 1 or 0,
// BranchIf continues at `yes` or at `no`.
void SetIf(Assembly& code, const Comparison& comparison);
void BranchIf(Assembly& code, const Comparison& comparison,
              const asmjit::Label& yes, const asmjit::Label& no);

// Loads or stores the element of the current instruction. `data` and `count`
// are the registers with the address and the number of the elements, which have
// 1 << `shift` bytes. If the index is out of bounds, continues at `outside`;
// the short form does not check it. Both may clobber registers 0 to 2.
void AccessElement(Assembly& code, uint8_t data, uint32_t shift, uint8_t count,
                   const asmjit::Label& outside);
void AccessElement(Assembly& code, uint8_t data, uint32_t shift);

// Adds a reference to the object in register 0.
void AddReference(Assembly& code);
// Calls the thunk at an offset of CompiledState.
void CallThunk(Assembly& code, size_t thunk);

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
