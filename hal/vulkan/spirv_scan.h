// Collects facts from the words of a SPIR-V module in one pass; they refer to
// each other by id.
//
// Internal to spirv.cc, which interprets the facts. Instructions about anything
// other than resources, sizes or capabilities are skipped.
// Tested by spirv_test.cc, testing/spirv_fuzz.cc.
#ifndef EYRIE_HAL_VULKAN_SPIRV_SCAN_H_
#define EYRIE_HAL_VULKAN_SPIRV_SCAN_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/hash_map.h"
#include "hal/vulkan/spirv_float_control.h"

namespace eyrie::hal::vulkan {

// Spans are views of the scanned words.
struct SpirvFacts {
  struct EntryPoint {  // with model GLCompute
    uint32_t function;
    std::string name;
    std::span<const uint32_t> interface;  // ids of variables
  };
  struct LocalSize {
    uint32_t values[3];  // ids of constants if by_id
    bool by_id;
  };
  struct Variable {
    uint32_t storage_class;
    uint32_t type;  // a pointer
  };
  struct Decorations {
    std::optional<uint32_t> set;
    std::optional<uint32_t> binding;
  };
  struct Extension {
    std::string name;
    size_t word;  // index of the instruction's first word
  };

  uint32_t version = 0;                // from the header
  std::vector<uint32_t> capabilities;  // without duplicates
  std::vector<Extension> extensions;
  std::optional<std::pair<uint32_t, uint32_t>> model;  // addressing, memory
  std::vector<EntryPoint> entry_points;
  HashMap<uint32_t, LocalSize> local_sizes;  // by function id
  HashMap<uint32_t, Variable> variables;     // at module scope
  HashMap<uint32_t, Decorations> decorations;
  HashMap<uint32_t, uint64_t> constants;  // scalars
  HashMap<uint32_t, std::span<const uint32_t>> composites;
  HashMap<uint32_t, uint32_t> pointees;    // by pointer type
  HashMap<uint32_t, uint64_t> type_sizes;  // bytes, saturated
  std::optional<uint32_t> workgroup_size;  // the constant with this decoration
  std::vector<uint32_t> spec_ids;
  std::vector<SpirvFloatControl> float_controls;
  bool has_wrap_decoration = false;  // NoSignedWrap, NoUnsignedWrap

  bool HasExtension(absl::string_view name) const;
};

// INVALID_ARGUMENT: the words are not a SPIR-V module or are truncated.
// UNIMPLEMENTED: the version is after 1.6.
absl::StatusOr<SpirvFacts> ScanSpirv(std::span<const uint32_t> words);

}  // namespace eyrie::hal::vulkan

#endif  // EYRIE_HAL_VULKAN_SPIRV_SCAN_H_
