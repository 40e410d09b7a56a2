#include "tools/result_flags.h"

#include <algorithm>
#include <string>
#include <utility>

#include "abi/call/compare.h"
#include "abi/signature/signature.h"
#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "base/file_target.h"
#include "base/plain_text.h"
#include "base/status_macros.h"
#include "tools/command.h"
#include "tools/json_flags.h"
#include "tools/load_flags.h"
#include "tools/usage_error.h"

namespace eyrie::tools {
namespace {

constexpr Flag kFlags[] = {
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
    {"output_max_element_count", FlagKind::kInt, "1024",
     "Maximum number of elements printed of a result; without it, 64 of one\n"
     "that is not as expected."},
};

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

// Prints or writes the results.
absl::Status OutputResults(const Arguments& arguments,
                           std::span<const vm::Value> results,
                           const ResultStyle& style, abi::ValueWriter& writer) {
  const std::vector<std::string>& outputs = arguments.GetList("output");
  std::string text;
  if (outputs.empty()) {
    abi::AppendValues("result", results, style.print, text);
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

// Compares the results; true if they are as expected.
absl::StatusOr<bool> CheckResults(const Arguments& arguments,
                                  const abi::Callable& function,
                                  const Ref<hal::Device>& device,
                                  std::span<const vm::Value> results,
                                  const ResultStyle& style) {
  ASSIGN_OR_RETURN(
      const std::vector<abi::ParsedValue> expected,
      ReadExpected(arguments, function, device, results, style.floats));
  abi::PrintOptions print = style.print;
  if (!arguments.IsSet("output_max_element_count")) {
    print.max_elements = abi::kScreenOfElements;
    print.max_empty_rows = 0;
  }
  ASSIGN_OR_RETURN(
      const abi::Comparison comparison,
      abi::CompareValues(expected, results, ToleranceOf(arguments), print));
  // The largest error comes before the tensors, where it is seen.
  for (const std::string& sentence : comparison.details) PrintNote(sentence);
  RETURN_IF_ERROR(WriteStdout(
      comparison.same
          ? "[SUCCESS] all function outputs matched their expected values.\n"
          : comparison.text));
  return comparison.same;
}

}  // namespace

std::span<const Flag> ResultFlags() { return kFlags; }

abi::PrintOptions PrintOptionsOf(const Arguments& arguments) {
  abi::PrintOptions options;
  // A negative limit means no limit.
  options.max_elements =
      static_cast<size_t>(arguments.GetInt("output_max_element_count"));
  options.max_empty_rows = std::clamp(
      options.max_elements, options.max_empty_rows, abi::kMostEmptyRows);
  return options;
}

bool WantsFormat(const Arguments& arguments) {
  return WantsJsonOutput(arguments) || WantsNpyOutput(arguments);
}

bool PrintsResults(const Arguments& arguments) {
  const std::vector<std::string>& outputs = arguments.GetList("output");
  return outputs.empty() || WantsFormat(arguments) ||
         !arguments.GetList("expected_output").empty() ||
         absl::c_linear_search(outputs, "-");
}

absl::Status CheckEquality(const Arguments& arguments) {
  const std::string& equality = arguments.GetString("equality_mode");
  if (equality != "approximate" && equality != "exact" &&
      equality != "absolute") {  // approximate in 3.9
    return UsageError(
        absl::StrCat("--equality_mode='", equality,
                     "' is not valid; expected approximate or exact."));
  }
  for (const std::string& text : arguments.GetList("expected_output")) {
    if (!text.empty()) continue;
    return UsageError(
        "--expected_output= is empty; expected a value, or (ignored).");
  }
  for (const Flag& flag : kFlags) {
    if (flag.kind != FlagKind::kDouble || arguments.GetDouble(flag.name) >= 0) {
      continue;
    }
    return UsageError(absl::StrCat("--", flag.name, "=",
                                   arguments.GetDouble(flag.name),
                                   " is not 0 or more."));
  }
  return absl::OkStatus();
}

absl::Status PrepareOutputs(const Arguments& arguments,
                            abi::ValueWriter& writer, const Tracing& tracing) {
  if (WantsFormat(arguments)) return absl::OkStatus();
  const std::vector<std::string>& outputs = arguments.GetList("output");
  for (const std::string& text : outputs) {
    RETURN_IF_ERROR(AsUsageError(abi::CheckOutputText(text)));
  }
  // Expected results are compared and not written.
  if (!arguments.GetList("expected_output").empty()) return absl::OkStatus();
  RETURN_IF_ERROR(writer.Prepare(outputs));
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
  if (outputs == 0) return absl::OkStatus();
  if (outputs == results) return CheckFormats(arguments, function);
  return absl::OutOfRangeError(absl::StrCat(
      outputs, outputs == 1 ? " output is" : " outputs are",
      " specified; function '", PlainName(function.function().name()), "' has ",
      results, results == 1 ? " result." : " results."));
}

absl::StatusOr<bool> ShowResults(const Arguments& arguments,
                                 const abi::Callable& function,
                                 const Ref<hal::Device>& device,
                                 std::vector<vm::Value> results,
                                 const ResultStyle& style,
                                 abi::ValueWriter& writer) {
  if (WantsJsonOutput(arguments)) {
    RETURN_IF_ERROR(
        PrintResultsJson(arguments, std::move(results), function, device));
    return true;
  }
  if (!arguments.GetList("expected_output").empty()) {
    return CheckResults(arguments, function, device, results, style);
  }
  RETURN_IF_ERROR(OutputResults(arguments, results, style, writer));
  return true;
}

}  // namespace eyrie::tools
