// Errors and output of subcommands.
#include "tools/command.h"

#include <cstdio>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "base/plain_text.h"

namespace eyrie::tools {
namespace {

constexpr size_t kMostLine = 8192;  // bytes of a line of an error

}  // namespace

std::string PlainLines(absl::string_view text, size_t most) {
  std::vector<std::string> lines;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    lines.push_back(PlainText(line, most));
  }
  return absl::StrJoin(lines, "\n");
}

int ReportError(const absl::Status& status) {
  const std::string line =
      absl::StrCat("eyrie: ", absl::StatusCodeToString(status.code()), ": ",
                   PlainLines(status.message(), kMostLine), "\n");
  std::fwrite(line.data(), 1, line.size(), stderr);
  return 1;
}

void ReportIgnoredFlags(const Arguments& arguments) {
  const std::vector<std::string> names = arguments.IgnoredFlags();
  if (names.empty()) return;
  const std::string line = absl::StrCat("eyrie: accepted without effect: --",
                                        absl::StrJoin(names, ", --"), "\n");
  std::fwrite(line.data(), 1, line.size(), stderr);
}

absl::Status WriteStdout(const std::string& text) {
  const size_t written = std::fwrite(text.data(), 1, text.size(), stdout);
  if (written == text.size() && std::fflush(stdout) == 0) {
    return absl::OkStatus();
  }
  return absl::DataLossError("Standard output could not be written.");
}

absl::Status WriteFile(const std::string& path,
                       std::span<const uint8_t> bytes) {
  if (path == "-") return WriteStdout(std::string(bytes.begin(), bytes.end()));
  std::FILE* file = std::fopen(path.c_str(), "wb");
  bool written = file != nullptr && std::fwrite(bytes.data(), 1, bytes.size(),
                                                file) == bytes.size();
  if (file != nullptr && std::fclose(file) != 0) written = false;
  if (written) return absl::OkStatus();
  return absl::DataLossError(
      absl::StrCat("The file '", path, "' cannot be written."));
}

}  // namespace eyrie::tools
