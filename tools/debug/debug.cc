// `eyrie debug`: calls a function one instruction at a time.
//
// Tested by debug_test.txt.
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "abi/call/session.h"
#include "abi/call/value_text.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "tools/arg_parser.h"
#include "tools/command.h"
#include "tools/debug/debugger.h"
#include "tools/debug/line_editor.h"
#include "tools/interrupt.h"
#include "tools/load_flags.h"
#include "tools/native_flags.h"

namespace eyrie::tools {
namespace {

constexpr char kUsage[] =
    "# Usage: eyrie debug [flags] model.vmfb\n"
    "# Calls a function of a compiled module, stops before its first\n"
    "# instruction, and reads commands: 'help' lists them.\n"
    "#   eyrie debug model.vmfb --function=predict --input=auto\n"
    "#   printf 'break f+0x1c\\ncontinue\\nregisters\\n' | eyrie debug ...\n\n";

constexpr Flag kOwnFlags[] = {
    Heading("The debugger"),
    {"stop_at_init", FlagKind::kBool, "false",
     "Stops before the first instruction of the modules' initializers."},
};

constexpr char kPrompt[] = "(eyrie) ";
constexpr size_t kMaxCommand = 4096;          // bytes per command
constexpr size_t kMaxRead = size_t{1} << 20;  // bytes per line

bool IsTerminal() { return isatty(STDIN_FILENO) != 0; }

// Reads a line of standard input without an editor. Skips lines that are too
// long for a command. A line of more than kMaxRead bytes ends the input.
std::optional<std::string> ReadPlainLine() {
  if (IsTerminal()) WriteStdout(kPrompt).IgnoreError();
  const auto is_command = [](const std::string& line) {
    if (line.size() <= kMaxCommand) return true;
    PrintNote(absl::StrCat("A command has more than ", kMaxCommand,
                           " bytes; it is ignored."));
    return false;
  };
  std::string line;
  for (int c = std::getchar(); c != EOF && line.size() < kMaxRead;
       c = std::getchar()) {
    if (c != '\n') {
      line.push_back(static_cast<char>(c));
    } else if (is_command(line)) {
      return line;
    } else {
      line.clear();
    }
  }
  if (is_command(line) && !line.empty()) return line;
  if (IsTerminal()) WriteStdout("\n").IgnoreError();
  return std::nullopt;
}

absl::Status CheckInput(const Arguments& arguments) {
  for (const auto* list :
       {&arguments.GetList("module"), &arguments.positional()}) {
    for (const std::string& path : *list) {
      if (path != "-") continue;
      return absl::InvalidArgumentError(
          "The debugger's commands come from standard input; the module must "
          "be a file.");
    }
  }
  return absl::OkStatus();
}

// The state around a call.
struct DebugRun {
  std::unique_ptr<Debugger> debugger;
  std::unique_ptr<LineEditor> editor;  // null: lines are read without one
  std::unique_ptr<abi::Session> session;
  std::optional<InterruptWatch> watch;
};

std::optional<std::string> ReadLine(DebugRun& run) {
  run.watch->Rearm();
  return run.editor == nullptr ? ReadPlainLine() : run.editor->Read();
}

// Async-signal-safe. Stops a running call. While a command is awaited, starts
// the line again on a terminal, and otherwise exits.
void Interrupt(DebugRun& run) {
  if (!run.debugger->is_asking()) return run.debugger->Interrupt();
  if (!IsTerminal()) InterruptWatch::Exit();
  if (run.editor != nullptr) {
    run.editor->Interrupt();
    return run.watch->Rearm();
  }
  constexpr char kAgain[] = "\n(eyrie) ";
  if (write(STDOUT_FILENO, kAgain, sizeof(kAgain) - 1) < 0) {
    InterruptWatch::Exit();
  }
  run.watch->Rearm();
}

absl::Status Call(const Arguments& arguments,
                  const std::vector<Ref<hal::Device>>& devices, DebugRun& run) {
  ASSIGN_OR_RETURN(abi::Callable function,
                   run.session->Lookup(arguments.GetString("function")));
  ASSIGN_OR_RETURN(const std::vector<vm::Value> inputs,
                   ReadInputs(arguments, function, devices[0]));
  run.debugger->StopNext();
  ASSIGN_OR_RETURN(const std::vector<vm::Value> results, function.Call(inputs));
  run.debugger->ReportMissedDispatch();
  run.debugger->Detach();
  std::string text;
  abi::AppendValues("result", results, {}, text);
  return WriteStdout(text.empty() ? "The function returned nothing.\n" : text);
}

absl::StatusOr<abi::SessionOptions> SessionOptionsOf(
    const Arguments& arguments) {
  abi::SessionOptions options;
  RETURN_IF_ERROR(ReadSessionOptions(arguments, options));
  if (options.jit != nullptr && options.jit->eager()) {
    PrintNote("--jit has no effect here: debugged functions are interpreted.");
  }
  options.jit = nullptr;
  options.print = [](absl::string_view line) {
    WriteStdout(absl::StrCat(line, "\n")).IgnoreError();
  };
  options.hal.trace = [](absl::string_view key,
                         std::span<hal::BufferView* const> tensors) {
    std::string text;
    abi::AppendTrace(key, tensors, {}, text);
    WriteStdout(text).IgnoreError();
  };
  return options;
}

absl::Status Debug(const Arguments& arguments, DebugRun& run) {
  RETURN_IF_ERROR(CheckInput(arguments));
  ASSIGN_OR_RETURN(abi::SessionOptions options, SessionOptionsOf(arguments));
  ASSIGN_OR_RETURN(options.native_libraries, LoadNativeLibraries(arguments));
  ASSIGN_OR_RETURN(auto programs,
                   LoadPrograms(arguments, options.native_libraries,
                                /*pauses=*/true));
  ASSIGN_OR_RETURN(const auto devices, OpenDevices(arguments));
  std::vector<const vm::BytecodeModule*> modules;
  for (const abi::Program& program : programs) modules.push_back(program.get());
  run.debugger = std::make_unique<Debugger>(
      std::move(modules), [&run] { return ReadLine(run); }, WriteStdout,
      /*repeats=*/IsTerminal());
  run.editor = LineEditor::Open(kPrompt, [&run](absl::string_view line) {
    return run.debugger->Completions(line);
  });
  options.stepper = run.debugger.get();
  options.hal.observer = run.debugger.get();
  if (arguments.GetBool("stop_at_init")) run.debugger->StopNext();
  run.watch.emplace([&run] { Interrupt(run); });
  ASSIGN_OR_RETURN(
      run.session,
      abi::Session::Create(std::move(programs), devices, std::move(options)));
  return Call(arguments, devices, run);
}

// Returns the flags; hides those of the JIT, because debugged code is
// interpreted.
std::vector<Flag> DebugFlags() {
  std::vector<Flag> flags = WithLoadFlags(kOwnFlags);
  for (Flag& flag : flags) {
    if (flag.needs_jit) flag.help = "";
  }
  return flags;
}

absl::Status Run(std::span<const char* const> args, DebugRun& run) {
  const std::vector<Flag> flags = DebugFlags();
  ASSIGN_OR_RETURN(const Arguments arguments, ParseArguments(flags, args));
  if (arguments.GetBool("help")) {
    return WriteStdout(absl::StrCat(kUsage, FlagsHelp(flags)));
  }
  ReportIgnoredFlags(arguments);
  return Debug(arguments, run);
}

}  // namespace

int DebugMain(std::span<const char* const> args) {
  DebugRun run;
  const absl::Status status = Run(args, run);
  const bool has_quit = run.debugger != nullptr && run.debugger->has_quit();
  const int code = status.ok() || has_quit ? 0 : ReportError(status);
  // Detaches before modules run __deinit, which is not debugged.
  if (run.debugger != nullptr) run.debugger->Detach();
  run.session.reset();
  return code;
}

}  // namespace eyrie::tools
