// Proves that a decoded module is safe to run without checks.
//
// Checks for every function that instructions are known, allowed by its
// features and part of the module's version; that registers are in range, of
// the right bank, with even pairs; that move bits are allowed; that ordinals
// and globals are in bounds; that branches lead to blocks and moves stay within
// a bank; that calls and returns match signatures; and that control cannot run
// past the end. The interpreter checks values: indices, null refs, types of
// refs, indirect globals. Takes linear time.
// Tested by verifier_test.cc, testing/module_fuzz.cc.
#ifndef EYRIE_VM_MODULE_VERIFIER_H_
#define EYRIE_VM_MODULE_VERIFIER_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "vm/isa/callconv.h"
#include "vm/module/module_def.h"

namespace eyrie::vm {

// The position of an error in a module. `function` is kNone if it is not in a
// function's code.
struct FaultPlace {
  static constexpr uint32_t kNone = 0xFFFFFFFF;
  uint32_t function = kNone;
  uint32_t offset = 0;  // of the instruction
};

// A module all of whose functions are valid. Immutable; shared by threads.
class VerifiedModule {
 public:
  // Verifies a module. Returns INVALID_ARGUMENT or OUT_OF_RANGE if it is
  // malformed, UNIMPLEMENTED if it uses something that its version does not
  // have, and RESOURCE_EXHAUSTED if there is not enough memory. A function may
  // use more registers than it declares, up to the next power of two and at
  // least one of each bank: upstream's assembler writes such functions, and its
  // runtime rounds in this way. Its frame then has that many. Messages end
  // with the position, "(at module.function+0x12)". If `fault` is not null, it
  // receives the position of an error.
  static absl::StatusOr<std::shared_ptr<const VerifiedModule>> Verify(
      ModuleDef def, FaultPlace* fault = nullptr);

  VerifiedModule(const VerifiedModule&) = delete;
  VerifiedModule& operator=(const VerifiedModule&) = delete;

  const ModuleDef& def() const { return def_; }

  // The parsed signatures. Functions are never variadic; imports may be.
  const CallingConvention& signature(uint32_t function) const {
    return signatures_[function];
  }
  const CallingConvention& import_signature(uint32_t import) const {
    return import_signatures_[import];
  }
  // Returns where the function's code expects its arguments.
  ArgumentLayout argument_layout(uint32_t function) const {
    return layouts_[function];
  }
  // Reports whether the function has a backward branch.
  bool has_loop(uint32_t function) const { return have_loops_[function] != 0; }

 private:
  explicit VerifiedModule(ModuleDef def) : def_(std::move(def)) {}
  absl::Status ReserveTables();

  ModuleDef def_;
  std::vector<CallingConvention> signatures_;
  std::vector<CallingConvention> import_signatures_;
  std::vector<ArgumentLayout> layouts_;  // of functions
  std::vector<uint8_t> have_loops_;      // 0 or 1
};

// Opens, decodes and verifies a file; "-" reads standard input. Errors contain
// the file's name.
absl::StatusOr<std::shared_ptr<const VerifiedModule>> LoadModule(
    const std::string& path);

// Decodes and verifies bytes in memory, which are copied. Errors contain
// `name`.
absl::StatusOr<std::shared_ptr<const VerifiedModule>> LoadModule(
    std::span<const uint8_t> bytes, const std::string& name);

// Decodes and verifies an open archive. If there is an error instead of an
// archive, returns that error.
absl::StatusOr<std::shared_ptr<const VerifiedModule>> LoadModule(
    const absl::StatusOr<std::shared_ptr<const Archive>>& archive);

}  // namespace eyrie::vm

#endif  // EYRIE_VM_MODULE_VERIFIER_H_
