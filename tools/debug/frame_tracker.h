// Tracks the type of each register of running functions: the type of the last
// value written. Bytecode has types for instructions, not for registers.
//
// Tested by frame_tracker_test.cc.
#ifndef EYRIE_TOOLS_DEBUG_FRAME_TRACKER_H_
#define EYRIE_TOOLS_DEBUG_FRAME_TRACKER_H_

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "vm/asm/instruction.h"
#include "vm/lower/frame.h"
#include "vm/lower/function_code.h"

namespace eyrie::tools {

// The type of a register of the i32 bank.
enum class RegisterKind : uint8_t {
  kUnwritten,
  kI32,
  kI64,  // with the next register
  kF32,
  kF64,
  kUpper,  // upper half of the previous register
};

// Must be called for every instruction. Thread-compatible.
class FrameTracker {
 public:
  // Must be called before the instruction at `offset` of the topmost frame.
  void Before(const vm::Frame& frame, uint32_t offset);

  // Records that a register was given a value of this type from outside.
  void SetKind(const vm::Frame& frame, uint16_t index, RegisterKind kind);

  // Returns the types by register, or nothing for an unknown frame.
  std::vector<RegisterKind> KindsOf(const vm::Frame& frame) const;

 private:
  struct Entry {
    const vm::Frame* frame;
    const vm::FunctionCode* function;
    const vm::Frame* caller;
    std::vector<RegisterKind> kinds;
    // The instruction whose effects are not recorded yet; null: none.
    const vm::Instruction* last;
  };
  // A function's instructions by offset, decoded on demand.
  using Code = std::vector<std::unique_ptr<const vm::Instruction>>;

  Entry& EntryOf(const vm::Frame& frame);
  static void Finish(Entry& entry, uint32_t offset);
  const vm::Instruction* InstructionAt(const vm::FunctionCode& function,
                                       uint32_t offset);

  std::vector<Entry> entries_;  // outermost first
  std::map<const vm::FunctionCode*, Code> code_;
  const vm::FunctionCode* last_function_ = nullptr;
  Code* last_code_ = nullptr;  // last_function_'s
};

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_DEBUG_FRAME_TRACKER_H_
