// `eyrie note`: writes a note that describes the functions of a library, or a
// program whose custom calls are imports.
//
// Tested by native_test.sh.
#include <string>
#include <utility>
#include <vector>

#include "abi/native/elf_note.h"
#include "abi/native/manifest.h"
#include "abi/native/memref/source.h"
#include "abi/native/xla/program.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/folders.h"
#include "base/mapped_file.h"
#include "base/status_macros.h"
#include "tools/arg_parser.h"
#include "tools/command.h"
#include "tools/usage_error.h"

namespace eyrie::tools {
namespace {

constexpr Flag kNoteFlags[] = {
    kHelpFlag,
    {"output", FlagKind::kString, "",
     "The object file, or the program, to write; also -o.", "-o"},
    {"module", FlagKind::kString, "",
     "The module of the functions of an .mlir file or of --function. The "
     "default\n"
     "is the file's module, or the name of the file; \"xla\" for custom "
     "calls."},
    {"function", FlagKind::kList, "",
     "A memref function and its type, instead of a file:\n"
     "\"sum: (memref<?xf32>) -> f32\". Repeat it for several."},
    {"index_bits", FlagKind::kInt, "64",
     "Bits of index in the functions of an .mlir file or of --function: 64 or\n"
     "32."},
    {"bare_pointers", FlagKind::kBool, "false",
     "The functions of an .mlir file or of --function are lowered with\n"
     "use-bare-ptr-memref-call-conv."},
};

constexpr char kNoteUsage[] =
    "Usage: eyrie note manifest.json -o note.o\n"
    "       eyrie note functions.mlir -o note.o\n"
    "       eyrie note --module=m --function=\"sum: (memref<?xf32>) -> f32\" "
    "-o note.o\n"
    "       eyrie note program.mlir -o linked.mlir\n"
    "Checks a manifest and writes it as an object file for this machine. Link\n"
    "it into the library that the manifest describes:\n"
    "  cc -shared -o k.so k.o note.o\n"
    "From MLIR, the manifest takes the functions that have the attribute\n"
    "llvm.emit_c_interface, or else all that are not private, with or without\n"
    "bodies. Use the MLIR from before it is lowered to LLVM's dialect.\n"
    "If a program has stablehlo.custom_call, writes it with imports instead,\n"
    "which iree-compile takes, and their manifest next to it, linked.json.\n\n";

constexpr char kDefaultModule[] = "xla";  // of custom calls

// Returns "plate" for "folder/plate.mlir".
std::string Stem(absl::string_view path) {
  return std::string(absl::StripSuffix(FileNameOf(path), ".mlir"));
}

absl::StatusOr<std::string> ManifestOfMlir(const Arguments& arguments,
                                           const std::string& path,
                                           absl::string_view text) {
  ASSIGN_OR_RETURN(native::MlirSource source, native::ReadMlirSource(text));
  std::string module = arguments.GetString("module");
  if (module.empty()) module = source.name.empty() ? Stem(path) : source.name;
  return native::MemrefManifest(
      module, source.functions,
      static_cast<int>(arguments.GetInt("index_bits")),
      arguments.GetBool("bare_pointers"));
}

std::span<const uint8_t> BytesOf(absl::string_view text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

// Adds to an error of a file's content where it is from.
absl::Status InFile(const absl::Status& status, const std::string& path) {
  const bool is_known =
      absl::EndsWith(path, ".json") || absl::EndsWith(path, ".mlir");
  return Annotate(status,
                  absl::StrCat("(in '", path,
                               is_known ? "')"
                                        : "', which is taken for a manifest in "
                                          "JSON; MLIR is in files that end in "
                                          ".mlir)"));
}

// Writes a program with custom calls as `output`, and its manifest next to it.
absl::Status WriteProgram(const Arguments& arguments, const std::string& path,
                          absl::string_view text, const std::string& output) {
  for (const char* const flag : {"index_bits", "bare_pointers"}) {
    if (arguments.IsSet(flag)) {
      return UsageError(absl::StrCat(
          "--", flag,
          " applies to memref functions only, not to custom calls."));
    }
  }
  absl::string_view stem = output;
  if (!absl::ConsumeSuffix(&stem, ".mlir")) {
    return UsageError(absl::StrCat(
        "The program has custom calls: -o must name a file that ends in .mlir, "
        "for the program with imports; got '",
        output, "'."));
  }
  const std::string manifest_path = absl::StrCat(stem, ".json");
  std::string module = arguments.GetString("module");
  if (module.empty()) module = kDefaultModule;
  const auto linked = native::LinkProgram(text, module);
  if (!linked.ok()) return InFile(linked.status(), path);
  RETURN_IF_ERROR(native::Manifest::Parse(linked->manifest).status());
  RETURN_IF_ERROR(CheckOutputPath(arguments.Prefix("output"), manifest_path,
                                  arguments.positional()));
  RETURN_IF_ERROR(WriteFile(output, BytesOf(linked->text)));
  return WriteFile(manifest_path, BytesOf(linked->manifest));
}

// Returns the manifest of a file, unchecked.
absl::StatusOr<std::string> ManifestOfFile(const Arguments& arguments,
                                           const std::string& path,
                                           absl::string_view text) {
  if (absl::EndsWith(path, ".mlir")) {
    return ManifestOfMlir(arguments, path, text);
  }
  if (arguments.IsSet("module") || arguments.IsSet("index_bits") ||
      arguments.IsSet("bare_pointers")) {
    return UsageError(
        "--module, --index_bits and --bare_pointers apply to .mlir files and "
        "--function only; a manifest contains them.");
  }
  return std::string(text);
}

absl::StatusOr<std::string> ManifestOfFlags(const Arguments& arguments) {
  std::vector<native::MlirFunction> functions;
  for (const std::string& text : arguments.GetList("function")) {
    const size_t colon = text.find(':');
    if (colon == text.npos) {
      return UsageError(absl::StrCat(
          "--function='", text, "' is not valid; expected \"name: type\"."));
    }
    functions.push_back({.name = text.substr(0, colon),
                         .type = std::string(absl::StripAsciiWhitespace(
                             absl::string_view(text).substr(colon + 1))),
                         .outputs = 0,
                         .wrapped = true});
  }
  return native::MemrefManifest(
      arguments.GetString("module"), functions,
      static_cast<int>(arguments.GetInt("index_bits")),
      arguments.GetBool("bare_pointers"));
}

absl::Status WriteNote(const std::string& manifest, const std::string& output) {
  return WriteFile(output, BytesOf(native::CreateNoteObject(manifest)));
}

absl::Status WriteFromFile(const Arguments& arguments, const std::string& path,
                           const std::string& output) {
  ASSIGN_OR_RETURN(const auto file, MappedFile::Open(path));
  const absl::string_view text(
      reinterpret_cast<const char*>(file->bytes().data()),
      file->bytes().size());
  if (absl::EndsWith(path, ".mlir") && native::HasCustomCalls(text)) {
    return WriteProgram(arguments, path, text, output);
  }
  const auto manifest = ManifestOfFile(arguments, path, text);
  absl::Status status = manifest.status();
  if (status.ok()) status = native::Manifest::Parse(*manifest).status();
  if (!status.ok()) return InFile(status, path);
  return WriteNote(*manifest, output);
}

absl::Status RunNote(std::span<const char* const> args) {
  ASSIGN_OR_RETURN(const Arguments arguments, ParseArguments(kNoteFlags, args));
  if (arguments.GetBool("help")) {
    return WriteStdout(absl::StrCat(kNoteUsage, FlagsHelp(kNoteFlags)));
  }
  const std::string& output = arguments.GetString("output");
  const bool by_flags = arguments.IsSet("function");
  if (arguments.positional().size() != (by_flags ? 0 : 1) || output.empty()) {
    return UsageError(
        "eyrie note takes one manifest, .mlir file or --function, and -o with "
        "the file to write.");
  }
  const std::string path = by_flags ? "" : arguments.positional()[0];
  RETURN_IF_ERROR(CheckOutputPath(arguments.Prefix("output"), output,
                                  arguments.positional()));
  if (!by_flags) return WriteFromFile(arguments, path, output);
  ASSIGN_OR_RETURN(const std::string manifest, ManifestOfFlags(arguments));
  RETURN_IF_ERROR(native::Manifest::Parse(manifest).status());
  return WriteNote(manifest, output);
}

}  // namespace

int NoteMain(std::span<const char* const> args) {
  const absl::Status status = RunNote(args);
  return status.ok() ? 0 : ReportError(status);
}

}  // namespace eyrie::tools
