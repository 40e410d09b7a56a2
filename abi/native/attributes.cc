// Parses, merges and prints attributes by recursive descent.
#include "abi/native/attributes.h"

#include <string>
#include <utility>
#include <vector>

#include "abi/native/numbers.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/hex.h"
#include "base/plain_text.h"
#include "base/status_macros.h"
#include "base/suggest.h"

namespace eyrie::native {
namespace {

constexpr int kMaxDepth = 16;
// The characters that end a bare text.
constexpr absl::string_view kEnds = "&={}[]:@%";
// Types that only declarations have.
constexpr absl::string_view kStringType = "string";
constexpr absl::string_view kSymbolType = "ptr";
constexpr absl::string_view kOthers = "*";

class Parser {
 public:
  // If `declares`, parses a manifest's declarations.
  Parser(absl::string_view text, bool declares)
      : text_(text), declares_(declares) {}

  // Returns all attributes as a dictionary.
  absl::StatusOr<Attribute> Parse() {
    Attribute all;
    all.kind = Attribute::Kind::kDictionary;
    RETURN_IF_ERROR(Pairs(0, all));
    if (at_ != text_.size()) return Unexpected("'&' or the end");
    return all;
  }

 private:
  bool AtEnd() const { return at_ == text_.size(); }
  bool Consume(char c) {
    if (AtEnd() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  absl::Status Error(absl::string_view what) const {
    return absl::InvalidArgumentError(absl::StrCat(what, " at byte ", at_,
                                                   " of the attributes '",
                                                   PlainName(text_), "'."));
  }
  absl::Status Unexpected(absl::string_view wanted) const {
    return Error(absl::StrCat(
        AtEnd()
            ? "Found the end"
            : absl::StrCat("Found '", PlainText(text_.substr(at_, 1), 4), "'"),
        " where ", wanted, " is expected"));
  }

  absl::Status Pairs(int depth, Attribute& dictionary);
  absl::Status Pair(int depth, Attribute& dictionary);
  absl::StatusOr<Attribute> Value(int depth);
  absl::StatusOr<Attribute> Declared();
  absl::StatusOr<Attribute> Array();
  absl::StatusOr<Attribute> Dictionary(int depth);
  absl::StatusOr<Attribute> Symbol();
  // Reads bytes up to one of kEnds; %HH is one byte.
  absl::StatusOr<std::string> Text();
  absl::StatusOr<FfiType> Type();

  absl::string_view text_;
  const bool declares_;
  size_t at_ = 0;
};

absl::StatusOr<std::string> Parser::Text() {
  std::string text;
  while (!AtEnd()) {
    const char c = text_[at_];
    if (c == '%') {
      const auto byte = BytesOfHex(text_.substr(at_ + 1, 2));
      if (!byte.has_value() || byte->empty()) {
        return Error("Expected two hexadecimal digits after '%'");
      }
      text += *byte;
      at_ += 3;
      continue;
    }
    if (kEnds.find(c) != kEnds.npos) break;
    text += c;
    ++at_;
  }
  return text;
}

absl::StatusOr<FfiType> Parser::Type() {
  const size_t from = at_;
  while (!AtEnd() && absl::ascii_isalnum(text_[at_])) ++at_;
  const absl::string_view name = text_.substr(from, at_ - from);
  absl::StatusOr<FfiType> type = ParseFfiType(name);
  if (!type.ok()) {
    return Error(absl::StrCat("Unknown type '", name, "'"));
  }
  if (InfoOf(*type).bytes == 0) return Error("Unexpected type 'token'");
  return type;
}

absl::StatusOr<Attribute> Parser::Array() {
  Attribute array;
  array.kind = Attribute::Kind::kArray;
  const size_t close = text_.find(']', at_);
  if (close == text_.npos) {
    at_ = text_.size();
    return Unexpected("']'");
  }
  absl::string_view numbers = text_.substr(at_, close - at_);
  at_ = close + 1;
  if (!Consume(':')) return Unexpected("':' and the elements' type");
  ASSIGN_OR_RETURN(array.type, Type());
  while (!numbers.empty()) {
    // A comma within parentheses belongs to a complex number.
    const size_t from = numbers[0] == '(' ? numbers.find(')') : 0;
    const size_t comma = from == numbers.npos ? from : numbers.find(',', from);
    RETURN_IF_ERROR(
        AppendNumber(numbers.substr(0, comma), array.type, array.bytes));
    if (comma == numbers.npos) break;
    numbers.remove_prefix(comma + 1);
    if (numbers.empty()) return Error("Expected a number after ','");
  }
  return array;
}

absl::StatusOr<Attribute> Parser::Dictionary(int depth) {
  if (depth == kMaxDepth) {
    return Error(
        absl::StrCat("Dictionaries nested deeper than ", kMaxDepth, " levels"));
  }
  Attribute dictionary;
  dictionary.kind = Attribute::Kind::kDictionary;
  if (Consume('}')) return dictionary;
  RETURN_IF_ERROR(Pairs(depth + 1, dictionary));
  if (!Consume('}')) return Unexpected("'&' or '}'");
  return dictionary;
}

absl::StatusOr<Attribute> Parser::Symbol() {
  Attribute symbol;
  symbol.kind = Attribute::Kind::kSymbol;
  ASSIGN_OR_RETURN(symbol.bytes, Text());
  if (symbol.bytes.empty()) return Unexpected("a symbol's name");
  if (symbol.bytes.find('\0') != symbol.bytes.npos) {
    return Error("Symbol name with a zero byte");
  }
  if (text_.substr(at_, 4) != ":ptr") return Unexpected("':ptr'");
  at_ += 4;
  return symbol;
}

absl::StatusOr<Attribute> Parser::Value(int depth) {
  if (Consume('[')) return Array();
  if (Consume('{')) return Dictionary(depth);
  if (Consume('@')) return Symbol();
  Attribute value;
  ASSIGN_OR_RETURN(value.bytes, Text());
  if (!Consume(':')) return value;
  const std::string number = std::exchange(value.bytes, "");
  value.kind = Attribute::Kind::kScalar;
  ASSIGN_OR_RETURN(value.type, Type());
  RETURN_IF_ERROR(AppendNumber(number, value.type, value.bytes));
  return value;
}

// Parses the text after "name:".
absl::StatusOr<Attribute> Parser::Declared() {
  Attribute declared;
  declared.is_given = false;
  const size_t from = at_;
  const bool array = Consume('[');
  if (!array) {
    ASSIGN_OR_RETURN(const std::string word, Text());
    if (word == kStringType) return declared;
    if (word == kSymbolType) {
      declared.kind = Attribute::Kind::kSymbol;
      return declared;
    }
    at_ = from;
  }
  declared.kind = array ? Attribute::Kind::kArray : Attribute::Kind::kScalar;
  ASSIGN_OR_RETURN(declared.type, Type());
  if (array && !Consume(']')) return Unexpected("']'");
  return declared;
}

absl::Status Parser::Pair(int depth, Attribute& dictionary) {
  ASSIGN_OR_RETURN(std::string name, Text());
  if (name.empty()) return Unexpected("a name");
  Attribute value;
  if (Consume('=')) {
    ASSIGN_OR_RETURN(value, Value(depth));
  } else if (declares_ && Consume(':')) {
    ASSIGN_OR_RETURN(value, Declared());
  } else if (declares_ && name == kOthers) {
    dictionary.is_open = true;
    return absl::OkStatus();
  } else {
    return Unexpected(declares_ ? "'=' or ':'" : "'='");
  }
  if (!dictionary.members.emplace(name, std::move(value)).second) {
    return Error(absl::StrCat("The name '", PlainName(name), "' is repeated"));
  }
  return absl::OkStatus();
}

absl::Status Parser::Pairs(int depth, Attribute& dictionary) {
  do {
    RETURN_IF_ERROR(Pair(depth, dictionary));
  } while (Consume('&'));
  return absl::OkStatus();
}

void AppendEscaped(absl::string_view text, std::string& out) {
  for (const char c : text) {
    if (absl::ascii_isgraph(c) && kEnds.find(c) == kEnds.npos) {
      out += c;
    } else {
      absl::StrAppend(&out, "%",
                      absl::AsciiStrToUpper(absl::StrCat(absl::Hex(
                          static_cast<uint8_t>(c), absl::kZeroPad2))));
    }
  }
}

void AppendMembers(const Attribute& dictionary, std::string& out);

void AppendValue(const Attribute& value, std::string& out) {
  switch (value.kind) {
    case Attribute::Kind::kString:
      return AppendEscaped(value.bytes, out);
    case Attribute::Kind::kDictionary:
      out += '{';
      AppendMembers(value, out);
      out += '}';
      return;
    case Attribute::Kind::kSymbol:
      out += '@';
      AppendEscaped(value.bytes, out);
      out += ":ptr";
      return;
    case Attribute::Kind::kScalar:
    case Attribute::Kind::kArray:
      break;
  }
  const bool array = value.kind == Attribute::Kind::kArray;
  const FfiTypeInfo& type = InfoOf(value.type);
  if (array) out += '[';
  for (size_t i = 0; i < value.bytes.size(); i += type.bytes) {
    if (i > 0) out += ',';
    AppendNumberText(absl::string_view(value.bytes).substr(i, type.bytes),
                     value.type, out);
  }
  absl::StrAppend(&out, array ? "]:" : ":", type.name);
}

// Returns the text after the name of an attribute without a value.
std::string TypeText(const Attribute& value) {
  switch (value.kind) {
    case Attribute::Kind::kScalar:
      return InfoOf(value.type).name;
    case Attribute::Kind::kArray:
      return absl::StrCat("[", InfoOf(value.type).name, "]");
    case Attribute::Kind::kSymbol:
      return std::string(kSymbolType);
    default:
      return std::string(kStringType);
  }
}

void AppendMembers(const Attribute& dictionary, std::string& out) {
  bool first = true;
  for (const auto& [name, value] : dictionary.members) {
    if (!std::exchange(first, false)) out += '&';
    AppendEscaped(name, out);
    if (value.is_given) {
      out += '=';
      AppendValue(value, out);
    } else {
      absl::StrAppend(&out, ":", TypeText(value));
    }
  }
  if (dictionary.is_open) absl::StrAppend(&out, first ? "" : "&", kOthers);
}

std::string KindText(const Attribute& attribute) {
  switch (attribute.kind) {
    case Attribute::Kind::kScalar:
      return InfoOf(attribute.type).name;
    case Attribute::Kind::kArray:
      return absl::StrCat("an array of ", InfoOf(attribute.type).name);
    case Attribute::Kind::kString:
      return "a string";
    case Attribute::Kind::kDictionary:
      return "a dictionary";
    case Attribute::Kind::kSymbol:
      return "an address (@symbol:ptr)";
  }
  return "";
}

// Checks the attributes that an import gives against the declared ones.
// Handlers need not check them, and may crash if a string is given for a
// number.
class Merger {
 public:
  explicit Merger(absl::string_view function) : function_(function) {}

  absl::StatusOr<Attributes> Merge(const Attribute& declared,
                                   Attributes given) const;

 private:
  // Returns a name for messages: "'opts.deep' of 'f'".
  std::string Named(absl::string_view name) const {
    return absl::StrCat("'", PlainName(absl::StrCat(within_, name)), "' of '",
                        function_, "'");
  }
  absl::Status Unknown(const Attribute& declared,
                       const std::string& name) const;
  // Converts a given attribute to the type of the declared one.
  absl::Status Take(const std::string& name, const Attribute& declared,
                    Attribute given, Attribute& merged) const;

  const absl::string_view function_;
  std::string within_;  // "opts." of members of a dictionary
};

absl::Status Merger::Unknown(const Attribute& declared,
                             const std::string& name) const {
  std::vector<std::string> known;
  std::vector<std::string> described;
  for (const auto& [other, value] : declared.members) {
    known.push_back(other);
    described.push_back(
        absl::StrCat("'", PlainName(other), "', ", KindText(value)));
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "The manifest has no attribute ", Named(name), "; ",
      known.empty()
          ? "there are none."
          : absl::StrCat("it has ", absl::StrJoin(described, "; "), "."),
      DidYouMean(name, known)));
}

absl::Status Merger::Take(const std::string& name, const Attribute& declared,
                          Attribute given, Attribute& merged) const {
  if (declared.kind == Attribute::Kind::kDictionary &&
      given.kind == Attribute::Kind::kDictionary) {
    Merger inner(function_);
    inner.within_ = absl::StrCat(within_, name, ".");
    ASSIGN_OR_RETURN(merged.members,
                     inner.Merge(declared, std::move(given.members)));
    return absl::OkStatus();
  }
  const std::string expected = absl::StrCat(
      "The attribute ", Named(name), " is declared as ", KindText(declared));
  if (declared.kind == Attribute::Kind::kScalar &&
      given.kind == Attribute::Kind::kString) {
    merged.bytes.clear();
    const absl::Status number =
        AppendNumber(given.bytes, declared.type, merged.bytes);
    if (number.ok()) return number;
    return absl::InvalidArgumentError(
        absl::StrCat(expected, "; ", number.message()));
  }
  if (declared.kind == given.kind && declared.type == given.type) {
    merged = std::move(given);
    return absl::OkStatus();
  }
  const Attributes one = {{name, std::move(given)}};
  return absl::InvalidArgumentError(
      absl::StrCat(expected, ", and given as ", KindText(one.begin()->second),
                   ": '", PlainName(AttributesText(one)), "'."));
}

absl::StatusOr<Attributes> Merger::Merge(const Attribute& declared,
                                         Attributes given) const {
  Attributes merged = declared.members;
  for (auto& [name, value] : given) {
    const auto known = declared.members.find(name);
    if (known == declared.members.end()) {
      if (!declared.is_open) return Unknown(declared, name);
      merged.emplace(name, std::move(value));
      continue;
    }
    Attribute& place = merged[name];
    RETURN_IF_ERROR(Take(name, known->second, std::move(value), place));
    place.is_given = true;
    place.is_open = false;
  }
  for (auto& [name, value] : merged) {
    if (!value.is_given) {
      return absl::InvalidArgumentError(
          absl::StrCat("The import lacks the attribute ", Named(name), ", ",
                       KindText(value), "."));
    }
    // A dictionary that is not given may have required members, too.
    if (value.kind == Attribute::Kind::kDictionary &&
        given.find(name) == given.end()) {
      Attribute defaults;
      defaults.kind = Attribute::Kind::kDictionary;
      RETURN_IF_ERROR(Take(name, value, std::move(defaults), value));
      value.is_open = false;
    }
  }
  return merged;
}

}  // namespace

absl::StatusOr<Attributes> ParseAttributes(absl::string_view text) {
  ASSIGN_OR_RETURN(Attribute all, Parser(text, /*declares=*/false).Parse());
  return std::move(all.members);
}

absl::StatusOr<Attribute> ParseDeclaredAttributes(absl::string_view text) {
  if (!text.empty()) return Parser(text, /*declares=*/true).Parse();
  Attribute none;
  none.kind = Attribute::Kind::kDictionary;
  return none;
}

std::string DeclaredText(const Attribute& declared) {
  std::string text;
  AppendMembers(declared, text);
  return text;
}

std::string AttributesText(const Attributes& attributes) {
  Attribute all;
  all.members = attributes;
  return DeclaredText(all);
}

absl::StatusOr<Attributes> MergeAttributes(absl::string_view function,
                                           const Attribute& declared,
                                           Attributes given) {
  return Merger(function).Merge(declared, std::move(given));
}

}  // namespace eyrie::native
