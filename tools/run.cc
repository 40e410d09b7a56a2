// `eyrie run`: calls a function of a compiled module and prints, writes or
// checks its results.
//
// Tested by cli_test.py.
#include <atomic>
#include <cstdio>
#include <memory>
#include <utility>

#include "abi/call/session.h"
#include "abi/call/value_reader.h"
#include "abi/call/value_text.h"
#include "abi/call/value_writer.h"
#include "absl/strings/str_cat.h"
#include "base/plain_text.h"
#include "base/status_macros.h"
#include "base/suggest.h"
#include "base/work_budget.h"
#include "hal/collectives/channel.h"
#include "tools/arg_parser.h"
#include "tools/batch.h"
#include "tools/collective_flags.h"
#include "tools/command.h"
#include "tools/compat_flag.h"
#include "tools/device_flags.h"
#include "tools/dispatch_dump.h"
#include "tools/interrupt.h"
#include "tools/load_flags.h"
#include "tools/module_text.h"
#include "tools/native_flags.h"
#include "tools/result_flags.h"
#include "tools/trace_flags.h"
#include "tools/usage_error.h"

namespace eyrie::tools {
namespace {

constexpr char kRunUsage[] =
    "# Usage: eyrie run [flags] model.vmfb\n"
    "# Calls a function of a compiled module and shows its results.\n"
    "#   eyrie run model.vmfb --input=\"4xf32=1 2 3 4\"\n"
    "#   eyrie run model.vmfb --function=predict --input=@x.npy "
    "--output=@y.npy\n\n";

constexpr size_t kMaxPrinted = 10000;  // lines of modules' output
constexpr size_t kMaxLine = 65536;     // bytes per line about a module

constexpr Flag kRunFlags[] = {
    {"quiet", FlagKind::kBool, "false",
     "Prints results and errors only: no line EXEC, and no notes."},
    {"print_signature", FlagKind::kBool, "false",
     "Prints the arguments and results of the function, or of every function "
     "if\n"
     "none is named, and calls nothing."},
    {"compat", FlagKind::kString, "",
     "A release of the public runtime, such as 3.13. Matches its output where "
     "it\n"
     "differs from Eyrie's: all releases print (no printer) for bytes, 3.11\n"
     "prints nan and inf in lower case."},
};

abi::PrintOptions CompatPrintOptions(const Arguments& arguments) {
  abi::PrintOptions options = PrintOptionsOf(arguments);
  const std::string& compat = arguments.GetString("compat");
  if (compat == "3.11") options.float_case = abi::FloatCase::kLower;
  options.bytes = compat.empty();
  if (!compat.empty()) options.max_empty_rows = abi::kMostEmptyRows;
  return options;
}

// The public tools read f16 scalars as bits.
abi::NarrowFloats NarrowFloatsOf(const Arguments& arguments) {
  return arguments.GetString("compat").empty() ? abi::NarrowFloats::kNumbers
                                               : abi::NarrowFloats::kBits;
}

// Prints modules' output and traces to stderr, at most kMaxPrinted lines of
// output.
abi::SessionOptions Listening(const abi::PrintOptions& print) {
  abi::SessionOptions options;
  options.hal.trace = [print](absl::string_view key,
                              std::span<hal::BufferView* const> tensors) {
    std::string text;
    abi::AppendTrace(key, tensors, print, text);
    std::fwrite(text.data(), 1, text.size(), stderr);
  };
  options.print = [lines = size_t{0}](absl::string_view line) mutable {
    if (lines > kMaxPrinted) return;
    const std::string text =
        lines++ < kMaxPrinted
            ? absl::StrCat(line, "\n")
            : absl::StrCat("eyrie: the module prints more than ", kMaxPrinted,
                           " lines; the rest is not shown.\n");
    std::fwrite(text.data(), 1, text.size(), stderr);
  };
  options.lost = [](const absl::Status& status) {
    PrintNote(absl::StrCat("A module fails when its context ends: ",
                           status.message()));
  };
  return options;
}

// The state of a call, also after a failure.
struct CallReport {
  bool used_hal = false;
  int exit_code = 0;                       // of an error that was printed, or 0
  std::atomic<bool> interrupted = false;   // by the user
  std::unique_ptr<DispatchDump> dump;      // null: none
  std::shared_ptr<const WorkBudget> work;  // of the call's queued operations
  // Last, so that an error is reported before this rank leaves the others.
  std::shared_ptr<hal::ChannelProvider> collectives;
};

// Loads the modules, calls the function and shows its results. Returns false if
// they are not as expected.
absl::StatusOr<bool> CallFunction(const Arguments& arguments,
                                  const std::vector<Ref<hal::Device>>& devices,
                                  Tracing& tracing, abi::ValueWriter& writer,
                                  CallReport& report) {
  abi::SessionOptions options = Listening(CompatPrintOptions(arguments));
  ASSIGN_OR_RETURN(options.native_libraries, LoadNativeLibraries(arguments));
  RETURN_IF_ERROR(ReadSessionOptions(arguments, options));
  ASSIGN_OR_RETURN(auto programs,
                   LoadPrograms(arguments, options.native_libraries));
  ASSIGN_OR_RETURN(report.collectives, OpenCollectives(arguments));
  options.hal.collectives = report.collectives;
  options.hal.observer = report.dump.get();
  if (arguments.IsSet("batch")) {
    report.used_hal = true;
    RETURN_IF_ERROR(tracing.Begin());
    return RunBatch(arguments, programs, devices, options,
                    NarrowFloatsOf(arguments), report.interrupted);
  }
  std::unique_ptr<abi::Session> session;
  std::atomic<abi::Session*> running = nullptr;
  const InterruptWatch watch([&running, &report] {
    abi::Session* const called = running;
    if (called == nullptr) InterruptWatch::Exit();
    report.interrupted = true;
    called->Cancel();
  });
  RETURN_IF_ERROR(tracing.Begin());
  ASSIGN_OR_RETURN(session, abi::Session::Create(std::move(programs), devices,
                                                 std::move(options)));
  report.used_hal = session->has_host_modules();
  report.work = session->context().meter().context_work();
  ASSIGN_OR_RETURN(abi::Callable function,
                   session->Lookup(arguments.GetString("function")));
  if (report.dump) RETURN_IF_ERROR(report.dump->CheckBeforeCall());
  ASSIGN_OR_RETURN(
      std::vector<vm::Value> inputs,
      ReadInputs(arguments, function, devices[0], NarrowFloatsOf(arguments)));
  RETURN_IF_ERROR(CheckOutputs(arguments, function));
  if (!WantsFormat(arguments) && !arguments.GetBool("quiet")) {
    RETURN_IF_ERROR(WriteStdout(absl::StrCat(
        "EXEC @", PlainText(function.function().name(), kMaxLine), "\n")));
  }
  // Before and after the call an interrupt ends the process.
  running = session.get();
  absl::StatusOr<std::vector<vm::Value>> results = function.Call(inputs);
  running = nullptr;
  if (!results.ok()) return results.status();
  if (report.dump) RETURN_IF_ERROR(report.dump->Finish());
  inputs.clear();
  return ShowResults(arguments, function, devices[0], *std::move(results),
                     {CompatPrintOptions(arguments), NarrowFloatsOf(arguments)},
                     writer);
}

// INVALID_ARGUMENT: a flag writes what only a call has.
absl::Status CheckNoCall(const Arguments& arguments) {
  for (const char* flag :
       {"dump_dispatch", "dump_dispatch_to", "dump_dispatch_limit", "batch",
        "batch_output", "trace"}) {
    if (!arguments.IsSet(flag)) continue;
    return UsageError(absl::StrCat(
        "--", flag,
        " cannot be combined with --print_signature, which calls nothing."));
  }
  return absl::OkStatus();
}

// Prints the signature of --function, or those of all functions.
absl::Status PrintSignatures(const Arguments& arguments) {
  ASSIGN_OR_RETURN(const auto natives, LoadNativeLibraries(arguments));
  ASSIGN_OR_RETURN(const auto programs, LoadPrograms(arguments, natives));
  const std::string& function = arguments.GetString("function");
  const std::string text = SignaturesText(
      programs.back()->def(), &programs.back()->verified(), function);
  if (text.empty() && !function.empty()) {
    std::vector<std::string> names;
    for (const vm::ExportDef& each : programs.back()->def().exports) {
      names.emplace_back(each.name);
    }
    return absl::NotFoundError(
        absl::StrCat("The module exports no function '", PlainName(function),
                     "'.", PlainText(DidYouMean(function, names), kMaxLine)));
  }
  return WriteStdout(text);
}

absl::StatusOr<bool> RunModule(std::span<const char* const> args,
                               CallReport& report) {
  std::vector<Flag> own;
  for (const std::span<const Flag> rows :
       {ResultFlags(), std::span<const Flag>(kRunFlags), BatchFlags(),
        DispatchDumpFlags(), CollectiveFlags(), DeviceFlags()}) {
    own.insert(own.end(), rows.begin(), rows.end());
  }
  const std::vector<Flag> flags = WithLoadFlags(own);
  ASSIGN_OR_RETURN(const Arguments arguments, ParseArguments(flags, args));
  if (arguments.GetBool("help")) {
    RETURN_IF_ERROR(WriteStdout(absl::StrCat(kRunUsage, FlagsHelp(flags))));
    return true;
  }
  if (arguments.GetBool("quiet")) SilenceNotes();
  ReportIgnoredFlags(arguments);
  ASSIGN_OR_RETURN(const bool listed, ListDevices(arguments));
  if (listed) return true;
  if (arguments.GetBool("print_signature")) {
    RETURN_IF_ERROR(CheckNoCall(arguments));
    RETURN_IF_ERROR(PrintSignatures(arguments));
    return true;
  }
  RETURN_IF_ERROR(CheckCompat(arguments));
  RETURN_IF_ERROR(CheckEquality(arguments));
  RETURN_IF_ERROR(CheckBatch(arguments));
  constexpr const char* kReaders[] = {"args", "kwargs", "batch"};
  RETURN_IF_ERROR(CheckStandardInput(arguments, kReaders));
  ASSIGN_OR_RETURN(Tracing tracing, Tracing::Prepare(arguments));
  abi::ValueWriter writer(CompatPrintOptions(arguments));
  RETURN_IF_ERROR(PrepareOutputs(arguments, writer, tracing));
  ASSIGN_OR_RETURN(report.dump, DispatchDump::Open(arguments));
  ASSIGN_OR_RETURN(auto devices, OpenDevices(arguments));
  absl::StatusOr<bool> passed =
      CallFunction(arguments, devices, tracing, writer, report);
  if (!passed.ok()) {
    // Report the error now: closing a device waits for its kernels.
    report.exit_code = ReportError(passed.status());
  }
  if (arguments.GetBool("print_statistics") && report.used_hal) {
    PrintStatistics(devices);
  }
  // Also after a failed call, whose own error takes precedence.
  absl::Status traced = tracing.Finish();
  if (passed.ok() && !traced.ok()) return traced;
  // Waits for operations that the call has queued and does not await.
  devices.clear();
  if (passed.ok() && report.work != nullptr && report.work->refused()) {
    return report.work->StopReason();
  }
  if (passed.ok() && report.collectives != nullptr) {
    RETURN_IF_ERROR(report.collectives->Close());
  }
  return passed;
}

}  // namespace

int RunMain(std::span<const char* const> args) {
  CallReport report;
  const absl::StatusOr<bool> passed = RunModule(args, report);
  if (!passed.ok()) {
    const int code =
        report.exit_code != 0 ? report.exit_code : ReportError(passed.status());
    // Checks `interrupted`, too, because a module may return CANCELLED itself.
    return report.interrupted && absl::IsCancelled(passed.status())
               ? InterruptWatch::kExitCode
               : code;
  }
  return *passed ? 0 : 1;
}

}  // namespace eyrie::tools
