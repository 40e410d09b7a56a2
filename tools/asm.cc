// `eyrie asm`: assembles a module from its text.
//
// Tested by cli_test.py.
#include <cstdlib>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/mapped_file.h"
#include "base/status_macros.h"
#include "tools/arg_parser.h"
#include "tools/command.h"
#include "tools/usage_error.h"
#include "vm/asm/assembler.h"
#include "vm/asm/module_plan.h"

namespace eyrie::tools {
namespace {

constexpr Flag kAsmFlags[] = {
    kHelpFlag,
    kFlagfileFlag,
    {"output", FlagKind::kString, "",
     "The file to write; also -o FILE. '-' is standard output. Without it the\n"
     "text is only checked.",
     "-o"},
    {"debug", FlagKind::kBool, "false",
     "Also -g: stores line numbers of the text in the module, for backtraces.",
     "-g"},
    {"verify", FlagKind::kBool, "true",
     "Rejects a module that Eyrie would not run; --noverify writes it anyway."},
};

constexpr char kAsmUsage[] =
    "# Usage: eyrie asm [flags] module.vmasm -o module.vmfb\n"
    "# Assembles a module from the text that 'eyrie dump\n"
    "# --output=disassembly' prints. '-' reads standard input.\n\n";

// Returns the path without symbolic links, or "" if it does not exist.
std::string Resolve(const std::string& path) {
  char* const resolved = realpath(path.c_str(), nullptr);
  const std::string result = resolved == nullptr ? "" : resolved;
  std::free(resolved);
  return result;
}

// Reads a file in the folder of the text or below it. Rejects all others, also
// through links, because the text may be untrusted.
absl::StatusOr<std::vector<uint8_t>> ReadBeside(const std::string& text_path,
                                                const std::string& name) {
  const absl::Status outside = absl::InvalidArgumentError(
      absl::StrCat("The file '", name, "' is outside the folder of the text."));
  const std::vector<std::string> parts = absl::StrSplit(name, '/');
  for (const std::string& part : parts) {
    if (part.empty() || part == "..") return outside;
  }
  const size_t slash = text_path.rfind('/');
  const std::string folder =
      slash == std::string::npos ? "./" : text_path.substr(0, slash + 1);
  const std::string path = Resolve(folder + name);
  if (path.empty()) {
    return absl::NotFoundError(absl::StrCat("Cannot find the file '", name,
                                            "' in the folder of the text."));
  }
  std::string inside = Resolve(folder);
  if (!absl::EndsWith(inside, "/")) inside += '/';
  if (!absl::StartsWith(path, inside)) return outside;
  ASSIGN_OR_RETURN(auto file,
                   MappedFile::OpenRegular(path, vm::kMaxRodataBytes));
  const std::span<const uint8_t> bytes = file->bytes();
  return std::vector<uint8_t>(bytes.begin(), bytes.end());
}

absl::Status RunAsm(std::span<const char* const> args) {
  ASSIGN_OR_RETURN(const Arguments arguments, ParseArguments(kAsmFlags, args));
  if (arguments.GetBool("help")) {
    return WriteStdout(absl::StrCat(kAsmUsage, FlagsHelp(kAsmFlags)));
  }
  if (arguments.positional().size() != 1) {
    return UsageError(absl::StrCat("eyrie asm takes one file of assembly, not ",
                                   arguments.positional().size(), "."));
  }
  const std::string& path = arguments.positional()[0];
  const std::string& output = arguments.GetString("output");
  if (!output.empty()) {
    RETURN_IF_ERROR(
        CheckOutputPath(arguments.Prefix("output"), output, {&path, 1}));
  }
  ASSIGN_OR_RETURN(auto file, MappedFile::Open(path));
  const absl::string_view text(
      reinterpret_cast<const char*>(file->bytes().data()),
      file->bytes().size());
  if (absl::StrContains(text, '\0')) {
    return absl::InvalidArgumentError(
        absl::StrCat("'", path,
                     "' is not text; expected assembly, as printed by "
                     "'eyrie dump --output=disassembly'."));
  }
  vm::AssemblerOptions options;
  options.verify = arguments.GetBool("verify");
  options.debug_lines = arguments.GetBool("debug");
  options.read_file = [&path](const std::string& name) {
    return ReadBeside(path, name);
  };
  ASSIGN_OR_RETURN(const std::vector<uint8_t> module,
                   vm::Assemble(text, path, options));
  return output.empty() ? absl::OkStatus() : WriteFile(output, module);
}

}  // namespace

int AsmMain(std::span<const char* const> args) {
  const absl::Status status = RunAsm(args);
  return status.ok() ? 0 : ReportError(status);
}

}  // namespace eyrie::tools
