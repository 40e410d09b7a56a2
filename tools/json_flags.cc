// JSON in and out, by the signature of the function.
#include "tools/json_flags.h"

#include <unistd.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "abi/call/invoker.h"
#include "abi/call/sample_values.h"
#include "abi/signature/signature.h"
#include "abi/signature/signature_reader.h"
#include "abi/value/json_value.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "base/mapped_file.h"
#include "base/plain_text.h"
#include "base/status_macros.h"
#include "base/text_stream.h"
#include "tools/command.h"
#include "tools/limit_flags.h"
#include "tools/usage_error.h"

namespace eyrie::tools {
namespace {

constexpr Flag kJsonFlags[] = {
    Heading("Arguments as JSON"),
    {"args", FlagKind::kString, "",
     "The function's arguments as a JSON array, instead of --input: numbers,\n"
     "strings, lists and objects, as in its signature. Arrays are nested\n"
     "numbers, {\"$npy\": \"a.npy\"}, {\"$npz\": \"a.npz\", \"key\": \"x\"} "
     "or\n"
     "{\"$dtype\": \"bf16\", \"data\": [1, 2]}. --args=@file reads a file, "
     "and\n"
     "--args=- standard input."},
    {"kwargs", FlagKind::kString, "",
     "Arguments by name, as a JSON object. With --args: the arguments that\n"
     "--args does not contain. @file and '-' as for --args."},
    {"seed", FlagKind::kInt, "0", "The seed of --input=random."},
};

// Returns the JSON of a flag: its value, the content of "@file" or, for "-",
// standard input.
absl::StatusOr<std::string> TextOfFlag(const Arguments& arguments,
                                       const char* flag) {
  const std::string& value = arguments.GetString(flag);
  const bool is_stdin = value == "-";
  if (!is_stdin && !absl::StartsWith(value, "@")) return value;
  ASSIGN_OR_RETURN(const auto file, is_stdin
                                        ? MappedFile::ReadAll(STDIN_FILENO, "-")
                                        : MappedFile::Open(value.substr(1)));
  const auto bytes = file->bytes();
  if (bytes.size() > kMaxMade) {
    return absl::ResourceExhaustedError(
        absl::StrCat("--", flag, "=", value, " has ", bytes.size(),
                     " bytes; expected at most ", kMaxMade, "."));
  }
  return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

// Names a flag, and the file that has its text, for the end of a message.
std::string PlaceOf(const Arguments& arguments, const char* flag) {
  const std::string& value = arguments.GetString(flag);
  const bool is_text = value != "-" && !absl::StartsWith(value, "@");
  return absl::StrCat("(--", flag,
                      is_text ? "" : absl::StrCat("=", PlainPath(value)), ")");
}

absl::StatusOr<abi::HostValue> ReadFlag(const Arguments& arguments,
                                        const char* flag,
                                        const abi::Callable& function) {
  const std::string where = PlaceOf(arguments, flag);
  ASSIGN_OR_RETURN(const std::string text, TextOfFlag(arguments, flag));
  if (absl::StripAsciiWhitespace(text).empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("The JSON text is empty. ", where));
  }
  const auto json = ParseJson(text);
  if (!json.ok()) return Annotate(json.status(), where);
  auto value = abi::FromJson(*json, abi::JsonFiles::kRead, function.memory());
  if (!value.ok()) {
    return HintAtMaxMemory(arguments, Annotate(value.status(), where));
  }
  return value;
}

// Returns the kind of --input=auto, random or zeros, or nullopt for other
// inputs.
std::optional<abi::SampleKind> SampleKindOf(const Arguments& arguments) {
  const std::vector<std::string>& inputs = arguments.GetList("input");
  if (inputs.size() != 1) return std::nullopt;
  return abi::ParseSampleKind(inputs[0]);
}

}  // namespace

std::span<const Flag> JsonFlags() { return kJsonFlags; }

bool HasJsonInputs(const Arguments& arguments) {
  return arguments.IsSet("args") || arguments.IsSet("kwargs") ||
         SampleKindOf(arguments).has_value();
}

absl::StatusOr<size_t> CountJsonInputs(const Arguments& arguments) {
  size_t count = 0;
  for (const char* flag : {"args", "kwargs"}) {
    if (!arguments.IsSet(flag) || arguments.GetString(flag) == "-") continue;
    ASSIGN_OR_RETURN(const std::string text, TextOfFlag(arguments, flag));
    const auto json = ParseJson(text);
    if (!json.ok()) {
      return Annotate(json.status(), PlaceOf(arguments, flag));
    }
    count += json->items.size();
  }
  return count;
}

absl::Status HintAtSamples(const Arguments& arguments,
                           const absl::Status& status) {
  for (const std::string& text : arguments.GetList("input")) {
    if (status.ok() || !abi::ParseSampleKind(text).has_value()) continue;
    return Annotate(status, absl::StrCat("--input=", text,
                                         " makes all inputs and must be "
                                         "the only --input."));
  }
  return status;
}

absl::StatusOr<std::vector<vm::Value>> ReadJsonInputs(
    const Arguments& arguments, const abi::Callable& function,
    const Ref<hal::Device>& device) {
  ASSIGN_OR_RETURN(abi::Signature signature, function.ReadSignature());
  const bool has_json = arguments.IsSet("args") || arguments.IsSet("kwargs");
  if (has_json && !arguments.GetList("input").empty()) {
    return UsageError("--input cannot be combined with --args or --kwargs.");
  }
  abi::HostValue::Items positional;
  abi::HostValue::Entries named;
  if (const auto kind = SampleKindOf(arguments)) {
    auto made =
        abi::SampleArguments(signature, *device, *kind,
                             static_cast<uint64_t>(arguments.GetInt("seed")),
                             MeterOf(function.memory()));
    if (!made.ok()) return HintAtMaxMemory(arguments, made.status());
    positional = *std::move(made);
  }
  if (arguments.IsSet("args")) {
    ASSIGN_OR_RETURN(const abi::HostValue value,
                     ReadFlag(arguments, "args", function));
    if (value.items() == nullptr) {
      return UsageError(
          absl::StrCat("--args is ", value.Describe(), ", not a JSON array."));
    }
    positional = *value.items();
  }
  if (arguments.IsSet("kwargs")) {
    ASSIGN_OR_RETURN(const abi::HostValue value,
                     ReadFlag(arguments, "kwargs", function));
    if (value.entries() == nullptr) {
      return UsageError(absl::StrCat("--kwargs is ", value.Describe(),
                                     ", not a JSON object."));
    }
    named = *value.entries();
  }
  return abi::Invoker::WithoutFunction(device, std::move(signature),
                                       function.memory())
      .Encode(positional, named);
}

bool WantsJsonOutput(const Arguments& arguments) {
  const std::vector<std::string>& outputs = arguments.GetList("output");
  return outputs.size() == 1 && outputs[0] == "json";
}

absl::StatusOr<std::vector<vm::Value>> ReadJsonArguments(
    const Arguments& arguments, absl::string_view text,
    const abi::Callable& function, const Ref<hal::Device>& device) {
  ASSIGN_OR_RETURN(abi::Signature signature, function.ReadSignature());
  ASSIGN_OR_RETURN(const Json json, ParseJson(text));
  auto value = abi::FromJson(json, abi::JsonFiles::kRead, function.memory());
  if (!value.ok()) return HintAtMaxMemory(arguments, value.status());
  const abi::HostValue::Items* const items = value->items();
  const abi::HostValue::Entries* const entries = value->entries();
  if (items == nullptr && entries == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat("The arguments are ", value->Describe(),
                     "; expected a JSON array, or an object of names."));
  }
  return abi::Invoker::WithoutFunction(device, std::move(signature),
                                       function.memory())
      .Encode(items ? *items : abi::HostValue::Items(),
              entries ? *entries : abi::HostValue::Entries());
}

absl::Status WriteResultsJson(const Arguments& arguments,
                              std::vector<vm::Value> results,
                              const abi::Callable& function,
                              const Ref<hal::Device>& device, TextSink sink) {
  ASSIGN_OR_RETURN(abi::Signature signature, function.ReadSignature());
  auto values = abi::Invoker::WithoutFunction(device, std::move(signature),
                                              MeterOf(function.memory()))
                    .Decode(std::move(results));
  if (!values.ok()) return HintAtMaxMemory(arguments, values.status());
  const abi::HostValue printed = values->size() == 1
                                     ? std::move((*values)[0])
                                     : abi::HostValue::List(*std::move(values));
  TextStream out(sink);
  abi::WriteJson(printed, out);
  return out.Finish();
}

absl::Status PrintResultsJson(const Arguments& arguments,
                              std::vector<vm::Value> results,
                              const abi::Callable& function,
                              const Ref<hal::Device>& device) {
  // Printed in pieces: the text may be six times as large as the values.
  return WriteTextTo("-", [&](TextSink sink) {
    RETURN_IF_ERROR(WriteResultsJson(arguments, std::move(results), function,
                                     device, sink));
    return sink("\n");
  });
}

}  // namespace eyrie::tools
