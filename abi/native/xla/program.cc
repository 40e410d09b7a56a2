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
#include "base/json.h"
#include "base/plain_text.h"
#include "base/status_macros.h"

namespace eyrie::native {
namespace {

constexpr char kCustomCall[] = "stablehlo.custom_call";

class Linker {
 public:
  Linker(absl::string_view text, absl::string_view module)
      : text_(text), module_(module), in_(text) {}

  absl::StatusOr<LinkedProgram> Link();

 private:
  absl::Status TakeNext();
  absl::Status TakeCall(size_t from);
  // Returns the import's function for a call.
  std::string FunctionOf(const CustomCall& call);

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

std::string Linker::FunctionOf(const CustomCall& call) {
  const std::string declaration = call.Declaration();
  const std::string type = call.Type();
  std::string& name = functions_[absl::StrCat(declaration, type)];
  if (!name.empty()) return name;
  const std::string wanted = NameOf(call.target);
  name = wanted;
  for (int& i = variants_[wanted]; !names_.insert(name).second;) {
    name = absl::StrCat(wanted, ".", ++i + 1);
  }
  absl::StrAppend(&declared_, "func.func private @\"", module_, ".", name, "\"",
                  type, "\n  ");
  absl::StrAppend(&manifest_, manifest_.empty() ? "" : ",", "\n    \"", name,
                  "\": ", declaration);
  targets_.insert(call.target);
  return name;
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
  absl::StrAppend(&out_, text_.substr(copied_, from - copied_), "func.call @\"",
                  module_, ".", function, "\"", call->operands);
  copied_ = end;
  return absl::OkStatus();
}

absl::Status Linker::TakeNext() {
  const size_t from = in_.at();
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
