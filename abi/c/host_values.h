// Converts the arguments of a host function's call from the caller's frame to
// slots, and its results back.
//
// All references are borrowed from the frame, which keeps them during the call.
// Tested by linker_test.cc, linker_hostile_test.cc.
#ifndef EYRIE_ABI_C_HOST_VALUES_H_
#define EYRIE_ABI_C_HOST_VALUES_H_

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "abi/c/host_call.h"
#include "abi/value/host_value.h"
#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/memory_meter.h"
#include "eyrie/c_linker.h"
#include "hal/buffer_view.h"
#include "hal/element_type.h"
#include "vm/isa/value.h"

namespace eyrie::abi {

// Reads a number at a place in the frame.
template <typename T>
T NumberAt(const uint8_t* frame, uint32_t place) {
  T number;
  std::memcpy(&number, frame + place, sizeof(number));
  return number;
}
inline RefObject* RefAt(const uint8_t* frame, uint32_t place) {
  return NumberAt<RefObject*>(frame, place);
}

// Returns a number of less than 32 bits without the bits that do not count.
int32_t Narrow(int32_t bits, hal::ElementType type);

// Reads the slot of a number.
inline void ReadNumber(SlotKind kind, const HostParameter& parameter,
                       const uint8_t* frame, uint32_t place,
                       eyrie_slot_t& slot) {
  if (kind == SlotKind::k64) {
    slot.i64 = NumberAt<int64_t>(frame, place);
  } else {
    slot.i32 = NumberAt<int32_t>(frame, place);
    if (kind == SlotKind::kNarrow) [[unlikely]]
      slot.i32 = Narrow(slot.i32, parameter.parameter.type.element);
  }
}

// Writes a number to the frame.
inline void WriteNumber(SlotKind kind, const HostParameter& parameter,
                        const eyrie_slot_t& slot, uint8_t* frame,
                        uint32_t place) {
  if (kind == SlotKind::k64) {
    std::memcpy(frame + place, &slot.i64, sizeof(slot.i64));
    return;
  }
  int32_t number = slot.i32;
  if (kind == SlotKind::kNarrow) [[unlikely]] {
    const hal::ElementType type = parameter.parameter.type.element;
    number =
        type == hal::ElementType::kBool8 ? number != 0 : Narrow(number, type);
  }
  std::memcpy(frame + place, &number, sizeof(number));
}

// Returns an argument as a value, which shares the elements of arrays. `charge`
// counts its memory. INVALID_ARGUMENT: it does not match the signature.
absl::StatusOr<HostValue> ArgumentOf(const eyrie_host_call_t& call,
                                     size_t index, MemoryCharge& charge);

// The arguments of a call.
class HostArguments {
 public:
  // INVALID_ARGUMENT: an argument does not match the signature; the message
  // names it. FAILED_PRECONDITION: the host cannot access an array.
  absl::Status Read(const eyrie_host_call_t& call);

  const eyrie_slot_t* slots() const { return slots_.data(); }

 private:
  struct Array {
    eyrie_array_t array;
    absl::InlinedVector<int64_t, 4> strides;
  };

  absl::Status ReadOne(const eyrie_host_call_t& call, size_t index);
  absl::Status ReadArray(const eyrie_host_call_t& call, size_t index,
                         const RefObject* object);

  absl::InlinedVector<eyrie_slot_t, 6> slots_;
  // By argument, so that pointers to them remain valid.
  absl::InlinedVector<Array, 3> arrays_;
  absl::InlinedVector<HostValue, 1> values_;
  MemoryCharge charge_;
};

// The results of a call. Frees the values that the function has returned.
class HostResults {
 public:
  explicit HostResults(const HostFunction& function);
  HostResults(const HostResults&) = delete;
  HostResults& operator=(const HostResults&) = delete;
  ~HostResults();

  eyrie_slot_t* slots() { return slots_.data(); }

  // Sets the result's slot from a value, and takes ownership of it. Frees the
  // value that the slot had.
  // INVALID_ARGUMENT: a number does not fit its type.
  static absl::Status SetSlot(const HostFunction& function, size_t index,
                              eyrie_value_t* value, eyrie_slot_t& slot);

  // Converts all values. INVALID_ARGUMENT: one does not match the signature;
  // the message names it. RESOURCE_EXHAUSTED: no memory.
  absl::Status Encode(const eyrie_host_call_t& call);
  // Stores the results at their places in the frame, after Encode.
  void Store(uint8_t* frame, const uint32_t* places);

 private:
  absl::Status EncodeOne(const eyrie_host_call_t& call, size_t index);

  const HostFunction& function_;
  absl::InlinedVector<eyrie_slot_t, 3> slots_;
  absl::InlinedVector<RefObject*, 3> refs_;  // owned, by result
};

}  // namespace eyrie::abi

#endif  // EYRIE_ABI_C_HOST_VALUES_H_
