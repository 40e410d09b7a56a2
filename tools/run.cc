// `eyrie run`: calls a function of a compiled module and prints, writes or
// checks its results.
//
// Tested by cli_test.py.
#include <atomic>
#include <cstdio>
#include <memory>
#include <utility>

#include "abi/call/function_io.h"
#include "abi/call/session.h"
#include "abi/signature/signature.h"
#include "absl/strings/str_cat.h"
#include "base/file_target.h"
#include "base/plain_text.h"
#include "base/status_macros.h"
#include "base/suggest.h"
#include "hal/collectives/channel.h"
#include "tools/arg_parser.h"
#include "tools/batch.h"
#include "tools/collective_flags.h"
#include "tools/command.h"
#include "tools/compat_flag.h"
#include "tools/device_flags.h"
#include "tools/interrupt.h"
#include "tools/json_flags.h"
#include "tools/load_flags.h"
#include "tools/module_text.h"
#include "tools/native_flags.h"
#include "tools/trace_flags.h"
#include "tools/usage_error.h"

namespace eyrie::tools {
namespace {

constexpr char kUsage[] =
    "# Usage: eyrie run [flags] model.vmfb\n"
    "# Calls a function of a compiled module and shows its results.\n"
    "#   eyrie run model.vmfb --input=\"4xf32=1 2 3 4\"\n"
    "#   eyrie run model.vmfb --function=predict --input=@x.npy "
    "--output=@y.npy\n\n";

constexpr size_t kMaxPrinted = 10000;  // lines of modules' output
constexpr size_t kMaxLine = 65536;     // bytes per line about a module

constexpr Flag kOwnFlags[] = {
    Heading("Results"),
    {"output", FlagKind::kList, "",
     "How to show a result, in order:\n"
     "  (nothing)        discarded\n"
     "  -                printed\n"
     "  @a.npy +a.npy    written as a NumPy array; '+' appends it to the file\n"
     "  @a.npz +a.npz    written as a member arr_0, arr_1 ... of a .npz file\n"
     "  @a.bin +a.bin    written as raw bytes\n"
     "A single json prints all results by the signature, as one line of JSON.\n"
     "A single npy writes all results to stdout as .npy files in a row.\n"
     "Files are written after all results are available. A file keeps its "
     "links,\n"
     "mode and owner, and its old content if writing fails."},
    {"expected_output", FlagKind::kList, "",
     "The expected value of a result, written as for --input; (ignored) "
     "accepts\n"
     "any. Results are compared instead of printed."},
    {"expected_f16_threshold", FlagKind::kDouble, "0.001",
     "Maximum absolute difference of an f16 from the expected value."},
    {"expected_f32_threshold", FlagKind::kDouble, "0.0001",
     "The same for f32."},
    {"expected_f64_threshold", FlagKind::kDouble, "0.0001",
     "The same for f64."},
    {"expected_bf16_threshold", FlagKind::kDouble, "0.01",
     "The same for bf16."},
    {"expected_rtol", FlagKind::kDouble, "1e-05",
     "Additional difference allowed for all floats, relative to the expected\n"
     "value."},
    {"equality_mode", FlagKind::kString, "approximate",
     "approximate, or exact: results must be equal byte for byte."},
    {"quiet", FlagKind::kBool, "false",
     "Prints results and errors only: no line EXEC, and no notes."},
    {"output_max_element_count", FlagKind::kInt, "1024",
     "Maximum number of elements printed of a result."},
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

abi::PrintOptions PrintOptionsOf(const Arguments& arguments) {
  abi::PrintOptions options;
  // A negative limit means no limit.
  options.max_elements =
      static_cast<size_t>(arguments.GetInt("output_max_element_count"));
  const std::string& compat = arguments.GetString("compat");
  if (compat == "3.11") options.float_case = abi::FloatCase::kLower;
  options.bytes = compat.empty();
  return options;
}

// The public tools read f16 scalars as bits.
abi::NarrowFloats NarrowFloatsOf(const Arguments& arguments) {
  return arguments.GetString("compat").empty() ? abi::NarrowFloats::kNumbers
                                               : abi::NarrowFloats::kBits;
}

abi::Tolerance ToleranceOf(const Arguments& arguments) {
  abi::Tolerance tolerance;
  tolerance.exact = arguments.GetString("equality_mode") == "exact";
  tolerance.f16 = arguments.GetDouble("expected_f16_threshold");
  tolerance.f32 = arguments.GetDouble("expected_f32_threshold");
  tolerance.f64 = arguments.GetDouble("expected_f64_threshold");
  tolerance.bf16 = arguments.GetDouble("expected_bf16_threshold");
  tolerance.relative = arguments.GetDouble("expected_rtol");
  return tolerance;
}

// Reports whether --output=npy is given, and no other --output.
bool WantsNpyOutput(const Arguments& arguments) {
  const std::vector<std::string>& outputs = arguments.GetList("output");
  return outputs.size() == 1 && outputs[0] == "npy";
}

// Reports whether --output, a single word, is a format of all results.
bool WantsFormat(const Arguments& arguments) {
  return WantsJsonOutput(arguments) || WantsNpyOutput(arguments);
}

// Prints or writes the results.
absl::Status OutputResults(const Arguments& arguments,
                           std::span<const vm::Value> results,
                           abi::ValueWriter& writer) {
  const std::vector<std::string>& outputs = arguments.GetList("output");
  std::string text;
  if (outputs.empty()) {
    abi::AppendValues("result", results, PrintOptionsOf(arguments), text);
    return WriteStdout(text);
  }
  if (WantsNpyOutput(arguments)) {
    for (const vm::Value& result : results) {
      RETURN_IF_ERROR(abi::AppendNpy(result, text));
    }
    return WriteStdout(text);
  }
  for (size_t i = 0; i < results.size(); ++i) {
    RETURN_IF_ERROR(writer.Write(outputs[i], results[i], text));
  }
  RETURN_IF_ERROR(writer.Commit());
  return WriteStdout(text);
}

// Checks the output files before the run.
absl::Status PrepareOutputs(const Arguments& arguments,
                            abi::ValueWriter& writer, const Tracing& tracing) {
  // Expected results are compared and not written.
  if (WantsFormat(arguments) || !arguments.GetList("expected_output").empty()) {
    return absl::OkStatus();
  }
  RETURN_IF_ERROR(writer.Prepare(arguments.GetList("output")));
  const std::string trace = tracing.file_identity();
  if (writer.Writes(trace)) {
    return UsageError(absl::StrCat("--trace='", arguments.GetString("trace"),
                                   "' is also a file of --output."));
  }
  for (const std::string& path : ModulePaths(arguments)) {
    const std::string module = FileIdentity(path);
    if (module.empty() || (module != trace && !writer.Writes(module))) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("The module '", path, "' is a file to be written, too."));
  }
  return absl::OkStatus();
}

// Checks that the formats of file names suit the results. A buffer suits any.
absl::Status CheckFormats(const Arguments& arguments,
                          const abi::Callable& function) {
  const std::vector<std::string>& outputs = arguments.GetList("output");
  for (size_t i = 0; i < outputs.size(); ++i) {
    const abi::Type* declared = function.declared_result(i);
    if (function.result_types()[i] != vm::ValueType::kRef ||
        (declared && declared->is(abi::Type::Kind::kArray))) {
      RETURN_IF_ERROR(abi::CheckOutputFormat(outputs[i]));
    }
  }
  return absl::OkStatus();
}

// OUT_OF_RANGE unless --output is given for each result or not at all;
// INVALID_ARGUMENT if it is malformed.
absl::Status CheckOutputs(const Arguments& arguments,
                          const abi::Callable& function) {
  const size_t outputs = arguments.GetList("output").size();
  const size_t results = function.result_types().size();
  if (WantsFormat(arguments)) {
    if (arguments.GetList("expected_output").empty()) return absl::OkStatus();
    return UsageError(
        absl::StrCat("--output=", arguments.GetList("output")[0],
                     " cannot be combined with --expected_output."));
  }
  for (const std::string& text : arguments.GetList("output")) {
    RETURN_IF_ERROR(abi::CheckOutputText(text));
  }
  if (outputs == 0) return absl::OkStatus();
  if (outputs == results) return CheckFormats(arguments, function);
  return absl::OutOfRangeError(absl::StrCat(
      outputs, outputs == 1 ? " output is" : " outputs are",
      " specified; function '", PlainName(function.function().name()), "' has ",
      results, results == 1 ? " result." : " results."));
}

// Compares the results; true if they are as expected.
absl::StatusOr<bool> CheckResults(const Arguments& arguments,
                                  const abi::Callable& function,
                                  const Ref<hal::Device>& device,
                                  std::span<const vm::Value> results) {
  std::vector<abi::ValueSlot> slots;
  for (size_t i = 0; i < results.size(); ++i) {
    slots.push_back({results[i].type(), function.declared_result(i),
                     absl::StrCat("result ", i)});
  }
  abi::ValueReader reader(device, "--expected_output",
                          NarrowFloatsOf(arguments), function.memory());
  ASSIGN_OR_RETURN(const std::vector<abi::ParsedValue> expected,
                   reader.Read(arguments.GetList("expected_output"), slots));
  abi::PrintOptions print = PrintOptionsOf(arguments);
  print.max_elements = abi::PrintOptions().max_elements;
  ASSIGN_OR_RETURN(
      const abi::Comparison comparison,
      abi::CompareValues(expected, results, ToleranceOf(arguments), print));
  RETURN_IF_ERROR(WriteStdout(
      comparison.same
          ? "[SUCCESS] all function outputs matched their expected values.\n"
          : comparison.text));
  for (const std::string& sentence : comparison.details) PrintNote(sentence);
  return comparison.same;
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
  return options;
}

// The state of a call, also after a failure.
struct CallReport {
  bool used_hal = false;
  int exit_code = 0;                      // of an error that was printed, or 0
  std::atomic<bool> interrupted = false;  // by the user
  // Last, so that an error is reported before this rank leaves the others.
  std::shared_ptr<hal::ChannelProvider> collectives;
};

// Prints, writes or compares the results. Returns false if they are not as
// expected.
absl::StatusOr<bool> ShowResults(const Arguments& arguments,
                                 const abi::Callable& function,
                                 const Ref<hal::Device>& device,
                                 std::vector<vm::Value> results,
                                 abi::ValueWriter& writer) {
  if (WantsJsonOutput(arguments)) {
    RETURN_IF_ERROR(
        PrintResultsJson(arguments, std::move(results), function, device));
    return true;
  }
  if (!arguments.GetList("expected_output").empty()) {
    return CheckResults(arguments, function, device, results);
  }
  RETURN_IF_ERROR(OutputResults(arguments, results, writer));
  return true;
}

// Loads the modules, calls the function and shows its results. Returns false if
// they are not as expected.
absl::StatusOr<bool> CallFunction(const Arguments& arguments,
                                  const std::vector<Ref<hal::Device>>& devices,
                                  Tracing& tracing, abi::ValueWriter& writer,
                                  CallReport& report) {
  abi::SessionOptions options = Listening(PrintOptionsOf(arguments));
  ASSIGN_OR_RETURN(options.native_libraries, LoadNativeLibraries(arguments));
  RETURN_IF_ERROR(ReadSessionOptions(arguments, options));
  ASSIGN_OR_RETURN(auto programs,
                   LoadPrograms(arguments, options.native_libraries));
  ASSIGN_OR_RETURN(report.collectives, OpenCollectives(arguments));
  options.hal.collectives = report.collectives;
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
  ASSIGN_OR_RETURN(abi::Callable function,
                   session->Lookup(arguments.GetString("function")));
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
  inputs.clear();
  return ShowResults(arguments, function, devices[0], *std::move(results),
                     writer);
}

// Prints the signature of --function, or those of all functions.
absl::Status PrintSignatures(const Arguments& arguments) {
  ASSIGN_OR_RETURN(const auto natives, LoadNativeLibraries(arguments));
  ASSIGN_OR_RETURN(const auto programs, LoadPrograms(arguments, natives));
  const std::string& function = arguments.GetString("function");
  const std::string text = SignaturesText(programs.back()->def(), function);
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

// INVALID_ARGUMENT: --equality_mode or a threshold has an invalid value.
absl::Status CheckEquality(const Arguments& arguments) {
  const std::string& equality = arguments.GetString("equality_mode");
  if (equality != "approximate" && equality != "exact" &&
      equality != "absolute") {  // approximate in 3.9
    return UsageError(
        absl::StrCat("--equality_mode='", equality,
                     "' is not valid; expected approximate or exact."));
  }
  for (const char* flag :
       {"expected_f16_threshold", "expected_f32_threshold",
        "expected_f64_threshold", "expected_bf16_threshold", "expected_rtol"}) {
    if (arguments.GetDouble(flag) >= 0) continue;
    return UsageError(absl::StrCat("--", flag, "=", arguments.GetDouble(flag),
                                   " is not 0 or more."));
  }
  return absl::OkStatus();
}

absl::StatusOr<bool> Run(std::span<const char* const> args,
                         CallReport& report) {
  std::vector<Flag> own(std::begin(kOwnFlags), std::end(kOwnFlags));
  const std::span<const Flag> batch = BatchFlags();
  own.insert(own.end(), batch.begin(), batch.end());
  const std::span<const Flag> collectives = CollectiveFlags();
  own.insert(own.end(), collectives.begin(), collectives.end());
  const std::span<const Flag> lists = DeviceFlags();
  own.insert(own.end(), lists.begin(), lists.end());
  const std::vector<Flag> flags = WithLoadFlags(own);
  ASSIGN_OR_RETURN(const Arguments arguments, ParseArguments(flags, args));
  if (arguments.GetBool("help")) {
    RETURN_IF_ERROR(WriteStdout(absl::StrCat(kUsage, FlagsHelp(flags))));
    return true;
  }
  if (arguments.GetBool("quiet")) SilenceNotes();
  ReportIgnoredFlags(arguments);
  ASSIGN_OR_RETURN(const bool listed, ListDevices(arguments));
  if (listed) return true;
  if (arguments.GetBool("print_signature")) {
    RETURN_IF_ERROR(PrintSignatures(arguments));
    return true;
  }
  RETURN_IF_ERROR(CheckCompat(arguments));
  RETURN_IF_ERROR(CheckEquality(arguments));
  RETURN_IF_ERROR(CheckBatch(arguments));
  ASSIGN_OR_RETURN(Tracing tracing, Tracing::Prepare(arguments));
  abi::ValueWriter writer(PrintOptionsOf(arguments));
  RETURN_IF_ERROR(PrepareOutputs(arguments, writer, tracing));
  ASSIGN_OR_RETURN(const auto devices, OpenDevices(arguments));
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
  if (passed.ok() && report.collectives != nullptr) {
    RETURN_IF_ERROR(report.collectives->Close());
  }
  return passed;
}

}  // namespace

int RunMain(std::span<const char* const> args) {
  CallReport report;
  const absl::StatusOr<bool> passed = Run(args, report);
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
