// Which instruction set extensions machine code needs, found by reading it.
//
// Neither a module nor an executable declares what processor it was compiled
// for, so the instructions are the only witness. Code that is reached only
// through a pointer is left out of account: compilers choose such pointers at
// run time, from the processor data.
// Tested by code_scan_test.cc.
#ifndef EYRIE_HAL_CPU_CODE_SCAN_H_
#define EYRIE_HAL_CPU_CODE_SCAN_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "hal/cpu/cpu_features.h"

namespace eyrie::hal::cpu {

// A stretch of machine code and the address of its first byte.
struct CodeRegion {
  std::span<const uint8_t> bytes;
  uint64_t address;
};

// Reads code when made, and again when asked. Immutable; borrows the bytes.
class CodeScan {
 public:
  // `regions` do not overlap and ascend by address.
  explicit CodeScan(std::vector<CodeRegion> regions);

  // RESOURCE_EXHAUSTED: there was no memory for what is below.
  const absl::Status& status() const { return status_; }

  // What all the code needs, reached or not.
  FeatureSet all() const { return all_; }

  // What is needed by the code that the functions at `roots` run on every
  // machine: themselves, and what they call and jump to by name. `starts` are
  // more addresses known to begin functions. RESOURCE_EXHAUSTED: no memory.
  absl::StatusOr<FeatureSet> Reachable(std::span<const uint64_t> roots,
                                       std::span<const uint64_t> starts) const;

  // Whether a function may begin here: not in the midst of an instruction,
  // and at a compiler's alignment or after the end of other code.
  bool MayBegin(uint64_t address) const;
  // Whether a function may end here: behind an instruction that goes on
  // elsewhere.
  bool MayEnd(uint64_t address) const;

 private:
  friend class ReachableSearch;

  // The region an address is in; null if none.
  const CodeRegion* Find(uint64_t address) const;
  void Sweep(const CodeRegion& region);

  std::vector<CodeRegion> regions_;
  absl::Status status_;
  FeatureSet all_;
  // Addresses at which a function may begin, ascending.
  std::vector<uint64_t> openings_;
  std::vector<uint64_t> ends_;  // likewise
};

}  // namespace eyrie::hal::cpu

#endif  // EYRIE_HAL_CPU_CODE_SCAN_H_
