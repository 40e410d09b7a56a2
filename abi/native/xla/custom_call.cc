#include "abi/native/xla/custom_call.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/json.h"
#include "base/plain_text.h"
#include "base/status_macros.h"

namespace eyrie::native {
namespace {

constexpr int64_t kTypedVersion = 4;  // of api_version: XLA FFI
constexpr int64_t kFirstVersion = 1;  // the default

// A pair of a result and the operand whose memory it takes.
struct Alias {
  int64_t result = 0;
  int64_t operand = 0;
};

// The attributes of an operation that decide how its handler is called.
struct CallAttributes {
  int64_t version = kFirstVersion;
  std::optional<Attributes> config;
  std::vector<std::vector<int64_t>> operand_layouts;
  std::vector<std::vector<int64_t>> result_layouts;
  std::vector<Alias> aliases;
};

absl::Status Unsupported(absl::string_view why) {
  return absl::UnimplementedError(why);
}

// Takes "[0]" or "[]". Returns the number, or `otherwise`.
absl::StatusOr<int64_t> TakeIndex(MlirScanner& in, int64_t otherwise) {
  RETURN_IF_ERROR(in.Expect("["));
  if (in.Take("]")) return otherwise;
  ASSIGN_OR_RETURN(const int64_t index, TakeMlirInteger(in));
  if (!in.Take("]")) return Unsupported("It has an alias within a tuple.");
  return index;
}

absl::StatusOr<Alias> TakeAlias(MlirScanner& in) {
  Alias alias;
  RETURN_IF_ERROR(in.Expect("#stablehlo.output_operand_alias<"));
  RETURN_IF_ERROR(in.Expect("output_tuple_indices"));
  RETURN_IF_ERROR(in.Expect("="));
  ASSIGN_OR_RETURN(alias.result, TakeIndex(in, 0));
  RETURN_IF_ERROR(in.Expect(","));
  RETURN_IF_ERROR(in.Expect("operand_index"));
  RETURN_IF_ERROR(in.Expect("="));
  ASSIGN_OR_RETURN(alias.operand, TakeMlirInteger(in));
  RETURN_IF_ERROR(in.Expect(","));
  RETURN_IF_ERROR(in.Expect("operand_tuple_indices"));
  RETURN_IF_ERROR(in.Expect("="));
  ASSIGN_OR_RETURN(const int64_t within, TakeIndex(in, -1));
  if (within != -1) return Unsupported("It has an alias within a tuple.");
  RETURN_IF_ERROR(in.Expect(">"));
  return alias;
}

absl::StatusOr<std::vector<Alias>> TakeAliases(MlirScanner& in) {
  std::vector<Alias> aliases;
  RETURN_IF_ERROR(in.Expect("["));
  if (in.Take("]")) return aliases;
  do {
    ASSIGN_OR_RETURN(aliases.emplace_back(), TakeAlias(in));
  } while (in.Take(","));
  RETURN_IF_ERROR(in.Expect("]"));
  return aliases;
}

// Takes the value of an attribute.
absl::Status TakeMember(absl::string_view name, MlirScanner& in,
                        CallAttributes& attributes) {
  if (name == "api_version") {
    ASSIGN_OR_RETURN(attributes.version, TakeMlirInteger(in));
    return absl::OkStatus();
  }
  if (name == "mhlo.backend_config" ||
      (name == "backend_config" && in.Follows("{"))) {
    ASSIGN_OR_RETURN(attributes.config, TakeMlirDictionary(in));
    return absl::OkStatus();
  }
  if (name == "operand_layouts") {
    ASSIGN_OR_RETURN(attributes.operand_layouts, TakeMlirLayouts(in));
    return absl::OkStatus();
  }
  if (name == "result_layouts") {
    ASSIGN_OR_RETURN(attributes.result_layouts, TakeMlirLayouts(in));
    return absl::OkStatus();
  }
  if (name == "output_operand_aliases") {
    ASSIGN_OR_RETURN(attributes.aliases, TakeAliases(in));
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(const absl::string_view value, in.TakeAttribute());
  if (name == "called_computations" && value != "[]") {
    return Unsupported("It calls functions of the program.");
  }
  if (name == "indices_of_shape_operands") {
    return Unsupported(
        "The shapes of its results are values of operands; export the program "
        "with static shapes.");
  }
  return absl::OkStatus();
}

absl::StatusOr<CallAttributes> TakeAttributes(MlirScanner& in) {
  CallAttributes attributes;
  if (!in.Take("{") || in.Take("}")) return attributes;
  do {
    ASSIGN_OR_RETURN(const absl::string_view name, in.TakeAttributeName());
    if (in.Take("=")) RETURN_IF_ERROR(TakeMember(name, in, attributes));
  } while (in.Take(","));
  RETURN_IF_ERROR(in.Expect("}"));
  return attributes;
}

// Takes "T" or "(T, U)".
absl::StatusOr<std::vector<CustomCall::Value>> TakeTypes(MlirScanner& in) {
  std::vector<CustomCall::Value> values;
  const bool is_list = in.Take("(");
  if (is_list && in.Take(")")) return values;
  do {
    CustomCall::Value& value = values.emplace_back();
    ASSIGN_OR_RETURN(value.text, in.TakeType());
    value.is_token = value.text == kMlirToken;
    if (value.is_token) continue;
    ASSIGN_OR_RETURN(value.tensor, ParseMlirTensor(value.text));
  } while (is_list && in.Take(","));
  if (is_list) RETURN_IF_ERROR(in.Expect(")"));
  return values;
}

absl::Status SetLayouts(const std::vector<std::vector<int64_t>>& layouts,
                        absl::string_view what,
                        std::vector<CustomCall::Value>& values) {
  if (layouts.empty()) return absl::OkStatus();
  if (layouts.size() != values.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("It has ", layouts.size(), " layouts for ", values.size(),
                     " ", what, "."));
  }
  for (size_t i = 0; i < values.size(); ++i) {
    const std::vector<int64_t>& layout = layouts[i];
    if (layout.size() != values[i].tensor.shape.size()) {
      return absl::InvalidArgumentError(
          absl::StrCat("Layout ", i, " of its ", what, " has ", layout.size(),
                       " dimensions, and the type is ", values[i].text, "."));
    }
    bool is_row_major = true;
    for (size_t k = 0; k < layout.size(); ++k) {
      is_row_major &= layout[k] == static_cast<int64_t>(layout.size() - 1 - k);
    }
    if (!is_row_major) values[i].layout = layout;
  }
  return absl::OkStatus();
}

absl::Status SetAliases(const std::vector<Alias>& aliases, CustomCall& call) {
  for (const Alias& alias : aliases) {
    const auto at = static_cast<size_t>(alias.result);
    const auto operand = static_cast<size_t>(alias.operand);
    if (at >= call.results.size() || operand >= call.arguments.size()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "It has an alias of result ", alias.result, " and operand ",
          alias.operand, ", which do not exist."));
    }
    CustomCall::Value& result = call.results[at];
    for (const CustomCall::Value& other : call.results) {
      if (other.alias != alias.operand) continue;
      return Unsupported(absl::StrCat(
          "Two of its results are aliases of operand ", alias.operand, "."));
    }
    if (result.layout != call.arguments[operand].layout) {
      return Unsupported(absl::StrCat("Its result ", alias.result,
                                      " is an alias of operand ", alias.operand,
                                      ", which has another layout."));
    }
    result.alias = alias.operand;
  }
  return absl::OkStatus();
}

