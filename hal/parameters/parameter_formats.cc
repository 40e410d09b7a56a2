#include "hal/parameters/parameter_formats.h"

#include <algorithm>
#include <cstring>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/allocate.h"
#include "base/status_macros.h"

namespace eyrie::hal {
namespace {

using Parser =
    absl::StatusOr<std::vector<ParameterEntry>> (*)(std::span<const uint8_t>);

struct Format {
  absl::string_view magic;  // at `offset`
  size_t offset;
  absl::string_view extension;
  Parser parse;
};

constexpr Format kFormats[] = {
    {"IRPA", 0, ".irpa", ParseIrpa},
    {"GGUF", 0, ".gguf", ParseGguf},
    {"{", 8, ".safetensors", ParseSafetensors},
};

bool HasMagic(std::span<const uint8_t> bytes, const Format& format) {
  return bytes.size() >= format.offset + format.magic.size() &&
         std::memcmp(bytes.data() + format.offset, format.magic.data(),
                     format.magic.size()) == 0;
}

}  // namespace

absl::StatusOr<std::vector<ParameterEntry>> ParseParameters(
    std::span<const uint8_t> bytes, absl::string_view name) {
  for (const Format& format : kFormats) {
    if (HasMagic(bytes, format)) return format.parse(bytes);
  }
  for (const Format& format : kFormats) {
    if (absl::EndsWith(name, format.extension)) return format.parse(bytes);
  }
  return absl::InvalidArgumentError(
      absl::StrCat("The file (", bytes.size(),
                   " bytes) is not a .irpa, .safetensors or .gguf file."));
}

absl::Status CheckDisjoint(std::span<const ParameterEntry> entries) {
  struct Range {
    uint64_t begin;
    uint64_t end;
    const ParameterEntry* entry;
  };
  std::vector<Range> ranges;
  RETURN_IF_ERROR(Reserve(ranges, entries.size(), kParameterEntries));
  for (const ParameterEntry& entry : entries) {
    const FileOffset* begin = std::get_if<FileOffset>(&entry.storage);
    if (begin == nullptr || entry.length == 0) continue;
    ranges.push_back({begin->offset, begin->offset + entry.length, &entry});
  }
  std::sort(ranges.begin(), ranges.end(),
            [](const Range& a, const Range& b) { return a.begin < b.begin; });
  for (size_t i = 1; i < ranges.size(); ++i) {
    if (ranges[i].begin >= ranges[i - 1].end) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("Parameter ", QuotedName(ranges[i].entry->key),
                     " at offset ", ranges[i].begin, " begins within ",
                     QuotedName(ranges[i - 1].entry->key), ", which ends at ",
                     ranges[i - 1].end, "."));
  }
  return absl::OkStatus();
}

}  // namespace eyrie::hal
