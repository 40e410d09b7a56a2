#include "abi/native/memref/source.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "abi/native/mlir_scanner.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "base/status_macros.h"

namespace eyrie::native {
namespace {

constexpr char kWrapped[] = "llvm.emit_c_interface";
// Limit of the bytes that replace aliases in a text, because each use repeats
// the whole map.
constexpr size_t kMaxAliased = size_t{1} << 20;
constexpr char kOutput[] = "bufferize.result";

class Reader {
 public:
  explicit Reader(absl::string_view text) : in_(text) {}

  absl::StatusOr<MlirSource> Read();

 private:
  // A parameter or result: its type and the attributes after it.
  struct Value {
    absl::string_view type;
    absl::string_view attributes;
  };

  absl::Status TakeLocation();
  absl::StatusOr<Value> TakeValue();
  // Takes values after the '('.
  absl::StatusOr<std::vector<Value>> TakeValues();
  absl::Status TakeFunction();  // after "func.func"
  absl::Status TakeNext();
  // Takes "#map = affine_map<…>" after the name, if it is one.
  absl::Status TakeAlias(absl::string_view name);
  // Appends "(", the types with their aliases replaced, and ")".
  absl::Status AppendTypes(const std::vector<Value>& values, std::string& text);
  absl::Status AppendExpanded(absl::string_view type, std::string& text);