absl::Status CheckShapes(const CustomCall& call) {
  for (size_t i = 0; i < call.results.size(); ++i) {
    const CustomCall::Value& result = call.results[i];
    if (result.alias) continue;
    if (result.tensor.is_static()) continue;
    return Unsupported(absl::StrCat(
        "The type of its result ", i, ", ", PlainName(result.text),
        ", has a dimension that is not known before the call; export the "
        "program with static shapes."));
  }
  return absl::OkStatus();
}

absl::Status CheckVersion(const CallAttributes& attributes) {
  if (attributes.config || attributes.version == kTypedVersion) {
    return absl::OkStatus();
  }
  return Unsupported(absl::StrCat("It uses api_version ", attributes.version,
                                  " of custom calls, and no dictionary as its "
                                  "backend_config; only handlers "
                                  "of XLA FFI, api_version ",
                                  kTypedVersion, ", can be called."));
}

std::string OrderText(const std::vector<int64_t>& layout) {
  return absl::StrCat("[", absl::StrJoin(layout, ", "), "]");
}

constexpr char kTokenText[] = "\"token\"";

std::string ArgumentText(const CustomCall::Value& value) {
  if (value.is_token) return kTokenText;
  const std::string text = absl::StrCat("\"", value.tensor.ShapePrefix(),
                                        InfoOf(value.tensor.type).name, "\"");
  if (value.layout.empty()) return text;
  return absl::StrCat("{\"buffer\": ", text,
                      ", \"layout\": ", OrderText(value.layout), "}");
}

