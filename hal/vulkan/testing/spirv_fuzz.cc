// Fuzzes the shader reader: reads the input, and again after corrections.
// Neither may crash, and the second read must change nothing.
//
// To run it, see tests/fuzz/BUILD.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "hal/vulkan/spirv.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::vector<uint32_t> words(size / sizeof(uint32_t));
  if (!words.empty()) {
    std::memcpy(words.data(), data, words.size() * sizeof(uint32_t));
  }
  const std::vector<uint32_t> before = words;
  const auto module = eyrie::hal::vulkan::ReadSpirv(words);
  if (!module.ok()) {
    if (module.status().message().empty() || words != before) std::abort();
    return 0;
  }
  for (const auto& entry : module->entry_points) {
    const auto* found = eyrie::hal::vulkan::FindEntryPoint(*module, entry.name);
    if (found == nullptr || found->workgroup_size[0] == 0) std::abort();
  }
  const std::vector<uint32_t> mended = words;
  const auto again = eyrie::hal::vulkan::ReadSpirv(words);
  if (!again.ok() || words != mended) std::abort();
  if (again->version != module->version) std::abort();
  return 0;
}
