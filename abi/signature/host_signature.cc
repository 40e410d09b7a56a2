#include "abi/signature/host_signature.h"

#include <optional>
#include <utility>

#include "abi/signature/declaration.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/plain_text.h"
#include "base/status_macros.h"
#include "hal/element_type.h"
#include "vm/isa/value.h"

namespace eyrie::abi {
namespace {

using Kind = Type::Kind;

bool IsNameCharacter(char c) {
  return absl::ascii_isalnum(c) || c == '_' || c == '-' || c == '$';
}

// Returns the register type of a scalar; nullopt if modules do not pass it.
std::optional<vm::ValueType> CarrierOf(hal::ElementType element) {
  const uint32_t bits = hal::BitCount(element);
  if (element == hal::ElementType::kFloat32) return vm::ValueType::kF32;
  if (element == hal::ElementType::kFloat64) return vm::ValueType::kF64;
  if (element == hal::ElementType::kFloat16 ||
      element == hal::ElementType::kBfloat16) {
    return vm::ValueType::kI32;
  }
  if (!hal::IsIntegerOrBool(element) || bits > 64) return std::nullopt;
  if (bits <= 32) return vm::ValueType::kI32;
  return bits == 64 ? std::optional(vm::ValueType::kI64) : std::nullopt;
}

// A recursive descent over the text. Depth is limited as for any signature.
class HostSignatureParser {
 public:
  explicit HostSignatureParser(absl::string_view text) : text_(text) {}

  absl::StatusOr<HostSignature> Parse();

 private:
  // Parses the rest of a list up to `close`, which is consumed.
  absl::Status Parameters(char close, std::vector<HostParameter>& list);
  absl::Status ParameterAt(HostParameter& made);
  absl::Status TypeAt(size_t depth, HostParameter& made);
  // Parses the members of a structure up to `close`.
  absl::Status Members(char close, Kind kind, size_t depth, Type& type);
  absl::Status Named(HostParameter& made);

  void Skip() {
    while (at_ < text_.size() && absl::ascii_isspace(text_[at_])) ++at_;
  }
  bool Take(absl::string_view word) {
    Skip();
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }
  // Takes a name that a colon follows, and the colon. Returns an empty view if
  // there is none.
  absl::string_view TakeKey();
  // Takes everything up to a ',' or a bracket that closes an outer one.
  absl::string_view TakeWord();
  absl::Status Expected(absl::string_view what) const;

