// Writes parameter archives.
//
// Tested by parameters_test.cc.
#ifndef EYRIE_HAL_PARAMETERS_IRPA_WRITER_H_
#define EYRIE_HAL_PARAMETERS_IRPA_WRITER_H_

#include <cstdint>
#include <span>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/file_writer.h"
#include "hal/parameters/irpa_format.h"
#include "hal/parameters/parameter_index.h"

namespace eyrie::hal {

// A parameter to write. Borrows its bytes.
struct ParameterSource {
  // What it holds where `bytes` are none.
  enum class Content : uint8_t {
    kBytes,  // `bytes`
    kSplat,  // `splat`, as such
    kFill,   // `splat`, repeated in the file
  };

  std::string key;
  std::string metadata;
  uint64_t length = 0;  // bytes, a multiple of the splat's
  Content content = Content::kBytes;
  std::span<const uint8_t> bytes;
  Splat splat;
};

// Writes one archive. Data begin at multiples of `alignment`, a power of two
// from 16 to 2^30. INVALID_ARGUMENT: another alignment, a length that is no
// multiple of its splat, or a key that is there twice. OUT_OF_RANGE: more than
// 2^62 bytes. Else as the sink.
absl::Status WriteIrpa(std::span<const ParameterSource> parameters,
                       uint64_t alignment, ByteSink sink);

// How many bytes WriteIrpa writes; fails as it does.
absl::StatusOr<uint64_t> IrpaSize(std::span<const ParameterSource> parameters,
                                  uint64_t alignment);

// Writes what one parameter holds, a splat repeated.
absl::Status WriteContents(const ParameterSource& parameter, ByteSink sink);

}  // namespace eyrie::hal

#endif  // EYRIE_HAL_PARAMETERS_IRPA_WRITER_H_
