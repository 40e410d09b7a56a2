// Gives an executable library in an ELF file tables of another version, so
// that the runtimes of other releases load it.
//
// Its kernels stay as they are: all versions call them in the same way
// (dispatch_abi.h).
// Tested by library_rewrite_test.cc, testing/elf_fuzz.cc.
#ifndef EYRIE_HAL_CPU_LIBRARY_REWRITE_H_
#define EYRIE_HAL_CPU_LIBRARY_REWRITE_H_

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "absl/status/statusor.h"

namespace eyrie::hal::cpu {

// The arguments of a kernel, for versions that do not declare them.
struct KernelCounts {
  uint32_t constants = 0;
  uint32_t bindings = 0;

  friend bool operator==(const KernelCounts&, const KernelCounts&) = default;
};

// Returns the file with tables of `version`, 3 to 6. `counts` are those of the
// kernels, by ordinal, and are used if the old version declares none and the
// new one does. Kernels without a name get one ("kernel_2"). Returns the file
// as it is if it has this version, and all kernels have names or `needs_names`
// is false. UNIMPLEMENTED: the version needs counts that `counts` lacks.
// INVALID_ARGUMENT: it has no tables, or a kernel takes more than a dispatch
// can give. Otherwise fails as ElfImage::Load does.
absl::StatusOr<std::vector<uint8_t>> RewriteLibrary(
    std::span<const uint8_t> file, uint32_t version,
    std::span<const std::optional<KernelCounts>> counts, bool needs_names);

}  // namespace eyrie::hal::cpu

#endif  // EYRIE_HAL_CPU_LIBRARY_REWRITE_H_
