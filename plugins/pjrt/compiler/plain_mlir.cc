// Turns VHLO into StableHLO, token by token.
#include "plugins/pjrt/compiler/plain_mlir.h"

#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/plain_text.h"
#include "base/status_macros.h"

namespace eyrie::pjrt {
namespace {

// An open bracket, and what its closing one becomes.
struct Open {
  char bracket;
  const char* closing;
  bool is_alias = false;  // its words are fields of an alias
};

// Attributes whose content stands for them, and types that keep their brackets.
constexpr const char* kDropped[] = {"string", "bool", "integer", "float",
                                    "array",  "dict", "tensor",  "type"};
constexpr const char* kEnclosing[] = {"tensor", "complex"};

class Writer {
 public:
  explicit Writer(absl::string_view text) : rest_(text) {}

  absl::StatusOr<std::string> Run() {
    while (!rest_.empty()) {
      if (absl::StartsWith(rest_, "#vhlo") ||
          absl::StartsWith(rest_, "!vhlo.")) {
        RETURN_IF_ERROR(TakeVhlo());
      } else if (absl::ascii_isalpha(static_cast<unsigned char>(rest_[0]))) {
        const absl::string_view word = TakeWord();
        const bool is_field = !open_.empty() && open_.back().is_alias;
        absl::StrAppend(&out_, is_field ? PlainWord(word) : word);
      } else if (rest_[0] == '"') {
        RETURN_IF_ERROR(TakeString());
      } else {
        RETURN_IF_ERROR(TakeCharacter());
      }
    }
    if (!open_.empty()) return Unmatched();
    return std::move(out_);
  }

 private:
  static absl::Status Unmatched() {
    return absl::InternalError(
        "The compiler's text of a custom call has unmatched brackets.");
  }
  static absl::Status Unknown(absl::string_view what) {
    return absl::UnimplementedError(absl::StrCat("The custom call has '",
                                                 PlainText(what, 64),
                                                 "', which is not supported."));
  }

  // Takes the word that begins the text.
  absl::string_view TakeWord() {
    size_t size = 0;
    while (size < rest_.size() &&
           (absl::ascii_isalnum(static_cast<unsigned char>(rest_[size])) ||
            rest_[size] == '_')) {
      ++size;
    }
    const absl::string_view word = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return word;
  }

  // Takes "#vhlo.integer_v1<", "!vhlo.f32_v1", "#vhlo<api_version_v1 NAME>".
  absl::Status TakeVhlo() {
    const bool is_type = rest_[0] == '!';
    const absl::string_view begin = rest_;
    rest_.remove_prefix(5);
    if (absl::ConsumePrefix(&rest_, "<")) return TakeEnumeration();
    if (!absl::ConsumePrefix(&rest_, ".")) return Unknown(begin.substr(0, 32));
    absl::string_view name = TakeWord();
    if (!absl::ConsumeSuffix(&name, "_v1") &&
        !absl::ConsumeSuffix(&name, "_v2")) {
      return Unknown(name);
    }
    if (!is_type && name == "output_operand_alias" &&
        absl::ConsumePrefix(&rest_, "<")) {
      absl::StrAppend(&out_, "#stablehlo.output_operand_alias<");
      open_.push_back({'<', ">", true});
      return absl::OkStatus();
    }
    for (const char* const known : kEnclosing) {
      if (!is_type || name != known || !absl::ConsumePrefix(&rest_, "<")) {
        continue;
      }
      absl::StrAppend(&out_, known, "<");
      open_.push_back({'<', ">"});
      return absl::OkStatus();
    }
    if (is_type) return TakeScalar(name);
    for (const char* const known : kDropped) {
      if (name != known || !absl::ConsumePrefix(&rest_, "<")) continue;
      open_.push_back({'<', ""});
      return absl::OkStatus();
    }
    return Unknown(name);
  }

