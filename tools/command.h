// Shared by all subcommands: entry points, error reports and output files.
#ifndef EYRIE_TOOLS_COMMAND_H_
#define EYRIE_TOOLS_COMMAND_H_

#include <cstdint>
#include <span>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "base/file_writer.h"
#include "base/text_stream.h"
#include "tools/arg_parser.h"

namespace eyrie::tools {

// A subcommand. `args` are the arguments after its name; returns the exit code.
using CommandMain = int (*)(std::span<const char* const> args);

#define COMMAND(name, main, summary) \
  int main(std::span<const char* const> args);
#include "tools/commands.def"

// Opens /dev/null on any closed standard stream, in the direction that makes
// its use fail. Otherwise the first file that is opened would take the stream's
// number. Must be called before anything else in main().
void OccupyStandardStreams();

// Prints "eyrie: INVALID_ARGUMENT: The sentence." to stderr; returns the exit
// code.
int ReportError(const absl::Status& status);

// Prints "eyrie: note: The sentence." to stderr. Thread-safe. Only the first
// hundred notes of a process are printed.
void PrintNote(absl::string_view sentence);

// Makes PrintNote and ReportIgnoredFlags print nothing, for --quiet. Must be
// called before threads are started.
void SilenceNotes();

// Prints the names of given flags without effect to stderr, on one line. A
// command does not use those of `unused` in this run.
void ReportIgnoredFlags(const Arguments& arguments,
                        std::span<const Flag> unused = {});

// Writes the text to stdout and flushes it. DATA_LOSS: the pipe's reader has
// exited or the disk is full.
absl::Status WriteStdout(const std::string& text);
// Flushes stdout. DATA_LOSS: earlier output of stdio is lost.
absl::Status CheckStdout();

// Checks that the file that a flag names can be written, before its content is
// computed. Creates and changes nothing. `prefix` is the text before the path,
// "--output=". INVALID_ARGUMENT: the file is one of `inputs`. Otherwise fails
// as FileWriter does.
absl::Status CheckOutputPath(absl::string_view prefix, const std::string& path,
                             std::span<const std::string> inputs);

// Calls `produce` with a sink that writes to a file, or to stdout if `path` is
// "-". `size` is the expected size in bytes, or 0 if unknown.
// RESOURCE_EXHAUSTED: the disk has no room for it; nothing is written then.
absl::Status WriteTo(const std::string& path, uint64_t size,
                     absl::FunctionRef<absl::Status(ByteSink sink)> produce);

// Calls `produce` with a sink of text that writes as WriteTo does.
absl::Status WriteTextTo(
    const std::string& path,
    absl::FunctionRef<absl::Status(TextSink sink)> produce);

// Writes `bytes` to a file, or to stdout if `path` is "-".
absl::Status WriteFile(const std::string& path, std::span<const uint8_t> bytes);

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_COMMAND_H_
