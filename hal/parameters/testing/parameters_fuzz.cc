// Fuzzes the parsers of parameter files: no bytes may crash them, and every
// entry must be within the bytes.
//
// tests/fuzz/BUILD says how to run it.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "hal/parameters/parameter_formats.h"
#include "hal/parameters/parameter_index.h"

namespace eyrie::hal {
namespace {

void Fuzz(std::span<const uint8_t> bytes) {
  auto entries = ParseParameters(bytes, "x.safetensors");
  if (!entries.ok()) return;
  ParameterIndex index;
  const auto file = ParameterFile::FromBytes(
      std::vector<uint8_t>(bytes.begin(), bytes.end()), "x");
  const absl::Status status = index.Add(*std::move(entries), file);
  // All parsers must have checked ranges already.
  if (absl::IsOutOfRange(status)) std::abort();
  for (const Parameter& parameter : index.parameters()) {
    const std::vector<uint8_t> copy(parameter.bytes().begin(),
                                    parameter.bytes().end());
    const bool splat = !parameter.file;
    if (!splat && copy.size() != parameter.length) std::abort();
    if (index.Find(parameter.key) != &parameter) std::abort();
  }
}

}  // namespace
}  // namespace eyrie::hal

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  eyrie::hal::Fuzz({data, size});
  return 0;
}
