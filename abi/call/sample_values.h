// Creates arguments from a signature, to try a function or to measure its
// speed.
//
// Tested by round_trip_test.cc, tools/cli_test.py.
#ifndef EYRIE_ABI_CALL_SAMPLE_VALUES_H_
#define EYRIE_ABI_CALL_SAMPLE_VALUES_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "abi/signature/signature.h"
#include "abi/value/host_value.h"
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

// Parses "auto", "random" or "zeros". Returns nullopt for any other text.
std::optional<SampleKind> ParseSampleKind(absl::string_view text);

// The length of lists, and of dimensions that the signature does not give.
inline constexpr int64_t kSampleDimension = 4;

// Creates one value per argument. The same seed gives the same values on all
// machines. `memory` counts the arrays; null if nothing does. INVALID_ARGUMENT:
// the type of an argument is not specific enough. RESOURCE_EXHAUSTED: the
// device cannot hold an array, or it exceeds the limit of `memory`.
absl::StatusOr<std::vector<HostValue>> SampleArguments(
    const Signature& signature, hal::Device& device, SampleKind kind,
    uint64_t seed, const std::shared_ptr<MemoryMeter>& memory = nullptr);

}  // namespace eyrie::abi

#endif  // EYRIE_ABI_CALL_SAMPLE_VALUES_H_
