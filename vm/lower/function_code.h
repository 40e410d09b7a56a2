// A function of a bytecode module, as the interpreter enters it.
//
// Tested by lowering_test.cc, vm/run/context_test.cc.
#ifndef EYRIE_VM_LOWER_FUNCTION_CODE_H_
#define EYRIE_VM_LOWER_FUNCTION_CODE_H_

#include <atomic>
#include <cstdint>

#include "vm/isa/value.h"

namespace eyrie::vm {

// The place of an argument in the callee's frame.
struct ArgumentPlace {
  uint16_t reg;  // index in its bank
  ValueType type;
};

// Everything that a call of a function needs. Atomic members change when the
// function is lowered or compiled; the others are constant.
struct FunctionCode {
  // The entry for the interpreter: lowered code, at first an instruction that
  // lowers the function, later one that enters compiled code.
  std::atomic<const uint8_t*> entry = nullptr;
  // The entry for traced invocations, which do not run compiled code.
  std::atomic<const uint8_t*> traced_entry = nullptr;
  // The lowered code; null before it is lowered. Unlike `entry`, not replaced
  // when the function is compiled.
  std::atomic<const uint8_t*> lowered = nullptr;
  // The entry for compiled code; null if the module has no compiled code.
  std::atomic<const void*> compiled = nullptr;
  // The entry into compiled code for others, with all arguments in the frame;
  // null if it is not compiled.
  std::atomic<const void*> compiled_entry = nullptr;
  // How many words compiled code keeps on the thread's stack.
  std::atomic<uint32_t> compiled_words = 0;
  // How often it was found running; used to decide whether it is hot.
  mutable std::atomic<uint32_t> ticks = 0;
  uint32_t frame_bytes = 0;  // header and both banks
  uint32_t ref_bytes = 0;    // size of the ref bank, rounded up to 16
  uint32_t ref_count = 0;
  uint32_t argument_count = 0;
  uint32_t result_count = 0;
  uint32_t ordinal = 0;
  const ArgumentPlace* arguments = nullptr;
  const ValueType* results = nullptr;
  const uint8_t* code = nullptr;  // its bytecode
  uint32_t code_size = 0;

  const uint8_t* Entry(bool traced) const {
    return (traced ? traced_entry : entry).load(std::memory_order_acquire);
  }
  const uint8_t* Lowered() const {
    return lowered.load(std::memory_order_acquire);
  }
};

// Reports whether compiled code returns its only result in a machine register.
inline bool ReturnsOneNumber(const FunctionCode& function) {
  return function.result_count == 1 && function.results[0] != ValueType::kRef;
}

}  // namespace eyrie::vm

#endif  // EYRIE_VM_LOWER_FUNCTION_CODE_H_
