// Formats types and signatures as text.
//
// Tested by signature_test.cc.
#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "abi/signature/signature.h"
#include "abi/signature/structures.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/plain_text.h"

namespace eyrie::abi {
namespace {

using Kind = Type::Kind;
using hal::ElementType;

// Escapes a name or key, which may be any bytes.
std::string NameText(absl::string_view name) { return EscapedName(name); }

std::string JoinTypes(const Type& type) {
  std::string text;
  for (const Member& member : type.members) {
    absl::StrAppend(&text, text.empty() ? "" : ", ", NameText(member.key),
                    type.is(Kind::kDict) ? ": " : "", member.type.ToString());
  }
  return text;
}

std::string ArrayText(const Type& type) {
  const std::string text = type.ShapePrefix();
  if (type.is(Kind::kRefArray)) {
    return absl::StrCat(text, "(", type.members[0].type.ToString(), ")");
  }
  if (type.element != ElementType::kNone) {
    return text + ElementText(type.element);
  }
  if (!type.ranked && type.text.empty()) return "array";
  return absl::StrCat(text, type.text.empty() ? "unknown" : type.text);
}

std::string ParameterText(const Parameter& parameter, bool named) {
  const std::string name = named ? NameText(parameter.name) : "";
  return absl::StrCat(parameter.type.takes_keywords ? "**" : "", name,
                      name.empty() ? "" : ": ", parameter.type.ToString());
}

std::string ResultsText(std::span<const Parameter> results) {
  std::string text;
  for (const Parameter& result : results) {
    absl::StrAppend(&text, text.empty() ? "" : ", ",
                    ParameterText(result, true));
  }
  return text;
}

// As in Python, a '/' follows the names that are not keywords. After a keyword,
// such a name cannot be written; only its type is shown.
std::string JoinArguments(std::span<const Parameter> arguments) {
  const auto keyword =
      std::find_if(arguments.begin(), arguments.end(),
                   [](const Parameter& argument) { return argument.keyword; });
  size_t last = arguments.size();  // the last one before the '/'
  for (auto it = arguments.begin(); it != keyword; ++it) {
    const bool has_place = !it->name.empty() && !it->type.takes_keywords;
    if (has_place) last = static_cast<size_t>(it - arguments.begin());
  }
  const auto keywords = static_cast<size_t>(keyword - arguments.begin());
  std::string text;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const bool named = arguments[i].keyword || i < keywords ||
                       arguments[i].type.takes_keywords;
    absl::StrAppend(&text, i > 0 ? ", " : "",
                    ParameterText(arguments[i], named));
    if (i == last) text += ", /";
  }
  return text;
}

}  // namespace

std::string ElementText(ElementType element) {
  const std::string name = hal::ElementTypeName(element);
  if (name[0] != '*' || hal::NumericalKind(element) == 0) return name;
  return absl::StrCat("i", hal::BitCount(element));
}

const Type& Type::Any() {
  static const Type& any = *new Type();
  return any;
}

std::string Type::ToString() const {
  switch (kind) {
    case Kind::kUnknown:
      return text.empty() ? "unknown" : text;
    case Kind::kNull:
      return "null";
    case Kind::kScalar:
      return ElementText(element);
    case Kind::kArray:
    case Kind::kRefArray:
      return ArrayText(*this);
    case Kind::kBytes:
    case Kind::kByteList:
      return "bytes";
    case Kind::kBuffer:
      return "buffer";
    case Kind::kList:
      return absl::StrCat("[", JoinTypes(*this), "]");
    case Kind::kTuple:
      return absl::StrCat("(", JoinTypes(*this),
                          members.size() == 1 ? ",)" : ")");
    case Kind::kDict:
      return absl::StrCat("{", JoinTypes(*this), "}");
    case Kind::kHomogeneous:
      return absl::StrCat("list<", JoinTypes(*this), ">");
    case Kind::kAnyList:
      return "list";
    case Kind::kFence:
      return "fence";
  }
  return "";
}

std::string Signature::ArgumentName(size_t index) const {
  if (places_ != nullptr) return places_->ArgumentPlace(index);
  const std::string& name = arguments_[index].name;
  if (name.empty()) return absl::StrCat("argument ", index);
  return absl::StrCat("argument ", index, " ('", NameText(name), "')");
}

std::string Signature::ResultName(size_t index) const {
  if (places_ != nullptr) return places_->ResultPlace(index);
  return absl::StrCat("result ", index);
}

std::string Signature::ArgumentsText() const {
  return absl::StrCat("(", JoinArguments(arguments_), ")");
}

std::string Signature::ToString() const {
  const std::string results = ResultsText(results_);
  const bool alone = results_.size() == 1 && results_[0].name.empty();
  return absl::StrCat(function_, ArgumentsText(), " -> ",
                      alone ? results : absl::StrCat("(", results, ")"));
}

}  // namespace eyrie::abi
