// Calls C functions whose parameter types are known only at run time.
//
// The arguments are words for integer registers, floating-point registers and
// the stack, as the C ABI assigns pointers, integers and floats: System V on
// x86-64, AAPCS64 on AArch64, LP64D on RISC-V. All fill each kind of register
// in order and pass the rest on the stack, eight bytes each. So one C function
// type with all registers and enough stack words can call any function; the
// callee ignores extra words. Tested by machine_call_test.cc.
#ifndef EYRIE_ABI_NATIVE_MEMREF_MACHINE_CALL_H_
#define EYRIE_ABI_NATIVE_MEMREF_MACHINE_CALL_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "absl/status/statusor.h"

namespace eyrie::native {

// The most integer registers that the C ABI of a machine uses.
inline constexpr size_t kMaxIntegerRegisters = 8;
inline constexpr size_t kFloatRegisters = 8;
inline constexpr size_t kStackWords = 32;

// Returns the number of integer registers that this machine's C ABI uses. Each
// machine has its own file.
size_t IntegerRegisters();
// Reports whether floats for which no float register is left are passed in
// integer registers. The stack follows these.
bool FloatsUseIntegerRegisters();

// Return the words of an integer and of a float of 32 bits. RISC-V extends the
// sign of the one and sets the upper bits of the other; other machines ignore
// the upper bits. Shorter integers are extended by the caller.
inline constexpr uint64_t Int32Word(int32_t value) {
  return static_cast<uint64_t>(int64_t{value});
}
inline constexpr uint64_t Float32Word(uint32_t bits) {
  return 0xFFFFFFFF00000000 | bits;
}

// The words of a call.
struct MachineWords {
  std::array<uint64_t, kMaxIntegerRegisters> integers;
  std::array<uint64_t, kFloatRegisters> floats;
  std::array<uint64_t, kStackWords> stack;
};

// Assigns places to parameters and calls functions with them. Built once per
// function; immutable afterwards.
class MachineCall {
 public:
  enum class Returns : uint8_t { kInteger, kFloat };  // either also fits void
  // Calls a function. Returns its result's bits.
  using Caller = uint64_t (*)(void* function, const MachineWords& words);

  // Starts with no parameters.
  explicit MachineCall(Returns returns)
      : returns_(returns), caller_(FindCaller()) {}

  // Adds a parameter and returns its place, an index into MachineWords as an
  // array of words. RESOURCE_EXHAUSTED: there are no stack words left.
  absl::StatusOr<size_t> AddInteger();
  absl::StatusOr<size_t> AddFloat();

  // Returns the word at a place.
  static uint64_t& WordAt(MachineWords& words, size_t place) {
    return reinterpret_cast<uint64_t*>(&words)[place];
  }

  // Calls the function. Returns the word of the integer or float register; bits
  // beyond the result's type are undefined.
  uint64_t Call(void* function, const MachineWords& words) const {
    return caller_(function, words);
  }

 private:
  absl::StatusOr<size_t> AddStack();
  // Returns the caller for the current parameters. Each machine has its own
  // file, which calls CallerFor of machine_caller.h.
  Caller FindCaller() const;

  Returns returns_;
  uint8_t integers_ = 0;
  uint8_t floats_ = 0;
  uint8_t stack_ = 0;
  Caller caller_;
};

}  // namespace eyrie::native

#endif  // EYRIE_ABI_NATIVE_MEMREF_MACHINE_CALL_H_
