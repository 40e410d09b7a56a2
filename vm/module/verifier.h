// Proves a decoded module safe to run unchecked.
//
// Of every function: instructions known, declared and in the module's version;
// registers within the declared counts, of the right bank, pairs even; move
// bits only where they may stand; ordinals and global ranges in bounds;
// branches to block marks; remaps within a bank; calls and returns with the
// callee's arity and types; no running off the end. What depends on values
// (indices, null refs, ref types, an indirect global's offset) is the
// interpreter's to check. Linear in the size of the file.
// Tested by verifier_test.cc, module_fuzz.cc.
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

// Where in a module a fault is; function kNone if it is in no function's code.
struct FaultPlace {
  static constexpr uint32_t kNone = 0xFFFFFFFF;
  uint32_t function = kNone;
  uint32_t offset = 0;  // of the instruction
};

// A module whose every function has passed. Immutable; shared by threads.
class VerifiedModule {
 public:
  // The only way to make one. INVALID_ARGUMENT or OUT_OF_RANGE: the module is
  // malformed. UNIMPLEMENTED: it uses what its version does not have.
  // RESOURCE_EXHAUSTED: there is no memory.
  // Messages end with the place, "(at module.function+0x12)"; `fault`, where
  // it is not null, is set to it.
  static absl::StatusOr<std::shared_ptr<const VerifiedModule>> Verify(
      ModuleDef def, FaultPlace* fault = nullptr);

  VerifiedModule(const VerifiedModule&) = delete;
  VerifiedModule& operator=(const VerifiedModule&) = delete;

  const ModuleDef& def() const { return def_; }

  // Conventions, parsed. Functions are never variadic; imports may be.
  const CallingConvention& signature(uint32_t function) const {
    return signatures_[function];
  }
  const CallingConvention& import_signature(uint32_t import) const {
    return import_signatures_[import];
  }
  // Where the function's code finds its arguments.
  ArgumentLayout argument_layout(uint32_t function) const {
    return layouts_[function];
  }
  // True if a branch of the function leads back.
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

// Opens, decodes and verifies a file ("-": standard input). Errors name it.
absl::StatusOr<std::shared_ptr<const VerifiedModule>> LoadModule(
    const std::string& path);

// The same for bytes in memory, which are copied.
absl::StatusOr<std::shared_ptr<const VerifiedModule>> LoadModule(
    std::span<const uint8_t> bytes, const std::string& name);

}  // namespace eyrie::vm

#endif  // EYRIE_VM_MODULE_VERIFIER_H_