  MlirScanner in_;
  MlirSource source_;
  std::map<absl::string_view, absl::string_view> aliases_;  // "<…>" of maps
  size_t function_at_ = 0;  // offset of the function that is being read
  size_t aliased_ = 0;      // bytes that have replaced aliases
};

absl::Status Reader::TakeLocation() {
  if (!in_.TakeWord("loc")) return absl::OkStatus();
  if (!in_.Follows("(")) return in_.Error("'('");
  return in_.TakeBrackets().status();
}

absl::StatusOr<Reader::Value> Reader::TakeValue() {
  if (in_.Take("%")) {
    in_.TakeWord();
    if (!in_.Take(":")) return in_.Error("':'");
  }
  Value value;
  ASSIGN_OR_RETURN(value.type, in_.TakeType());
  if (in_.Follows("{")) {
    ASSIGN_OR_RETURN(value.attributes, in_.TakeBrackets());
  }
  RETURN_IF_ERROR(TakeLocation());
  return value;
}

absl::StatusOr<std::vector<Reader::Value>> Reader::TakeValues() {
  std::vector<Value> values;
  if (in_.Take(")")) return values;
  do {
    ASSIGN_OR_RETURN(values.emplace_back(), TakeValue());
  } while (in_.Take(","));
  if (!in_.Take(")")) return in_.Error("',' or ')'");
  return values;
}

absl::Status Reader::TakeFunction() {
  function_at_ = in_.at();
  const bool is_private = in_.TakeWord("private");
  if (!is_private && !in_.TakeWord("public")) in_.TakeWord("nested");
  MlirFunction function;
  ASSIGN_OR_RETURN(const absl::string_view name, in_.TakeSymbol());
  function.name = std::string(name);
  if (!in_.Take("(")) return in_.Error("'('");
  ASSIGN_OR_RETURN(const std::vector<Value> arguments, TakeValues());
  std::vector<Value> results;
  if (in_.Take("->")) {
    if (in_.Take("(")) {
      ASSIGN_OR_RETURN(results, TakeValues());
    } else {
      // Attributes here belong to the function, not to the result.
      ASSIGN_OR_RETURN(results.emplace_back().type, in_.TakeType());
    }
  }
  absl::string_view attributes;
  if (in_.TakeWord("attributes")) {
    if (!in_.Follows("{")) return in_.Error("'{'");
    ASSIGN_OR_RETURN(attributes, in_.TakeBrackets());
  }
  // Public functions count even without a body.
  if (is_private) return absl::OkStatus();
  function.wrapped = absl::StrContains(attributes, kWrapped);
  RETURN_IF_ERROR(AppendTypes(arguments, function.type));
  function.type += " -> ";
  RETURN_IF_ERROR(AppendTypes(results, function.type));
  while (function.outputs < arguments.size() &&
         absl::StrContains(
             arguments[arguments.size() - 1 - function.outputs].attributes,
             kOutput)) {
    ++function.outputs;
  }
  source_.functions.push_back(std::move(function));
  return absl::OkStatus();
}

absl::Status Reader::TakeAlias(absl::string_view name) {
  if (!in_.Take("=") || !in_.Follows("affine_map")) return absl::OkStatus();
  in_.TakeWord();
  if (!in_.Follows("<")) return in_.Error("'<'");
  ASSIGN_OR_RETURN(const absl::string_view map, in_.TakeBrackets());
  aliases_[name] = map;
  return absl::OkStatus();
}

absl::Status Reader::AppendTypes(const std::vector<Value>& values,
                                 std::string& text) {
  text += '(';
  for (const Value& value : values) {
    if (&value != values.data()) text += ", ";
    RETURN_IF_ERROR(AppendExpanded(value.type, text));
  }
  text += ')';
  return absl::OkStatus();
}

absl::Status Reader::AppendExpanded(absl::string_view type, std::string& text) {
  while (true) {
    const size_t at = std::min(type.find('#'), type.size());
    absl::StrAppend(&text, type.substr(0, at));
    if (at == type.size()) return absl::OkStatus();
    const size_t end = std::min(type.find_first_of(",> ", at), type.size());
    const auto alias = aliases_.find(type.substr(at + 1, end - at - 1));
    if (alias == aliases_.end()) {
      absl::StrAppend(&text, type.substr(at, end - at));
    } else {
      aliased_ += alias->second.size();
      if (aliased_ > kMaxAliased) {
        return absl::ResourceExhaustedError(
            absl::StrCat("In line ", in_.LineOf(function_at_),
                         " of the MLIR text, the maps that aliases "
                         "name exceed ",
                         kMaxAliased, " bytes in all types."));
      }
      absl::StrAppend(&text, "affine_map", alias->second);
    }
    type.remove_prefix(end);
  }
}

absl::Status Reader::TakeNext() {
  absl::string_view quoted;
  if (in_.Take("#")) return TakeAlias(in_.TakeWord());
  ASSIGN_OR_RETURN(const absl::string_view word, in_.TakeAny(quoted));
  if (quoted == "func.func") {
    return absl::UnimplementedError(absl::StrCat(
        "In line ", in_.Line(),
        " of the MLIR text is a function in MLIR's generic form; use mlir-opt "
        "without --mlir-print-op-generic to print the supported form."));
  }
  if (word == "func.func" || word == "std.func") return TakeFunction();
  // MLIR's releases before 15.
  if (word == "func" && (in_.Follows("@") || in_.Follows("private") ||
                         in_.Follows("public") || in_.Follows("nested"))) {
    return TakeFunction();
  }
  if (word == "module" || word == "builtin.module") {
    if (source_.name.empty() && in_.Follows("@")) {
      ASSIGN_OR_RETURN(const absl::string_view name, in_.TakeSymbol());
      source_.name = std::string(name);
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<MlirSource> Reader::Read() {
  while (!in_.AtEnd()) RETURN_IF_ERROR(TakeNext());
  std::vector<MlirFunction>& functions = source_.functions;
  if (functions.empty()) {
    return absl::InvalidArgumentError("The MLIR text has no public func.func.");
  }
  const auto is_wrapped = [](const MlirFunction& f) { return f.wrapped; };
  if (std::any_of(functions.begin(), functions.end(), is_wrapped)) {
    functions.erase(
        std::remove_if(functions.begin(), functions.end(),
                       [](const MlirFunction& f) { return !f.wrapped; }),
        functions.end());
  }
  return std::move(source_);
}

}  // namespace

absl::StatusOr<MlirSource> ReadMlirSource(absl::string_view text) {
  return Reader(text).Read();
}

std::string MemrefManifest(absl::string_view module,
                           std::span<const MlirFunction> functions,
                           int index_bits, bool bare_pointers) {
  std::string json = "{\"module\": ";
  AppendJsonString(module, json);
  json += ", \"functions\": {";
  for (const MlirFunction& function : functions) {
    if (&function != functions.data()) json += ", ";
    AppendJsonString(function.name, json);
    json += ": {\"convention\": \"memref\", \"type\": ";
    AppendJsonString(function.type, json);
    if (function.outputs != 0) {
      absl::StrAppend(&json, ", \"outputs\": ", function.outputs);
    }
    if (bare_pointers) json += ", \"bare_pointers\": true";
    if (index_bits != 64) {
      absl::StrAppend(&json, ", \"index_bits\": ", index_bits);
    }
    json += "}";
  }
  return json + "}}\n";
}

}  // namespace eyrie::native
