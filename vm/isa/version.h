// The known bytecode versions and their differences.
//
// Functions of major 13 are rewritten for 15 (vm/module/older_code.h).
// Since 15 no number, field or field order of an instruction changed. Newer
// majors add instructions (opcodes.def: since) and define more about move bits.
// Up to 15, compilers set the move bit on every last use of a ref, but runtimes
// ignored the bit of a single operand, and frames dropped the remaining refs on
// return. From 16 on, the bit of kRefMove operands counts, no other operand has
// it, and compilers emit discard.refs. Major 17 adds yieldable calls and marks
// functions with the features YIELD and UNWIND.
#ifndef EYRIE_VM_ISA_VERSION_H_
#define EYRIE_VM_ISA_VERSION_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "vm/isa/release.h"

namespace eyrie::vm {

// Bits of the requirements of modules and functions.
enum Feature : uint32_t {
  kFeatureF32 = 1u << 0,     // instructions of the f32 set
  kFeatureF64 = 1u << 1,     // instructions of the f64 set
  kFeatureYield = 1u << 2,   // may suspend; the caller must be able to resume
  kFeatureUnwind = 1u << 3,  // refs must be dropped when a call fails
};
inline constexpr uint32_t kKnownFeatures =
    kFeatureF32 | kFeatureF64 | kFeatureYield | kFeatureUnwind;

// Returns text such as "F32 | YIELD", with unknown bits in hexadecimal; or
// "none".
std::string FeaturesToString(uint32_t features);

struct BytecodeVersion {
  uint16_t major;
  uint16_t max_minor;  // greater minors are not supported
  // Decoded functions have the instructions of this major. If it is not
  // `major`, modules of the version can be read but not written.
  uint16_t decoded_major;
  ReleaseRange releases;  // those that write it
  // The move bit of a single operand has a meaning, and only kRefMove operands
  // may have it. If false, any ref operand may have it, and it is ignored.
  bool operand_moves;
  bool discards;         // it has discard.refs and assign.ref
  bool yieldable_calls;  // it has call.yieldable and its variadic form
  // Functions may have either ArgumentLayout; else only kInOrder.
  bool arguments_may_fill_gaps;
};

// In ascending order of majors.
inline constexpr BytecodeVersion kBytecodeVersions[] = {
    {13, 0, 15, {k20230209, k20230228}, false, false, false, true},
    {15, 0, 15, {k20230404, 9}, false, false, false, true},
    {16, 0, 16, {10, 10}, true, true, false, false},
    {17, 0, 17, {11, kNewestRelease}, true, true, true, false},
};

// Returns the releases to which modules can be written.
constexpr ReleaseRange WritableReleases() {
  const BytecodeVersion* version = kBytecodeVersions;
  while (version->decoded_major != version->major) ++version;
  return {version->releases.first, kNewestRelease};
}

// Returns all versions, as "15.0 (20230404 to 3.9), 16.0 (3.10)" and so on.
std::string KnownBytecodeVersions();

// Returns the version for a module's packed field (major << 16 | minor).
// Returns UNIMPLEMENTED, with a list of all versions, if it is unknown.
absl::StatusOr<const BytecodeVersion*> FindBytecodeVersion(uint32_t packed);

// Returns the same for a version that is to be written. UNIMPLEMENTED also if
// modules of the version can only be read.
absl::StatusOr<const BytecodeVersion*> FindWritableVersion(uint32_t packed);

// Returns the version that modules of a release have; null if it has none that
// is known.
constexpr const BytecodeVersion* BytecodeVersionOf(int release) {
  for (const BytecodeVersion& version : kBytecodeVersions) {
    if (release >= version.releases.first && release <= version.releases.last) {
      return &version;
    }
  }
  return nullptr;
}

// Returns the first major whose modules may use an instruction that was added
// in this release.
constexpr uint16_t MajorOfRelease(int release) {
  const BytecodeVersion* version = kBytecodeVersions;
  while (version->releases.last < release) ++version;
  return version->major;
}

}  // namespace eyrie::vm

#endif  // EYRIE_VM_ISA_VERSION_H_
