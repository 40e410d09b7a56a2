// Frames and their registers, in one contiguous range of memory.
//
// A frame is its header followed by its ref registers and its i32 registers,
// all zeroed on entry. The slots of a native call are placed above the topmost
// frame. Address space is reserved once; pages are committed as calls get
// deeper.
// Tested by stack_test.cc, tests/vm/rows_test.cc.
#ifndef EYRIE_VM_RUN_STACK_H_
#define EYRIE_VM_RUN_STACK_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>

#include "absl/status/statusor.h"
#include "base/ref.h"
#include "vm/isa/value.h"
#include "vm/lower/frame.h"
#include "vm/lower/function_code.h"

namespace eyrie::vm {

// Thread-compatible. Used by one invocation, or several nested ones, at a time.
class Stack {
 public:
  static constexpr size_t kDefaultBytes = size_t{4} << 20;

  // Returns RESOURCE_EXHAUSTED if the address space cannot be reserved.
  static absl::StatusOr<std::unique_ptr<Stack>> Create(
      size_t bytes = kDefaultBytes);
  Stack(const Stack&) = delete;
  Stack& operator=(const Stack&) = delete;
  ~Stack();

  size_t size() const { return static_cast<size_t>(limit_ - base_); }

  // Pushes a frame above `caller`, with zeroed registers. Returns null if it
  // does not fit.
  Frame* Push(const FunctionCode* function, BytecodeState* state,
              Frame* caller) {
    if (static_cast<size_t>(limit_ - top_) < function->frame_bytes)
        [[unlikely]] {
      return nullptr;
    }
    auto* frame = reinterpret_cast<Frame*>(top_);
    top_ += function->frame_bytes;
    auto* banks = reinterpret_cast<uint8_t*>(frame + 1);
    Zero(banks, top_);
    frame->caller = caller;
    frame->function = function;
    frame->state = state;
    frame->refs = reinterpret_cast<RefObject**>(banks);
    frame->i32 = reinterpret_cast<int32_t*>(banks + function->ref_bytes);
    return frame;
  }

  // Drops the refs of the topmost frame and pops it.
  void Pop(Frame* frame) {
    for (uint32_t i = 0; i < frame->function->ref_count; ++i) {
      RefObject* object = std::exchange(frame->refs[i], nullptr);
      if (object != nullptr) object->DropRef();
    }
    top_ = reinterpret_cast<uint8_t*>(frame);
  }

  // For compiled code, which lays out frames itself: the end of the stack, and
  // the end of its topmost frame.
  const uint8_t* limit() const { return limit_; }
  uint8_t** top() { return &top_; }
  void SetTop(Frame* frame) {
    top_ = reinterpret_cast<uint8_t*>(frame) + frame->function->frame_bytes;
  }
  // Pops a frame whose refs have been dropped already.
  void Drop(Frame* frame) { top_ = reinterpret_cast<uint8_t*>(frame); }

  // Allocates slots above the topmost frame. Returns null if they do not fit.
  // The caller must pop them in reverse order.
  Slot* PushSlots(size_t count) {
    if (static_cast<size_t>(limit_ - top_) / sizeof(Slot) < count + 1)
        [[unlikely]] {
      return nullptr;
    }
    auto* slots = reinterpret_cast<Slot*>(top_);
    top_ += (count * sizeof(Slot) + 15) & ~size_t{15};
    return slots;
  }
  void PopSlots(Slot* slots) { top_ = reinterpret_cast<uint8_t*>(slots); }

 private:
  // Frames are small, so that calling memset would cost more than the stores.
  static void Zero(uint8_t* begin, uint8_t* end) {
    for (; begin != end; begin += 16) {
      std::memset(begin, 0, 16);
      asm volatile("" : : :);  // stops the compiler from calling memset
    }
  }

  Stack(uint8_t* base, size_t bytes)
      : base_(base), top_(base), limit_(base + bytes) {}

  uint8_t* base_;
  uint8_t* top_;
  uint8_t* limit_;
};

}  // namespace eyrie::vm

#endif  // EYRIE_VM_RUN_STACK_H_