  // The fields of an alias have other names in StableHLO.
  static absl::string_view PlainWord(absl::string_view word) {
    if (word == "outputTupleIndices") return "output_tuple_indices";
    if (word == "operandIndex") return "operand_index";
    if (word == "operandTupleIndices") return "operand_tuple_indices";
    return word;
  }

  // Reports whether a type is one of numbers: "ui8", "bf16", "f8E4M3FN".
  static bool IsNumber(absl::string_view name) {
    for (const char* const letters : {"i", "ui", "f", "bf"}) {
      absl::string_view rest = name;
      if (absl::ConsumePrefix(&rest, letters) && !rest.empty() &&
          absl::ascii_isdigit(static_cast<unsigned char>(rest[0]))) {
        return true;
      }
    }
    return false;
  }

  absl::Status TakeScalar(absl::string_view name) {
    if (name == "bool") {
      absl::StrAppend(&out_, "i1");
    } else if (name == "index" || IsNumber(name)) {
      absl::StrAppend(&out_, name);
    } else {
      return Unknown(name);
    }
    return absl::OkStatus();
  }

  // Takes the rest of "#vhlo<api_version_v1 API_VERSION_TYPED_FFI>".
  absl::Status TakeEnumeration() {
    const size_t end = rest_.find('>');
    if (end == absl::string_view::npos) return Unmatched();
    const absl::string_view content = rest_.substr(0, end);
    rest_.remove_prefix(end + 1);
    static constexpr struct {
      const char* content;
      const char* text;
    } kKnown[] = {
        {"api_version_v1 API_VERSION_UNSPECIFIED", "0 : i32"},
        {"api_version_v1 API_VERSION_ORIGINAL", "1 : i32"},
        {"api_version_v1 API_VERSION_STATUS_RETURNING", "2 : i32"},
        {"api_version_v1 API_VERSION_STATUS_RETURNING_UNIFIED", "3 : i32"},
        {"api_version_v1 API_VERSION_TYPED_FFI", "4 : i32"},
    };
    for (const auto& row : kKnown) {
      if (content != row.content) continue;
      absl::StrAppend(&out_, row.text);
      return absl::OkStatus();
    }
    return Unknown(content);
  }

  // Takes a string with its quotes.
  absl::Status TakeString() {
    size_t end = 1;
    while (end < rest_.size() && rest_[end] != '"') {
      end += rest_[end] == '\\' ? 2 : 1;
    }
    if (end >= rest_.size()) return Unmatched();
    absl::StrAppend(&out_, rest_.substr(0, end + 1));
    rest_.remove_prefix(end + 1);
    return absl::OkStatus();
  }

  absl::Status TakeCharacter() {
    if (absl::ConsumePrefix(&rest_, "->")) {
      absl::StrAppend(&out_, "->");
      return absl::OkStatus();
    }
    const char character = rest_[0];
    rest_.remove_prefix(1);
    switch (character) {
      case '<':
        open_.push_back({'<', ">"});
        break;
      case '[':
        open_.push_back({'[', "]"});
        break;
      case '{':
        open_.push_back({'{', "}"});
        break;
      case '(':
        open_.push_back({'(', ")"});
        break;
      case '>':
        return Close('<');
      case ']':
        return Close('[');
      case '}':
        return Close('{');
      case ')':
        return Close('(');
      default:
        break;
    }
    out_.push_back(character);
    return absl::OkStatus();
  }

  absl::Status Close(char bracket) {
    if (open_.empty() || open_.back().bracket != bracket) return Unmatched();
    absl::StrAppend(&out_, open_.back().closing);
    open_.pop_back();
    return absl::OkStatus();
  }

  absl::string_view rest_;
  std::string out_;
  std::vector<Open> open_;
};

}  // namespace

absl::StatusOr<std::string> PlainMlir(absl::string_view text) {
  return Writer(text).Run();
}

}  // namespace eyrie::pjrt
