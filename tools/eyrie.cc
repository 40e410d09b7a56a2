// The eyrie command: picks the subcommand.
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/suggest.h"
#include "tools/command.h"

namespace eyrie::tools {
namespace {

struct Command {
  const char* name;
  CommandMain main;
  const char* summary;
};

constexpr Command kCommands[] = {
    {"run", RunMain, "calls a function of a compiled module"},
    {"dump", DumpMain, "prints what a compiled module contains"},
    {"inspect", InspectMain, "says what a module is and whether it runs here"},
    {"asm", AsmMain, "makes a module from its assembly text"},
    {"params", ParamsMain, "shows, makes and converts files of parameters"},
    {"note", NoteMain, "makes a native library say what its functions are"},
    {"check", CheckMain, "runs the tests in compiled modules"},
    {"bench", BenchMain, "measures how long calls take"},
};

std::string Usage() {
  std::string text = "Usage: eyrie COMMAND [flags]\n\n";
  for (const Command& command : kCommands) {
    absl::StrAppend(&text, "  ", command.name,
                    std::string(9 - std::strlen(command.name), ' '),
                    command.summary, "\n");
  }
  absl::StrAppend(&text, "\neyrie COMMAND --help lists the flags.\n");
  return text;
}

int Main(std::span<const char* const> args) {
  if (args.empty()) {
    std::fputs(Usage().c_str(), stderr);
    return 1;
  }
  const std::string name = args[0];
  const bool help = name == "help" || name == "--help" || name == "-h";
  if (help && args.size() == 2) {
    for (const Command& command : kCommands) {
      const std::vector<const char*> flags = {"--help"};
      if (args[1] == absl::string_view(command.name)) {
        return command.main(flags);
      }
    }
  }
  if (help) {
    std::fputs(Usage().c_str(), stdout);
    return 0;
  }
  std::vector<std::string> names;
  for (const Command& command : kCommands) {
    if (name == command.name) return command.main(args.subspan(1));
    names.push_back(command.name);
  }
  ReportError(absl::InvalidArgumentError(absl::StrCat(
      "There is no command '", name, "'.", DidYouMean(name, names))));
  std::fputs(Usage().c_str(), stderr);
  return 1;
}

}  // namespace
}  // namespace eyrie::tools

int main(int argc, char** argv) {
  return eyrie::tools::Main({argv + 1, static_cast<size_t>(argc - 1)});
}
