// eyrie note: the note that makes a library say what its functions are.
//
// Tested by native_test.sh.
#include <string>
#include <vector>

#include "abi/native/elf_note.h"
#include "abi/native/manifest.h"
#include "absl/strings/str_cat.h"
#include "base/mapped_file.h"
#include "base/status_macros.h"
#include "tools/arg_parser.h"
#include "tools/command.h"

namespace eyrie::tools {
namespace {

constexpr Flag kFlags[] = {
    {"help", FlagKind::kBool, "false", "Prints this."},
    {"output", FlagKind::kString, "", "The object file to write; also -o."},
};

constexpr char kUsage[] =
    "Usage: eyrie note manifest.json -o note.o\n"
    "Checks a manifest and writes it as an object file of this machine, to be\n"
    "linked into the library that it describes:\n"
    "  cc -shared -o k.so k.o note.o\n\n";

absl::Status Run(std::span<const char* const> args) {
  std::vector<const char*> words(args.begin(), args.end());
  for (const char*& word : words) {
    if (absl::string_view(word) == "-o") word = "--output";
  }
  ASSIGN_OR_RETURN(const Arguments arguments, ParseArguments(kFlags, words));
  if (arguments.GetBool("help")) {
    return WriteStdout(absl::StrCat(kUsage, FlagsHelp(kFlags)));
  }
  const std::string& output = arguments.GetString("output");
  if (arguments.positional().size() != 1 || output.empty()) {
    return absl::InvalidArgumentError(
        "eyrie note takes one manifest, and -o with the file to write.");
  }
  const std::string& path = arguments.positional()[0];
  ASSIGN_OR_RETURN(const auto file, MappedFile::Open(path));
  const absl::string_view text(
      reinterpret_cast<const char*>(file->bytes().data()),
      file->bytes().size());
  const absl::StatusOr<native::Manifest> manifest =
      native::Manifest::Parse(text);
  if (!manifest.ok()) {
    return Annotate(manifest.status(), absl::StrCat("(in '", path, "')"));
  }
  const std::string object = native::MakeNoteObject(text);
  return WriteFile(
      output, {reinterpret_cast<const uint8_t*>(object.data()), object.size()});
}

}  // namespace

int NoteMain(std::span<const char* const> args) {
  const absl::Status status = Run(args);
  return status.ok() ? 0 : ReportError(status);
}

}  // namespace eyrie::tools
