// JSON in and out, by the signature of the function.
#include "tools/json_flags.h"

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
#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "base/status_macros.h"
#include "base/text_stream.h"
#include "tools/command.h"
#include "tools/limit_flags.h"

namespace eyrie::tools {
namespace {

constexpr Flag kJsonFlags[] = {
    {"args", FlagKind::kString, "",
     "The function's arguments as a JSON array, instead of --input: numbers,\n"
     "strings, lists and objects, as in its signature. Arrays are nested\n"
     "numbers, {\"$npy\": \"a.npy\"}, {\"$npz\": \"a.npz\", \"key\": \"x\"} "
     "or\n"
     "{\"$dtype\": \"bf16\", \"data\": [1, 2]}."},
    {"kwargs", FlagKind::kString, "",
     "Arguments by name, as a JSON object. With --args: the arguments that\n"
     "--args does not contain."},
    {"seed", FlagKind::kInt, "0", "The seed of --input=random."},
};

absl::StatusOr<abi::Signature> SignatureOf(const abi::Callable& function) {
  const vm::Function& exported = function.function();
  return abi::ReadSignature(exported.name(), exported.attributes(),
                            exported.signature());
}

absl::StatusOr<abi::HostValue> ReadFlag(const Arguments& arguments,
                                        const char* flag,
                                        const abi::Callable& function) {
  const std::string where = absl::StrCat("(--", flag, ")");
  const auto json = ParseJson(arguments.GetString(flag));
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
  ASSIGN_OR_RETURN(abi::Signature signature, SignatureOf(function));
  const bool has_json = arguments.IsSet("args") || arguments.IsSet("kwargs");
  if (has_json && !arguments.GetList("input").empty()) {
    return absl::InvalidArgumentError(
        "--input cannot be combined with --args or --kwargs.");
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
      return absl::InvalidArgumentError(
          absl::StrCat("--args is ", value.Describe(), ", not a JSON array."));
    }
    positional = *value.items();
  }
  if (arguments.IsSet("kwargs")) {
    ASSIGN_OR_RETURN(const abi::HostValue value,
                     ReadFlag(arguments, "kwargs", function));
    if (value.entries() == nullptr) {
      return absl::InvalidArgumentError(absl::StrCat(
          "--kwargs is ", value.Describe(), ", not a JSON object."));
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

absl::Status PrintResultsJson(const Arguments& arguments,
                              std::vector<vm::Value> results,
                              const abi::Callable& function,
                              const Ref<hal::Device>& device) {
  ASSIGN_OR_RETURN(abi::Signature signature, SignatureOf(function));
  auto values = abi::Invoker::WithoutFunction(device, std::move(signature),
                                              MeterOf(function.memory()))
                    .Decode(std::move(results));
  if (!values.ok()) return HintAtMaxMemory(arguments, values.status());
  const abi::HostValue printed = values->size() == 1
                                     ? std::move((*values)[0])
                                     : abi::HostValue::List(*std::move(values));
  // Printed in pieces: the text may be six times as large as the values.
  return WriteTextTo("-", [&printed](TextSink sink) {
    TextStream out(sink);
    abi::WriteJson(printed, out);
    out.Add("\n");
    return out.Finish();
  });
}

}  // namespace eyrie::tools
