// Writes parameter archives, from start to end.
//
// Tested by parameters_test.cc.
#ifndef EYRIE_HAL_PARAMETERS_IRPA_WRITER_H_
#define EYRIE_HAL_PARAMETERS_IRPA_WRITER_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/file_writer.h"
#include "hal/parameters/irpa_format.h"
#include "hal/parameters/parameter_index.h"

namespace eyrie::hal {

// A parameter to write. Borrows `bytes`.
struct ParameterSource {
  // The source of the contents.
  enum class Content : uint8_t {
    kBytes,  // `bytes`
    kSplat,  // `splat`, stored as a splat
    kFill,   // `splat`, stored repeatedly as data
  };

  std::string key;
  std::string metadata;
  uint64_t length = 0;  // bytes; a multiple of the splat's length
  Content content = Content::kBytes;
  std::span<const uint8_t> bytes;
  Splat splat;
};

// Writes one archive, with the bytes that IREE's tools write for these entries
// in this order. Data start at multiples of `alignment`, a power of two up to
// 2^30. INVALID_ARGUMENT: invalid alignment, a length that is not a multiple of
// its splat's, or a duplicate key. OUT_OF_RANGE: more than 2^62 bytes. Also
// returns the sink's errors.
absl::Status WriteIrpa(std::span<const ParameterSource> parameters,
                       uint64_t alignment, ByteSink sink);

// The places in an archive.
struct IrpaLayout {
  uint64_t size = 0;              // of the file, in bytes
  std::vector<uint64_t> offsets;  // of each parameter's data; 0 for splats
};

// Returns the places that WriteIrpa chooses, or its error.
absl::StatusOr<IrpaLayout> PlanIrpa(std::span<const ParameterSource> parameters,
                                    uint64_t alignment);

// Writes the contents of one parameter; a splat is written repeatedly.
absl::Status WriteContents(const ParameterSource& parameter, ByteSink sink);

}  // namespace eyrie::hal

#endif  // EYRIE_HAL_PARAMETERS_IRPA_WRITER_H_
