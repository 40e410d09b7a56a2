// What every subcommand shares: its entry point, and how it reports errors.
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

// A subcommand: gets what follows its name, returns the exit code.
using CommandMain = int (*)(std::span<const char* const> args);

#define COMMAND(name, main, summary) \
  int main(std::span<const char* const> args);
#include "tools/commands.def"

// Has a standard stream that is closed be /dev/null, the wrong way: reading
// from it, and writing to it, fails. Else the first file that is opened would
// be what others take for the stream. First of all in a program.
void OccupyStandardStreams();

// Prints "eyrie: INVALID_ARGUMENT: The sentence." to stderr; returns 1.
int ReportError(const absl::Status& status);

// Prints "eyrie: note: The sentence." to stderr. On any thread; after a hundred
// it prints no more.
void PrintNote(absl::string_view sentence);

// Says once, on stderr, which flags were accepted and mean nothing here.
void ReportIgnoredFlags(const Arguments& arguments);

// Writes all of it to stdout; an error if the reader has gone or the disk is
// full.
absl::Status WriteStdout(const std::string& text);
// DATA_LOSS: something written there by stdio is lost.
absl::Status CheckStdout();

// Checks the file that a flag names, before anything is done that it is to
// hold; nothing is created or changed. The errors of FileWriter, or
// INVALID_ARGUMENT: it is one of the files that the command reads.
absl::Status CheckOutputPath(absl::string_view flag, const std::string& path,
                             std::span<const std::string> inputs);

// Gives `produce` a sink that leads to a file, or for "-" to stdout.
// RESOURCE_EXHAUSTED: a file of `size` bytes, 0 if it is not known, finds no
// room; then nothing is written.
absl::Status WriteTo(const std::string& path, uint64_t size,
                     absl::FunctionRef<absl::Status(ByteSink sink)> produce);

// The same for text.
absl::Status WriteTextTo(
    const std::string& path,
    absl::FunctionRef<absl::Status(TextSink sink)> produce);

// Writes all of it there.
absl::Status WriteFile(const std::string& path, std::span<const uint8_t> bytes);

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_COMMAND_H_
