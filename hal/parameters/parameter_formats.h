// The formats that files of parameters have.
//
// A file is hostile: its tables are read with checked arithmetic, every
// entry's range lies in the file, and what is wrong is an error that names the
// entry. Parameters themselves are not read.
// Tested by parameters_test.cc, parameters_fuzz.cc.
#ifndef EYRIE_HAL_PARAMETERS_PARAMETER_FORMATS_H_
#define EYRIE_HAL_PARAMETERS_PARAMETER_FORMATS_H_

#include <cstdint>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "hal/parameters/parameter_index.h"

namespace eyrie::hal {

// What memory for them is for.
inline constexpr absl::string_view kParameterEntries =
    "the entries of a parameter file";

// The entries of a file. The format is told by how the bytes begin, else by
// the name's end. INVALID_ARGUMENT or OUT_OF_RANGE: damaged, or of no format
// known here. UNIMPLEMENTED: a version or a kind of entry that is not.
// RESOURCE_EXHAUSTED, as all below: no memory.
absl::StatusOr<std::vector<ParameterEntry>> ParseParameters(
    std::span<const uint8_t> bytes, absl::string_view name);

// Archives of iree-create-parameters (".irpa", format 0.0): data and splats.
// Entries in other files are UNIMPLEMENTED. Format:
// runtime/src/iree/schemas/parameter_archive.h.
absl::StatusOr<std::vector<ParameterEntry>> ParseIrpa(
    std::span<const uint8_t> bytes);

// Hugging Face's safetensors: a JSON table before the data.
// INVALID_ARGUMENT also: tensors that overlap, whose shape is not their size,
// or that leave a byte of the data to nobody. Format:
// https://github.com/huggingface/safetensors#format
absl::StatusOr<std::vector<ParameterEntry>> ParseSafetensors(
    std::span<const uint8_t> bytes);

// GGUF 2 and 3. INVALID_ARGUMENT also: tensors that overlap. Format:
// https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
absl::StatusOr<std::vector<ParameterEntry>> ParseGguf(
    std::span<const uint8_t> bytes);

// INVALID_ARGUMENT: two entries share bytes; it names both.
absl::Status CheckDisjoint(std::span<const ParameterEntry> entries);

}  // namespace eyrie::hal

#endif  // EYRIE_HAL_PARAMETERS_PARAMETER_FORMATS_H_
