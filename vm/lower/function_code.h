// A function of a bytecode module as an engine enters it.
//
// Tested by lowering_test.cc, vm/run/context_test.cc.
#ifndef EYRIE_VM_LOWER_FUNCTION_CODE_H_
#define EYRIE_VM_LOWER_FUNCTION_CODE_H_

#include <atomic>
#include <cstdint>

#include "vm/isa/value.h"

namespace eyrie::vm {

// Where an argument goes in the callee's frame, and how wide it is.
struct ArgumentPlace {
  uint16_t reg;  // index in its bank
  ValueType type;
};

// A function as the interpreter enters it.
struct FunctionCode {
  // Lowered code; at first an instruction that lowers the function.
  std::atomic<const uint8_t*> entry = nullptr;
  // The same for invocations that are traced.
  std::atomic<const uint8_t*> traced_entry = nullptr;
  // Lowered code, once there is some, whatever is entered.
  std::atomic<const uint8_t*> lowered = nullptr;
  // What compiled code calls; null in a module of which nothing is compiled.
  std::atomic<const void*> compiled = nullptr;
  // The same with arguments in the frame alone; null: it is not compiled.
  std::atomic<const void*> compiled_entry = nullptr;
  // What it keeps on the thread's stack while it runs, in words.
  std::atomic<uint32_t> compiled_words = 0;
  mutable std::atomic<uint32_t> ticks = 0;  // at which it was running
  uint32_t frame_bytes = 0;                 // header and both banks
  uint32_t ref_bytes = 0;                   // of the ref bank, rounded up to 16
  uint32_t ref_count = 0;
  uint32_t argument_count = 0;
  uint32_t result_count = 0;
  uint32_t ordinal = 0;
  const ArgumentPlace* arguments = nullptr;
  const ValueType* results = nullptr;
  const uint8_t* code = nullptr;  // the bytecode
  uint32_t code_size = 0;

  const uint8_t* Entry(bool traced) const {
    return (traced ? traced_entry : entry).load(std::memory_order_acquire);
  }
  const uint8_t* Lowered() const {
    return lowered.load(std::memory_order_acquire);
  }
};

// True if compiled code returns its result in a register.
inline bool ReturnsOneNumber(const FunctionCode& function) {
  return function.result_count == 1 && function.results[0] != ValueType::kRef;
}

}  // namespace eyrie::vm

#endif  // EYRIE_VM_LOWER_FUNCTION_CODE_H_
