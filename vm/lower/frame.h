// The frame of a running function: a header, followed by its registers, first
// the references and then the numbers.
// Tested by vm/run/stack_test.cc.
#ifndef EYRIE_VM_LOWER_FRAME_H_
#define EYRIE_VM_LOWER_FRAME_H_

#include <cstdint>

#include "base/ref.h"
#include "vm/lower/function_code.h"

namespace eyrie::vm {

class BytecodeState;

// One running function.
struct alignas(16) Frame {
  Frame* caller;  // null at the bottom of the stack
  const FunctionCode* function;
  BytecodeState* state;
  // The call, in a caller's frame; otherwise where the loop continues.
  const uint8_t* pc;
  int32_t* i32;
  RefObject** refs;

  // Returns where a register is, in bytes from the frame.
  static uint32_t PlaceOfRef(uint32_t index) {
    return static_cast<uint32_t>(sizeof(Frame) + index * sizeof(RefObject*));
  }
  static uint32_t PlaceOfNumber(const FunctionCode& function, uint32_t index) {
    return static_cast<uint32_t>(sizeof(Frame) + function.ref_bytes +
                                 index * sizeof(int32_t));
  }
  uint8_t* AddressOf(uint32_t place) {
    return reinterpret_cast<uint8_t*>(this) + place;
  }
};

}  // namespace eyrie::vm

#endif  // EYRIE_VM_LOWER_FRAME_H_
