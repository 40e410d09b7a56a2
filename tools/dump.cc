// eyrie dump: what a module of any release contains.
#include <string>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "tools/arg_parser.h"
#include "tools/command.h"
#include "tools/module_text.h"
#include "vm/archive.h"
#include "vm/module_def.h"
#include "vm/verifier.h"

namespace eyrie::tools {
namespace {

constexpr Flag kFlags[] = {
    {"help", FlagKind::kBool, "false", "Prints this."},
    {"flagfile", FlagKind::kString, "",
     "Reads flags from a file, one a line; later flags override it."},
    {"output", FlagKind::kString, "all",
     "What to print: all, metadata, flatbuffer-binary or flatbuffer-json.\n"
     "'all' is the metadata; disassembly is not available yet."},
    {"json", FlagKind::kBool, "false", "Prints the metadata as JSON."},
    {"signatures", FlagKind::kBool, "false",
     "Prints what each function takes and returns, one a line, and where that\n"
     "stands; --json has the same as \"signature\" of each export."},
    {"verify", FlagKind::kBool, "true",
     "Refuses a module that would not be run; --noverify prints what can be\n"
     "read of a damaged one."},
    {"function", FlagKind::kString, "", "The function to disassemble."},
    {"bytecode_offsets", FlagKind::kBool, "false",
     "Adds offsets to the disassembly."},
    {"pretty", FlagKind::kIgnored, "", ""},
    {"flatbuffer_pretty", FlagKind::kIgnored, "", ""},
};

constexpr char kUsage[] =
    "Usage: eyrie dump [flags] module.vmfb\n"
    "Prints what a compiled module of any release contains: requirements,\n"
    "types, imports, exports with their attributes, sizes. '-' reads standard\n"
    "input.\n\n";

// The text to print for one module.
absl::StatusOr<std::string> Dump(const Arguments& arguments,
                                 const std::string& path) {
  const std::string& output = arguments.GetString("output");
  ASSIGN_OR_RETURN(auto archive, vm::Archive::Open(path));
  if (output == "flatbuffer-binary") {
    const auto bytes = archive->flatbuffer();
    return std::string(bytes.begin(), bytes.end());
  }
  if (output == "disassembly" || !arguments.GetString("function").empty()) {
    return absl::UnimplementedError(
        "Disassembly is not available yet; --output=metadata is.");
  }
  const bool json = arguments.GetBool("json") || output == "flatbuffer-json";
  if (!json && output != "all" && output != "metadata") {
    return absl::InvalidArgumentError(absl::StrCat(
        "--output is '", output,
        "'; it is one of all, metadata, flatbuffer-binary, flatbuffer-json."));
  }
  ASSIGN_OR_RETURN(vm::ModuleDef module, vm::ModuleDef::Decode(archive));
  if (arguments.GetBool("verify")) {
    ASSIGN_OR_RETURN(auto verified, vm::VerifiedModule::Verify(module));
  }
  if (arguments.GetBool("signatures") && !json) return SignaturesText(module);
  return json ? MetadataJson(module) : MetadataText(module);
}

absl::Status Run(std::span<const char* const> args) {
  ASSIGN_OR_RETURN(const Arguments arguments, ParseArguments(kFlags, args));
  if (arguments.GetBool("help")) {
    return WriteStdout(absl::StrCat(kUsage, FlagsHelp(kFlags)));
  }
  if (arguments.positional().size() != 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("eyrie dump takes one module file, not ",
                     arguments.positional().size(), "."));
  }
  ASSIGN_OR_RETURN(const std::string text,
                   Dump(arguments, arguments.positional()[0]));
  return WriteStdout(text);
}

}  // namespace

int DumpMain(std::span<const char* const> args) {
  const absl::Status status = Run(args);
  return status.ok() ? 0 : ReportError(status);
}

}  // namespace eyrie::tools