std::string ResultText(const CustomCall::Value& value) {
  if (value.is_token) return kTokenText;
  if (value.alias) return absl::StrCat("{\"inout\": ", *value.alias, "}");
  std::string text = absl::StrCat(
      "{\"dtype\": \"", InfoOf(value.tensor.type).name, "\", \"shape\": [",
      absl::StrJoin(value.tensor.shape, ", "), "]");
  if (!value.layout.empty()) {
    absl::StrAppend(&text, ", \"layout\": ", OrderText(value.layout));
  }
  return text + "}";
}

template <typename F>
std::string Joined(const std::vector<CustomCall::Value>& values, F text) {
  return absl::StrJoin(
      values, ", ", [text](std::string* out, const CustomCall::Value& value) {
        absl::StrAppend(out, text(value));
      });
}

}  // namespace

absl::StatusOr<CustomCall> CustomCall::Take(MlirScanner& in, size_t& end) {
  CustomCall call;
  ASSIGN_OR_RETURN(const absl::string_view target, in.TakeSymbol());
  call.target = DecodeMlirString(target);
  if (!IsUtf8(call.target)) {
    return absl::InvalidArgumentError("The handler's name is not UTF-8.");
  }
  if (!in.Follows("(")) return in.Error("'('");
  ASSIGN_OR_RETURN(call.operands, in.TakeBrackets());
  ASSIGN_OR_RETURN(const CallAttributes attributes, TakeAttributes(in));
  end = in.at();
  RETURN_IF_ERROR(CheckVersion(attributes));
  RETURN_IF_ERROR(in.Expect(":"));
  ASSIGN_OR_RETURN(call.arguments, TakeTypes(in));
  RETURN_IF_ERROR(in.Expect("->"));
  ASSIGN_OR_RETURN(call.results, TakeTypes(in));
  if (attributes.config) call.attributes = *attributes.config;
  RETURN_IF_ERROR(
      SetLayouts(attributes.operand_layouts, "operands", call.arguments));
  RETURN_IF_ERROR(
      SetLayouts(attributes.result_layouts, "results", call.results));
  RETURN_IF_ERROR(SetAliases(attributes.aliases, call));
  RETURN_IF_ERROR(CheckShapes(call));
  return call;
}

std::string CustomCall::Declaration() const {
  std::string json = "{\"convention\": \"xla_ffi\", \"registered\": ";
  AppendJsonString(target, json);
  if (!attributes.empty()) {
    json += ", \"attributes\": ";
    AppendJsonString(AttributesText(attributes), json);
  }
  absl::StrAppend(&json, ", \"arguments\": [", Joined(arguments, ArgumentText),
                  "], \"results\": [", Joined(results, ResultText), "]}");
  return json;
}

std::string CustomCall::Type() const {
  const auto types = [](const std::vector<Value>& values) {
    std::vector<absl::string_view> texts;
    for (const Value& value : values) {
      if (!value.is_token) texts.push_back(value.text);
    }
    return absl::StrJoin(texts, ", ");
  };
  return absl::StrCat("(", types(arguments), ") -> (", types(results), ")");
}

bool CustomCall::has_tokens() const {
  const auto is_token = [](const Value& value) { return value.is_token; };
  return std::ranges::any_of(arguments, is_token) ||
         std::ranges::any_of(results, is_token);
}

}  // namespace eyrie::native
