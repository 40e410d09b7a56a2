// Tests reading executables when allocation fails.
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "gtest/gtest.h"
#include "hal/vulkan/executable_builder.h"
#include "hal/vulkan/executable_def.h"
#include "hal/vulkan/spirv_text.h"
#include "tests/support/failing_allocations.h"

namespace eyrie::hal::vulkan {
namespace {

TEST(VulkanNoMemory, Executables) {
  constexpr uint32_t kNothing = 1u << 16;  // OpNop
  ExecutableParts parts;
  parts.words = AssembleSpirv(parts.shaders[0]);
  parts.words.resize(parts.words.size() + 50000, kNothing);
  const std::vector<uint8_t> file = parts.Build();
  // An unaligned FlatBuffer is copied.
  std::vector<uint8_t> storage(file.size() + 1);
  std::memcpy(storage.data() + 1, file.data(), file.size());
  const auto unaligned = std::span<const uint8_t>(storage).subspan(1);
  tests::FailEach({
      {"aligned", [&] { return ReadExecutable(file).status(); }, 1},
      {"unaligned", [&] { return ReadExecutable(unaligned).status(); }, 2},
  });
}

}  // namespace
}  // namespace eyrie::hal::vulkan
