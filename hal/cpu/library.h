// Reads the tables of an executable library of any version from its image.
//
// Tested by executable_test.cc.
#ifndef EYRIE_HAL_CPU_LIBRARY_H_
#define EYRIE_HAL_CPU_LIBRARY_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "hal/cpu/dispatch_abi.h"
#include "hal/cpu/image.h"

namespace eyrie::hal::cpu {

// One exported dispatch. The name points into the image.
struct LibraryExport {
  absl::string_view name;  // may be empty before version 6
  DispatchFunction function;
  uint32_t constant_count;     // 32-bit words, or ExportInfo::kUndeclared
  uint32_t binding_count;      // buffers, or ExportInfo::kUndeclared
  uint32_t local_memory_size;  // bytes
  uint32_t workgroup_size[3];
};

// Checked tables of a library: its functions are in the image's code, its
// header is in its data.
struct Library {
  uint32_t version;
  const LibraryHeader* header;
  absl::string_view name;
  std::vector<absl::string_view> imports;  // "?name": optional
  std::vector<LibraryExport> exports;
  uint32_t constant_count;
};

// Reports whether a library also runs without the function.
inline bool IsOptionalImport(absl::string_view name) {
  return absl::StartsWith(name, "?") || absl::EndsWith(name, "?");
}

// Reads the tables that a LibraryQuery returned for `version`, which must be
// one from kOldestLibraryVersion to kNewestLibraryVersion.
// INVALID_ARGUMENT: a table is damaged. RESOURCE_EXHAUSTED: one has more than
// 65536 entries, or they name the same bytes too often. UNIMPLEMENTED: the
// library needs an unsupported feature or sanitizer.
absl::StatusOr<Library> ReadLibrary(const Image& image, uint32_t version,
                                    const LibraryHeader* const* answer);

}  // namespace eyrie::hal::cpu

#endif  // EYRIE_HAL_CPU_LIBRARY_H_