  const absl::string_view text_;
  size_t at_ = 0;
};

absl::Status HostSignatureParser::Expected(absl::string_view what) const {
  return absl::InvalidArgumentError(absl::StrCat(
      "The signature '", PlainName(text_), "' has ",
      at_ < text_.size() ? absl::StrCat("'", PlainName(text_.substr(at_, 20)),
                                        "' at byte ", at_)
                         : "its end",
      "; expected ", what, "."));
}

absl::string_view HostSignatureParser::TakeKey() {
  Skip();
  size_t end = at_;
  if (end < text_.size() && text_[end] == '%') ++end;
  const size_t begin = end;
  while (end < text_.size() && IsNameCharacter(text_[end])) ++end;
  size_t colon = end;
  while (colon < text_.size() && absl::ascii_isspace(text_[colon])) ++colon;
  if (end == begin || colon == text_.size() || text_[colon] != ':') return {};
  at_ = colon + 1;
  return text_.substr(begin, end - begin);
}

absl::string_view HostSignatureParser::TakeWord() {
  Skip();
  const size_t begin = at_;
  int depth = 0;
  for (; at_ < text_.size(); ++at_) {
    const char c = text_[at_];
    if (c == '-' && text_.substr(at_, 2) == "->") break;
    if (c == '<') ++depth;
    if (c == '>' && depth-- == 0) break;
    if (depth > 0) continue;
    if (c == ',' || c == ')' || c == ']' || c == '}') break;
  }
  return absl::StripTrailingAsciiWhitespace(text_.substr(begin, at_ - begin));
}

absl::Status HostSignatureParser::Members(char close, Kind kind, size_t depth,
                                          Type& type) {
  type.kind = kind;
  const absl::string_view end(&close, 1);
  while (!Take(end)) {
    if (!type.members.empty() && !Take(",")) return Expected("',' or an end");
    // A tuple of one type ends with a comma.
    if (!type.members.empty() && Take(end)) break;
    Member member;
    if (kind == Kind::kDict) {
      member.key = std::string(TakeKey());
      if (member.key.empty()) return Expected("a key and ':'");
    }
    HostParameter inner;
    const size_t begin = at_;
    RETURN_IF_ERROR(TypeAt(depth + 1, inner));
    if (!inner.object.empty()) {
      at_ = begin;
      return Expected("a type other than 'ref' in a structure");
    }
    member.type = std::move(inner.parameter.type);
    type.members.push_back(std::move(member));
  }
  return absl::OkStatus();
}

absl::Status HostSignatureParser::Named(HostParameter& made) {
  const size_t begin = at_;
  const absl::string_view word = TakeWord();
  Type& type = made.parameter.type;
  if (word == "any") return absl::OkStatus();
  if (word == "bytes") {
    type.kind = Kind::kBytes;
  } else if (word == "array") {
    type.kind = Kind::kArray;
  } else if (word == "list") {
    type.kind = Kind::kAnyList;
  } else if (!word.empty()) {
    type = ParseDeclaredType(word);
    if (type.is(Kind::kUnknown) && word.find('x') != word.npos) {
      type = ParseDeclaredType(absl::StrCat("tensor<", word, ">"));
    }
  }
  const bool known_element = !type.is(Kind::kArray) ||
                             type.element != hal::ElementType::kNone ||
                             type.text.empty();
  if (!type.is(Kind::kUnknown) && known_element) return absl::OkStatus();
  if (absl::StartsWith(word, "!vm.ref<") || word == "!util.variant" ||
      word == "!util.object") {
    type = Type();
    return absl::OkStatus();
  }
  at_ = begin;
  return Expected(
      "a type, such as 'f32', 'tensor<?xf32>', 'bytes', 'list' or "
      "'ref<name>'");
}

absl::Status HostSignatureParser::TypeAt(size_t depth, HostParameter& made) {
  if (depth > Signature::kMaxDepth) {
    return Expected(absl::StrCat("at most ", Signature::kMaxDepth,
                                 " types within each other"));
  }
  Type& type = made.parameter.type;
  if (Take("[")) return Members(']', Kind::kList, depth, type);
  if (Take("(")) return Members(')', Kind::kTuple, depth, type);
  if (Take("{")) return Members('}', Kind::kDict, depth, type);
  if (Take("list<")) {
    RETURN_IF_ERROR(Members('>', Kind::kHomogeneous, depth, type));
    return type.members.size() == 1 ? absl::OkStatus()
                                    : Expected("one type in 'list<…>'");
  }
  if (Take("ref<")) {
    made.object = std::string(TakeWord());
    return !made.object.empty() && Take(">") ? absl::OkStatus()
                                             : Expected("'ref<name>'");
  }
  return Named(made);
}

absl::Status HostSignatureParser::ParameterAt(HostParameter& made) {
  made.parameter.name = std::string(TakeKey());
  RETURN_IF_ERROR(TypeAt(0, made));
  Parameter& parameter = made.parameter;
  if (!parameter.type.is(Kind::kScalar)) return absl::OkStatus();
  const hal::ElementType element = parameter.type.element;
  const std::optional<vm::ValueType> carrier = CarrierOf(element);
  if (!carrier) {
    return absl::UnimplementedError(
        absl::StrCat("A scalar of type ", ElementText(element),
                     " cannot be passed to a host function."));
  }
  parameter.carrier = *carrier;
  return absl::OkStatus();
}

absl::Status HostSignatureParser::Parameters(char close,
                                             std::vector<HostParameter>& list) {
  const absl::string_view end(&close, 1);
  if (Take(end)) return absl::OkStatus();
  do {
    RETURN_IF_ERROR(ParameterAt(list.emplace_back()));
  } while (Take(","));
  return Take(end) ? absl::OkStatus()
                   : Expected(absl::StrCat("',' or '", end, "'"));
}

absl::StatusOr<HostSignature> HostSignatureParser::Parse() {
  HostSignature made;
  made.is_async = Take("async ");
  if (!Take("(")) return Expected("'(' and the arguments");
  RETURN_IF_ERROR(Parameters(')', made.arguments));
  if (Take("->")) {
    if (Take("(")) {
      RETURN_IF_ERROR(Parameters(')', made.results));
    } else {
      RETURN_IF_ERROR(ParameterAt(made.results.emplace_back()));
    }
  }
  Skip();
  return at_ == text_.size() ? absl::StatusOr<HostSignature>(std::move(made))
                             : Expected("its end");
}

std::string TextOf(const std::vector<HostParameter>& list) {
  std::string text;
  for (const HostParameter& row : list) {
    const bool any = row.parameter.type.is(Kind::kUnknown);
    absl::StrAppend(&text, text.empty() ? "" : ", ",
                    !row.object.empty() ? absl::StrCat("ref<", row.object, ">")
                    : any               ? "any"
                                        : row.parameter.type.ToString());
  }
  return text;
}

}  // namespace

absl::StatusOr<HostSignature> HostSignature::Parse(absl::string_view text) {
  return HostSignatureParser(text).Parse();
}

std::string HostSignature::Convention(bool fences) const {
  std::string text = "0";
  for (const HostParameter& argument : arguments) {
    text += vm::LetterOf(argument.parameter.carrier);
  }
  if (fences) text += "rr";
  if (text.size() == 1) text += 'v';
  text += '_';
  for (const HostParameter& result : results) {
    text += vm::LetterOf(result.parameter.carrier);
  }
  if (results.empty()) text += 'v';
  return text;
}

std::string HostSignature::ToString() const {
  const bool alone = results.size() == 1;
  return absl::StrCat(is_async ? "async (" : "(", TextOf(arguments), ") -> ",
                      alone ? "" : "(", TextOf(results), alone ? "" : ")");
}

}  // namespace eyrie::abi
