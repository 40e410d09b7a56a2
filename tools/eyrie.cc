// The eyrie command: selects the subcommand, also by the program's own name.
#include <csignal>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/folders.h"
#include "base/plain_text.h"
#include "base/suggest.h"
#include "eyrie/c_base.h"
#include "tools/command.h"
#include "tools/fault_report.h"
#include "tools/other_files.h"
#include "tools/shell_word.h"
#include "tools/usage_error.h"
#include "vm/isa/version.h"

extern const char eyrie_commit[];  // in version_stamp.cc

namespace eyrie::tools {
namespace {

struct Command {
  const char* name;
  CommandMain main;
  const char* summary;
};

constexpr Command kCommands[] = {
#define COMMAND(name, main, summary) {name, main, summary},
#include "tools/commands.def"
};

// A public tool's name and the arguments that it stands for.
struct PublicTool {
  const char* name;
  std::vector<const char*> arguments;
};

// Returns the arguments for a public tool's name, or none for other names.
std::vector<const char*> ArgumentsOf(absl::string_view program) {
  const PublicTool tools[] = {
#define PUBLIC_TOOL(name, ...) {name, {__VA_ARGS__}},
#include "tools/names.def"
#undef PUBLIC_TOOL
  };
  for (const PublicTool& tool : tools) {
    if (FileNameOf(program) == tool.name) return tool.arguments;
  }
  return {};
}

std::string Usage() {
  std::string text = "Usage: eyrie COMMAND [flags]\n\n";
  for (const Command& command : kCommands) {
    absl::StrAppend(&text, "  ", command.name,
                    std::string(12 - std::strlen(command.name), ' '),
                    command.summary, "\n");
  }
  absl::StrAppend(&text, "\neyrie COMMAND --help lists the flags; ",
                  "eyrie --version lists the supported modules.\n");
  return text;
}

std::string Version() {
  const absl::string_view commit = eyrie_commit;
  const bool is_known = !commit.empty() && commit != "redacted";
  return absl::StrCat("eyrie ", EYRIE_VERSION, is_known ? ", commit " : "",
                      is_known ? commit : "",
                      "\nModules of iree-compile run with bytecode ",
                      vm::KnownBytecodeVersions(), ".\n");
}

int Print(const std::string& text) {
  const absl::Status status = WriteStdout(text);
  return status.ok() ? 0 : ReportError(status);
}

// Returns what to type for a file that is given as a command, or "".
std::string CommandsForFile(const std::string& path) {
  std::string text = CommandsFor(path);
  if (!text.empty() || !IsRegularFile(path)) return text;
  const std::string word = ShellWord(path);
  return absl::StrCat("'", PlainPath(path),
                      "' is a file, not a command. To run it as a module, or "
                      "to describe it:\n  eyrie run ",
                      word, "\n  eyrie inspect ", word);
}

int Main(std::span<const char* const> args) {
  if (args.empty()) {
    std::fputs(Usage().c_str(), stderr);
    return ExitCodeOf(UsageError("No command is named."));
  }
  std::string name = args[0];
  std::vector<const char*> flags(args.begin() + 1, args.end());
  if (name == "--version") return Print(Version());
  if (name == "help" || name == "--help" || name == "-h") {
    if (flags.empty() || flags[0] == absl::string_view("help")) {
      return Print(Usage());
    }
    name = flags[0];  // `help params dump` is `params dump --help`
    flags.erase(flags.begin());
    flags.push_back("--help");
  }
  std::vector<std::string> names = {"help", "--help", "--version"};
  for (const Command& command : kCommands) {
    if (name == command.name) return command.main(flags);
    names.push_back(command.name);
  }
  if (const std::string commands = CommandsForFile(name); !commands.empty()) {
    return ReportError(UsageError(commands));
  }
  const int code = ReportError(
      UsageError(absl::StrCat("There is no command '", PlainName(name), "'.",
                              DidYouMean(name, names))));
  std::fputs(Usage().c_str(), stderr);
  return code;
}

}  // namespace
}  // namespace eyrie::tools

int main(int argc, char** argv) {
  eyrie::tools::OccupyStandardStreams();
  eyrie::tools::ReportFaults();
  std::signal(SIGXFSZ, SIG_IGN);  // a write beyond `ulimit -f` is an error
  std::vector<const char*> args =
      eyrie::tools::ArgumentsOf(argc > 0 ? argv[0] : "");
  if (!args.empty()) eyrie::tools::UsePublicExitCodes();
  for (int i = 1; i < argc; ++i) args.push_back(argv[i]);
  return eyrie::tools::Main(args);
}
