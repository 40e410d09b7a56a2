// Finds the instruction set extensions that machine code needs by decoding it.
//
// Neither a module nor an executable declares its target processor, so the
// instructions are the only evidence. Code that is reached only through a
// pointer is ignored: compiled code chooses these pointers at run time, from
// the processor data.
// Tested by code_scan_test.cc, and by code_scan_test.cc of each machine.
#ifndef EYRIE_HAL_CPU_CODE_SCAN_H_
#define EYRIE_HAL_CPU_CODE_SCAN_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "hal/cpu/machine/cpu_features.h"
#include "hal/cpu/machine/instruction_set.h"

namespace eyrie::hal::cpu {

// A range of machine code and the address of its first byte.
struct CodeRegion {
  std::span<const uint8_t> bytes;
  uint64_t address;
};

// Decodes code on construction and again in each query. Immutable. Borrows the
// instruction set and the bytes, which must outlive it.
class CodeScan {
 public:
  // `regions` must not overlap and must ascend by address.
  CodeScan(const InstructionSet& set, std::vector<CodeRegion> regions);

  // RESOURCE_EXHAUSTED: memory for the results ran out.
  const absl::Status& status() const { return status_; }

  // Returns the features that all the code needs, reached or not.
  FeatureSet all() const { return all_; }

  // Returns the features that the functions at `roots` need on every machine:
  // those of their own code and of all code that direct calls and jumps reach.
  // `starts` are more addresses at which functions begin. RESOURCE_EXHAUSTED:
  // memory ran out.
  absl::StatusOr<FeatureSet> Reachable(std::span<const uint64_t> roots,
                                       std::span<const uint64_t> starts) const;

  // Reports whether a function may begin here: not inside an instruction, and
  // at a compiler's alignment or after the end of other code.
  bool MayBegin(uint64_t address) const;
  // Reports whether a function may end here: after a return, a jump, a trap, or
  // a call, which may never return.
  bool MayEnd(uint64_t address) const;

 private:
  friend class ReachableSearch;

  // Returns the region that contains an address, or null.
  const CodeRegion* Find(uint64_t address) const;
  void Sweep(const CodeRegion& region);

  const InstructionSet& set_;
  std::vector<CodeRegion> regions_;
  absl::Status status_;
  FeatureSet all_;
  // Addresses at which a function may begin, ascending.
  std::vector<uint64_t> openings_;
  // Addresses at which a function may end, ascending.
  std::vector<uint64_t> ends_;
};

}  // namespace eyrie::hal::cpu

#endif  // EYRIE_HAL_CPU_CODE_SCAN_H_
