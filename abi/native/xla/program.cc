#include "abi/native/xla/program.h"

#include <map>
#include <optional>
#include <set>
#include <utility>

#include "abi/native/mlir_scanner.h"
#include "abi/native/xla/custom_call.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/json.h"
#include "base/plain_text.h"
#include "base/status_macros.h"

namespace eyrie::native {
namespace {

constexpr char kCustomCall[] = "stablehlo.custom_call";
// They replace a token and the operation that makes one.
constexpr char kTokenType[] = "tensor<i1>";
constexpr char kNewToken[] = "stablehlo.constant dense<false>";

class Linker {
 public:
  Linker(absl::string_view text, absl::string_view module)
      : text_(text), module_(module), in_(text) {}

  absl::StatusOr<LinkedProgram> Link();

 private:
  absl::Status TakeNext();
  absl::Status TakeCall(size_t from);
  // Takes the operands of an operation that joins tokens.
  absl::Status TakeTokens(size_t from);
  // Replaces the text from an offset up to the scanner's.
  void Replace(size_t from, absl::string_view by) {
    absl::StrAppend(&out_, text_.substr(copied_, from - copied_), by);
    copied_ = in_.at();
  }
  // Returns the function that a call calls: the import's, or one with tokens.
  std::string FunctionOf(const CustomCall& call);
  // Returns a new name, which begins as `wanted` does.
  std::string NewName(const std::string& wanted);

