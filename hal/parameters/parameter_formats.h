// Parsers of parameter files, by format.
//
// Files are untrusted: tables are read with checked arithmetic, every entry's
// range is within the file, and errors name the entry. The parameters
// themselves are not read.
// Tested by parameters_test.cc, testing/parameters_fuzz.cc.
#ifndef EYRIE_HAL_PARAMETERS_PARAMETER_FORMATS_H_
#define EYRIE_HAL_PARAMETERS_PARAMETER_FORMATS_H_

#include <cstdint>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "hal/parameters/parameter_entry.h"

namespace eyrie::hal {

// Parses a file whose format is found by its first bytes, else by the extension
// of `name`. INVALID_ARGUMENT, OUT_OF_RANGE: damaged, or of unknown format.
// UNIMPLEMENTED: unknown version. RESOURCE_EXHAUSTED (here and below): out of
// memory. An entry of an unknown type or kind has a `fault`.
absl::StatusOr<std::vector<ParameterEntry>> ParseParameters(
    std::span<const uint8_t> bytes, absl::string_view name);

// Parses archives of iree-create-parameters (".irpa", format 0.0) with data and
// splats. Entries in other files have a `fault`. Format:
// runtime/src/iree/schemas/parameter_archive.h.
absl::StatusOr<std::vector<ParameterEntry>> ParseIrpa(
    std::span<const uint8_t> bytes);

// Parses Hugging Face's safetensors: a JSON table before the data.
// INVALID_ARGUMENT also: tensors overlap, have a size that does not match their
// shape, or leave gaps in the data. Format:
// https://github.com/huggingface/safetensors#format
absl::StatusOr<std::vector<ParameterEntry>> ParseSafetensors(
    std::span<const uint8_t> bytes);

// Parses GGUF 2 and 3. INVALID_ARGUMENT also: tensors overlap. Format:
// https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
absl::StatusOr<std::vector<ParameterEntry>> ParseGguf(
    std::span<const uint8_t> bytes);

// INVALID_ARGUMENT: two entries overlap; the message names both.
absl::Status CheckDisjoint(std::span<const ParameterEntry> entries);

}  // namespace eyrie::hal

#endif  // EYRIE_HAL_PARAMETERS_PARAMETER_FORMATS_H_
