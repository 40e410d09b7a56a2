// Arguments made up from a signature: to try a function, or to time it.
//
// Tested by round_trip_test.cc, tools/cli_test.py.
#ifndef EYRIE_ABI_SAMPLE_VALUES_H_
#define EYRIE_ABI_SAMPLE_VALUES_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "abi/host_value.h"
#include "abi/signature.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/memory_meter.h"
#include "hal/device.h"

namespace eyrie::abi {

enum class SampleKind : uint8_t {
  kAuto,    // 0, 1, … 7, 0, 1 …: exact in every element type
  kRandom,  // floats from 0 up to 1, integers from 0 to 7; by the seed
  kZeros,
};

// "auto", "random", "zeros".
std::optional<SampleKind> ParseSampleKind(absl::string_view text);

// How long dimensions are that the signature does not know, and lists.
inline constexpr int64_t kSampleDimension = 4;

// One value per argument. The same seed gives the same values everywhere.
// INVALID_ARGUMENT: an argument whose type says too little.
// RESOURCE_EXHAUSTED: an array that the device cannot hold, or that passes the
// limit of `memory`, which counts arrays if there is one.
absl::StatusOr<std::vector<HostValue>> SampleArguments(
    const Signature& signature, hal::Device& device, SampleKind kind,
    uint64_t seed, const std::shared_ptr<MemoryMeter>& memory = nullptr);

}  // namespace eyrie::abi

#endif  // EYRIE_ABI_SAMPLE_VALUES_H_
