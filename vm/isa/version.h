// The bytecode versions there are, and what differs between them.
//
// No number, field or field order of an instruction ever changed: newer
// majors add instructions (opcodes.def: since) and give meaning to move bits.
// Major 15 compilers set the move bit on every last use of a ref, while their
// runtimes moved only in lists (calls, returns, branches, switch.ref) and kept
// the reference where a single operand carried the bit; frames dropped what
// was left on return. From 16 on an operand's bit counts, and only kRefMove
// operands carry it; compilers emit discard.refs for the rest. Major 17 has
// yieldable calls and marks functions with the features YIELD and UNWIND.
#ifndef EYRIE_VM_ISA_VERSION_H_
#define EYRIE_VM_ISA_VERSION_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"

namespace eyrie::vm {

// Bits of a module's or function's requirements.
enum Feature : uint32_t {
  kFeatureF32 = 1u << 0,     // instructions of the f32 set
  kFeatureF64 = 1u << 1,     // of the f64 set
  kFeatureYield = 1u << 2,   // may suspend; the caller must be able to resume
  kFeatureUnwind = 1u << 3,  // refs must be dropped when a call fails
};
inline constexpr uint32_t kKnownFeatures =
    kFeatureF32 | kFeatureF64 | kFeatureYield | kFeatureUnwind;

// "F32 | YIELD"; unknown bits as hexadecimal; "none".
std::string FeaturesToString(uint32_t features);

struct BytecodeVersion {
  uint16_t major;
  uint16_t max_minor;    // a greater minor has what we do not know
  const char* releases;  // whose compilers write it
  bool operand_moves;    // the move bit of a single kRefMove operand counts;
                         // else it may stand on any ref operand, unheeded
  bool discards;         // discard.refs and assign.ref exist
  bool yieldable_calls;  // call.yieldable and its variadic form exist
  // Functions of either ArgumentLayout occur; else it is kInOrder.
  bool arguments_may_fill_gaps;
};

// Ascending by major.
inline constexpr BytecodeVersion kBytecodeVersions[] = {
    {15, 0, "3.1 to 3.9", false, false, false, true},
    {16, 0, "3.10", true, true, false, false},
    {17, 0, "3.11 to 3.13", true, true, true, false},
};

// "15.0 (3.1 to 3.9), 16.0 (3.10)" and so on: all of them.
std::string KnownBytecodeVersions();

// The version of a module's packed field (major << 16 | minor), or
// UNIMPLEMENTED with the known ones.
absl::StatusOr<const BytecodeVersion*> FindBytecodeVersion(uint32_t packed);

// The first major whose modules may use an instruction that came with release
// `since` ("3.10").
constexpr uint16_t MajorOfRelease(const char* since) {
  // "3." and a number: minors up to 9 wrote 15, 10 wrote 16.
  int minor = 0;
  for (const char* c = since + 2; *c != 0; ++c) minor = minor * 10 + (*c - '0');
  return minor <= 9 ? 15 : minor == 10 ? 16 : 17;
}

}  // namespace eyrie::vm

#endif  // EYRIE_VM_ISA_VERSION_H_
