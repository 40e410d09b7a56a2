// Calls of C functions whose parameters are known only at run time.
//
// A call has words for integer registers, for floating-point registers and for
// the stack, as the machine's C ABI gives them to pointers, integers and
// floats: System V on x86-64, AAPCS64 on AArch64. Both fill the registers of a
// kind in order, and put what is left on the stack, eight bytes each; so the
// call itself is one through a C function type that has all registers and
// enough words more, which a callee with fewer does not look at.
// Tested by machine_call_test.cc.
#ifndef EYRIE_ABI_NATIVE_MEMREF_MACHINE_CALL_H_
#define EYRIE_ABI_NATIVE_MEMREF_MACHINE_CALL_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "absl/status/statusor.h"

namespace eyrie::native {

#if defined(__x86_64__) || defined(__aarch64__)
inline constexpr bool kHasMachineCall = true;
#else
inline constexpr bool kHasMachineCall = false;
#endif
#if defined(__aarch64__)
inline constexpr size_t kIntegerRegisters = 8;
#else
inline constexpr size_t kIntegerRegisters = 6;
#endif
inline constexpr size_t kFloatRegisters = 8;
inline constexpr size_t kStackWords = 32;

// The words of a call. Integers shorter than a word have upper bits that the
// callee ignores; so have floats, in what stands for their register.
struct MachineWords {
  std::array<uint64_t, kIntegerRegisters> integers;
  std::array<uint64_t, kFloatRegisters> floats;
  std::array<uint64_t, kStackWords> stack;
};

// Where parameters go, and how a function that takes them is called. Made once
// for a function; immutable.
class MachineCall {
 public:
  enum class Returns : uint8_t { kInteger, kFloat };  // or nothing: either

  // A function without parameters.
  explicit MachineCall(Returns returns)
      : returns_(returns), caller_(FindCaller()) {}

  // The place of the next parameter, an index into MachineWords as an array of
  // words. RESOURCE_EXHAUSTED: the stack words are used up.
  absl::StatusOr<size_t> AddInteger();
  absl::StatusOr<size_t> AddFloat();

  // Gives the word of a place.
  static uint64_t& At(MachineWords& words, size_t place) {
    return reinterpret_cast<uint64_t*>(&words)[place];
  }

  // Calls. The result is the word of the integer or float register; bits that
  // its type does not have are arbitrary.
  uint64_t Call(void* function, const MachineWords& words) const {
    return caller_(function, words);
  }

 private:
  using Caller = uint64_t (*)(void* function, const MachineWords& words);

  absl::StatusOr<size_t> AddStack();
  // The caller for the parameters that there are.
  Caller FindCaller() const;

  Returns returns_;
  uint8_t integers_ = 0;
  uint8_t floats_ = 0;
  uint8_t stack_ = 0;
  Caller caller_;
};

}  // namespace eyrie::native

#endif  // EYRIE_ABI_NATIVE_MEMREF_MACHINE_CALL_H_
