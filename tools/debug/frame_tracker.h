// Which type each register of running functions has: that of what was last
// written to it. Bytecode says of instructions, not of registers.
//
// Tested by frame_tracker_test.cc.
#ifndef EYRIE_TOOLS_DEBUG_FRAME_TRACKER_H_
#define EYRIE_TOOLS_DEBUG_FRAME_TRACKER_H_

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "vm/asm/instruction.h"
#include "vm/stack.h"

namespace eyrie::tools {

// Of a register of the i32 bank.
enum class RegisterKind : uint8_t {
  kUnwritten,
  kI32,
  kI64,  // with the next register
  kF32,
  kF64,
  kUpper,  // the half of the one before it
};

// Told of every instruction. One thread's.
class FrameTracker {
 public:
  // Before the instruction at an offset of the topmost frame's function.
  void Before(const vm::Frame& frame, uint32_t offset);

  // By register; empty for a frame that it was not told of.
  std::vector<RegisterKind> KindsOf(const vm::Frame& frame) const;

 private:
  struct Entry {
    const vm::Frame* frame;
    const vm::FunctionCode* function;
    const vm::Frame* caller;
    std::vector<RegisterKind> kinds;
    // Whose effects are still to come; null: none was.
    const vm::Instruction* last;
  };
  // A function's instructions by their offsets, as they come.
  using Code = std::vector<std::unique_ptr<const vm::Instruction>>;

  Entry& EntryOf(const vm::Frame& frame);
  static void Finish(Entry& entry, uint32_t offset);
  const vm::Instruction* InstructionAt(const vm::FunctionCode& function,
                                       uint32_t offset);

  std::vector<Entry> entries_;  // outermost first
  std::map<const vm::FunctionCode*, Code> code_;
  const vm::FunctionCode* last_function_ = nullptr;
  Code* last_code_ = nullptr;  // its
};

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_DEBUG_FRAME_TRACKER_H_
