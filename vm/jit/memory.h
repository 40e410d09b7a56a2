// A place that compiled code reads or writes: in the frame, or after it in the
// frame of a callee, in the CompiledState, in the object whose address is in
// register 0, or at an address in register 1.
#ifndef EYRIE_VM_JIT_MEMORY_H_
#define EYRIE_VM_JIT_MEMORY_H_

#include <cstdint>

namespace eyrie::vm::jit {

struct Memory {
  enum class Base : uint8_t { kFrame, kState, kObject, kPointer };
  Base base;
  uint32_t offset;
  bool wide;  // 8 bytes instead of 4
};

}  // namespace eyrie::vm::jit

#endif  // EYRIE_VM_JIT_MEMORY_H_
