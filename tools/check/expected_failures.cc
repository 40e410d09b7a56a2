#include "tools/check/expected_failures.h"

#include <cstddef>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/glob.h"
#include "base/mapped_file.h"
#include "base/plain_text.h"
#include "base/status_macros.h"
#include "tools/check/name_filter.h"

namespace eyrie::tools {
namespace {

constexpr size_t kMaxReason = 500;  // bytes

}  // namespace

absl::StatusOr<ExpectedFailures> ExpectedFailures::Read(
    const std::string& path) {
  ASSIGN_OR_RETURN(const auto file, MappedFile::Open(path));
  const auto bytes = file->bytes();
  return Parse(absl::string_view(reinterpret_cast<const char*>(bytes.data()),
                                 bytes.size()),
               path);
}

absl::StatusOr<ExpectedFailures> ExpectedFailures::Parse(
    absl::string_view text, const std::string& path) {
  ExpectedFailures failures;
  int number = 0;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    ++number;
    line = absl::StripAsciiWhitespace(line);
    if (line.empty() || line.front() == '#') continue;
    const size_t end = line.find_first_of(" \t");
    const std::string pattern(line.substr(0, end));
    const std::string place = absl::StrCat(path, ":", number);
    // Names are printed and matched without characters that a terminal cannot
    // show.
    if (PlainText(pattern, pattern.size()) != pattern) {
      return absl::InvalidArgumentError(absl::StrCat(
          place, ": '", PlainName(pattern),
          "' is not a pattern of test names; the file is not text."));
    }
    const absl::string_view reason =
        end == line.npos ? "" : absl::StripAsciiWhitespace(line.substr(end));
    failures.lines_.push_back({pattern, PlainText(reason, kMaxReason), place});
  }
  return failures;
}

const ExpectedFailure* ExpectedFailures::Find(
    const std::vector<std::string>& names) const {
  for (const ExpectedFailure& line : lines_) {
    for (const std::string& name : names) {
      if (MatchesPattern(name, line.pattern)) return &line;
    }
  }
  return nullptr;
}

}  // namespace eyrie::tools
