// Errors and output of subcommands.
#include "tools/command.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/file_target.h"
#include "base/file_writer.h"
#include "base/plain_text.h"
#include "base/status_macros.h"
#include "tools/usage_error.h"

namespace eyrie::tools {
namespace {

constexpr size_t kMaxLine = 8192;  // bytes per line of an error
constexpr int kMaxNotes = 100;

bool is_silent = false;

// The reason is not known if `error` is 0.
absl::Status StdoutError(int error) {
  return absl::DataLossError(
      absl::StrCat("Cannot write to standard output", error == 0 ? "" : ": ",
                   error == 0 ? "" : strerror(error), "."));
}

}  // namespace

void OccupyStandardStreams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(stream, F_GETFD) >= 0) continue;
    // open() returns the lowest free number, which is this one.
    (void)open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
}

int ReportError(const absl::Status& status) {
  const std::string line =
      absl::StrCat("eyrie: ", absl::StatusCodeToString(status.code()), ": ",
                   PlainLines(status.message(), kMaxLine), "\n");
  std::fwrite(line.data(), 1, line.size(), stderr);
  return ExitCodeOf(status);
}

void PrintNote(absl::string_view sentence) {
  static std::atomic<int> count = 0;
  if (is_silent) return;
  const int number = ++count;
  if (number > kMaxNotes + 1) return;
  const std::string line =
      absl::StrCat("eyrie: note: ",
                   number > kMaxNotes ? "there are more notes."
                                      : PlainLines(sentence, kMaxLine),
                   "\n");
  std::fwrite(line.data(), 1, line.size(), stderr);
}

void SilenceNotes() { is_silent = true; }

void ReportIgnoredFlags(const Arguments& arguments,
                        std::span<const Flag> unused) {
  if (is_silent) return;
  const std::vector<std::string> names = arguments.IgnoredFlags(unused);
  if (names.empty()) return;
  const std::string line = absl::StrCat("eyrie: accepted without effect: --",
                                        absl::StrJoin(names, ", --"), "\n");
  std::fwrite(line.data(), 1, line.size(), stderr);
}

absl::Status WriteStdout(const std::string& text) {
  return WriteTo("-", text.size(), [&text](ByteSink sink) {
    return sink({reinterpret_cast<const uint8_t*>(text.data()), text.size()});
  });
}

absl::Status CheckStdout() {
  if (std::ferror(stdout) != 0) return StdoutError(0);
  return std::fflush(stdout) == 0 ? absl::OkStatus() : StdoutError(errno);
}

absl::Status CheckOutputPath(absl::string_view prefix, const std::string& path,
                             std::span<const std::string> inputs) {
  if (path == "-") return absl::OkStatus();
  ASSIGN_OR_RETURN(const FileTarget target, FindFileTarget(path));
  for (const std::string& input : inputs) {
    if (!target.identity.empty() && target.identity == FileIdentity(input)) {
      return absl::InvalidArgumentError(
          absl::StrCat(prefix, "'", path, "' is also the input file."));
    }
  }
  return absl::OkStatus();
}

absl::Status WriteTo(const std::string& path, uint64_t size,
                     absl::FunctionRef<absl::Status(ByteSink sink)> produce) {
  if (path != "-") {
    FileWriter file(path);
    RETURN_IF_ERROR(file.CheckRoom(size));
    RETURN_IF_ERROR(produce(
        [&](std::span<const uint8_t> bytes) { return file.Write(bytes); }));
    return file.Finish();
  }
  RETURN_IF_ERROR(produce([](std::span<const uint8_t> bytes) {
    return std::fwrite(bytes.data(), 1, bytes.size(), stdout) == bytes.size()
               ? absl::OkStatus()
               : StdoutError(errno);
  }));
  return CheckStdout();
}

absl::Status WriteTextTo(
    const std::string& path,
    absl::FunctionRef<absl::Status(TextSink sink)> produce) {
  return WriteTo(path, 0, [produce](ByteSink sink) {
    return produce([sink](absl::string_view text) {
      return sink({reinterpret_cast<const uint8_t*>(text.data()), text.size()});
    });
  });
}

absl::Status WriteFile(const std::string& path,
                       std::span<const uint8_t> bytes) {
  return WriteTo(path, bytes.size(),
                 [bytes](ByteSink sink) { return sink(bytes); });
}

}  // namespace eyrie::tools
