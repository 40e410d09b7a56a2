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
#include <utility>
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

// Decodes code in each query. Borrows the instruction set and the bytes, which
// must outlive it. Not thread-safe.
class CodeScan {
 public:
  // `regions` must not overlap and must ascend by address.
  CodeScan(const InstructionSet& set, std::vector<CodeRegion> regions)
      : set_(set), regions_(std::move(regions)) {}

  // Returns the features that all the code needs, reached or not.
  FeatureSet all() const;

  // Returns the features that the functions at `roots` need on every machine:
  // those of their own code and of all code that direct calls and jumps reach.
  // `starts` are more addresses at which functions begin. RESOURCE_EXHAUSTED:
  // memory ran out.
  absl::StatusOr<FeatureSet> Reachable(std::span<const uint64_t> roots,
                                       std::span<const uint64_t> starts) const;

  // Reports whether a function may begin here: at the usual alignment; or else
  // not inside an instruction, and at the machine's alignment or after the end
  // of other code. RESOURCE_EXHAUSTED: memory ran out.
  absl::StatusOr<bool> MayBegin(uint64_t address);
  // Reports whether the function that begins at `begin` may end here: after a
  // return, a jump, a trap, or a call, which may never return.
  bool MayEnd(uint64_t begin, uint64_t end) const;

 private:
  friend class ReachableSearch;

  // Returns the region that contains an address, or null.
  const CodeRegion* Find(uint64_t address) const;
  absl::Status FindOpenings();

  const InstructionSet& set_;
  std::vector<CodeRegion> regions_;
  // Addresses at which functions may begin, ascending; made when needed.
  std::optional<std::vector<uint64_t>> openings_;
};

}  // namespace eyrie::hal::cpu

#endif  // EYRIE_HAL_CPU_CODE_SCAN_H_