  const absl::string_view text_;
  const absl::string_view module_;
  MlirScanner in_;
  size_t copied_ = 0;  // the part of the text that is in out_
  std::string out_;
  std::optional<size_t> first_;  // the offset in out_ for declarations
  std::map<std::string, std::string> functions_;  // by declaration and type
  std::set<std::string> names_;
  std::map<std::string, int> variants_;  // further functions of a name
  std::set<std::string> targets_;
  std::string declared_;  // func.func private
  std::string manifest_;
};

// Returns a name that a manifest accepts.
std::string NameOf(absl::string_view target) {
  std::string name(target);
  for (char& c : name) {
    if (!absl::ascii_isalnum(c) && c != '_' && c != '-' && c != '$' &&
        c != '.') {
      c = '_';
    }
  }
  return name.empty() ? "_" : name;
}

// Returns the types of values, with tensors for tokens.
std::string TypesOf(const std::vector<CustomCall::Value>& values) {
  return absl::StrJoin(
      values, ", ", [](std::string* out, const CustomCall::Value& value) {
        absl::StrAppend(out, value.is_token ? kTokenType : value.text);
      });
}

std::string TypeWithTokens(const CustomCall& call) {
  return absl::StrCat("(", TypesOf(call.arguments), ") -> (",
                      TypesOf(call.results), ")");
}

// Returns a function that takes and returns tokens, and calls `import` without
// them.
std::string FunctionWithTokens(const CustomCall& call, absl::string_view name,
                               absl::string_view import) {
  std::string token;  // one that was given
  std::vector<std::string> arguments;
  std::vector<std::string> passed;
  for (size_t i = 0; i < call.arguments.size(); ++i) {
    const bool is_token = call.arguments[i].is_token;
    const std::string value = absl::StrCat("%arg", i);
    arguments.push_back(absl::StrCat(
        value, ": ", is_token ? kTokenType : call.arguments[i].text));
    if (is_token) {
      token = value;
    } else {
      passed.push_back(value);
    }
  }
  const bool makes_token = token.empty();
  if (makes_token) token = "%token";
  std::vector<std::string> returned;
  size_t count = 0;  // of the import's results
  for (const CustomCall::Value& value : call.results) {
    returned.push_back(value.is_token ? token : absl::StrCat("%0#", count++));
  }
  const std::string types = TypesOf(call.results);
  std::string text = absl::StrCat("func.func private @", name, "(",
                                  absl::StrJoin(arguments, ", "), ") -> (",
                                  types, ") {\n    ");
  if (makes_token) {
    absl::StrAppend(&text, token, " = ", kNewToken, " : ", kTokenType,
                    "\n    ");
  }
  if (count != 0) absl::StrAppend(&text, "%0:", count, " = ");
  absl::StrAppend(&text, "func.call @", import, "(",
                  absl::StrJoin(passed, ", "), ") : ", call.Type(),
                  "\n    return");
  if (!returned.empty()) {
    absl::StrAppend(&text, " ", absl::StrJoin(returned, ", "), " : ", types);
  }
  return text + "\n  }\n  ";
}

std::string Linker::NewName(const std::string& wanted) {
  std::string name = wanted;
  for (int& i = variants_[wanted]; !names_.insert(name).second;) {
    name = absl::StrCat(wanted, ".", ++i + 1);
  }
  return name;
}

std::string Linker::FunctionOf(const CustomCall& call) {
  const std::string declaration = call.Declaration();
  const std::string type = call.Type();
  std::string& function = functions_[absl::StrCat(declaration, type)];
  if (!function.empty()) return function;
  const std::string name = NewName(NameOf(call.target));
  function = absl::StrCat("\"", module_, ".", name, "\"");
  absl::StrAppend(&declared_, "func.func private @", function, type, "\n  ");
  absl::StrAppend(&manifest_, manifest_.empty() ? "" : ",", "\n    \"", name,
                  "\": ", declaration);
  targets_.insert(call.target);
  if (call.has_tokens()) {
    const std::string import = function;
    function =
        absl::StrCat("\"", module_, ".", NewName(name + ".tokens"), "\"");
    declared_ += FunctionWithTokens(call, function, import);
  }
  return function;
}

absl::Status Linker::TakeCall(size_t from) {
  size_t end = 0;
  const absl::string_view target = in_.rest();
  const absl::StatusOr<CustomCall> call = CustomCall::Take(in_, end);
  if (!call.ok()) {
    return Annotate(call.status(),
                    absl::StrCat("(custom call ",
                                 PlainName(absl::StripAsciiWhitespace(
                                     target.substr(0, target.find('(')))),
                                 " in line ", in_.LineOf(from), ")"));
  }
  const std::string function = FunctionOf(*call);
  absl::StrAppend(&out_, text_.substr(copied_, from - copied_), "func.call @",
                  function, call->operands);
  copied_ = end;
  if (call->has_tokens()) Replace(end, " : " + TypeWithTokens(*call));
  return absl::OkStatus();
}

absl::Status Linker::TakeTokens(size_t from) {
  std::vector<absl::string_view> tokens;
  if (in_.Follows("%")) {
    do {
      ASSIGN_OR_RETURN(tokens.emplace_back(), in_.TakeType());
    } while (in_.Take(","));
  }
  if (tokens.size() > 2) {
    return absl::UnimplementedError(
        absl::StrCat("The operation in line ", in_.LineOf(from), " joins ",
                     tokens.size(), " tokens; it may join two."));
  }
  Replace(from, tokens.empty() ? absl::StrCat(kNewToken, " ")
                               : absl::StrCat("stablehlo.and ", tokens[0], ", ",
                                              tokens.back(), " "));
  return absl::OkStatus();
}

absl::Status Linker::TakeNext() {
  const size_t from = in_.at();
  if (in_.Take(kMlirToken)) {
    Replace(from, kTokenType);
    return absl::OkStatus();
  }
  absl::string_view quoted;
  ASSIGN_OR_RETURN(const absl::string_view word, in_.TakeAny(quoted));
  if (quoted == kCustomCall && (in_.Follows("(%") || in_.Follows("()"))) {
    return absl::UnimplementedError(absl::StrCat(
        "In line ", in_.Line(),
        " of the program is an operation in MLIR's generic form; print the "
        "program as jax.jit(f).lower(…).as_text() does."));
  }
  if (word == "func.func" && !first_) {
    absl::StrAppend(&out_, text_.substr(copied_, from - copied_));
    copied_ = from;
    first_ = out_.size();
  }
  if (word == "stablehlo.create_token") Replace(from, kNewToken);
  if (word == "stablehlo.after_all") return TakeTokens(from);
  // JAX writes assertions for dynamic dimensions. Compilers accept them.
  if (word == kCustomCall && in_.Follows("@shape_assertion(")) {
    return absl::OkStatus();
  }
  if (word == kCustomCall) return TakeCall(from);
  return absl::OkStatus();
}

absl::StatusOr<LinkedProgram> Linker::Link() {
  if (absl::StartsWith(text_, "ML\xEFR")) {
    return absl::UnimplementedError(
        "The program is MLIR's bytecode; print it as text, for example with "
        "jax.jit(f).lower(…).as_text().");
  }
  if (!IsUtf8(text_)) {
    return absl::InvalidArgumentError("The program is not UTF-8.");
  }
  while (!in_.AtEnd()) RETURN_IF_ERROR(TakeNext());
  if (functions_.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("The program has no ", kCustomCall, "."));
  }
  if (!first_) {
    return absl::InvalidArgumentError("The program has no func.func.");
  }
  absl::StrAppend(&out_, text_.substr(copied_));
  out_.insert(*first_, declared_);
  LinkedProgram program;
  program.text = std::move(out_);
  program.manifest = "{\n  \"module\": ";
  AppendJsonString(module_, program.manifest);
  absl::StrAppend(&program.manifest,
                  ",\n  \"partial\": true,\n  \"functions\": {", manifest_,
                  "\n  }\n}\n");
  program.targets.assign(targets_.begin(), targets_.end());
  return program;
}

}  // namespace

bool HasCustomCalls(absl::string_view text) {
  return absl::StrContains(text, kCustomCall);
}

absl::StatusOr<LinkedProgram> LinkProgram(absl::string_view text,
                                          absl::string_view module) {
  return Linker(text, module).Link();
}

}  // namespace eyrie::native
