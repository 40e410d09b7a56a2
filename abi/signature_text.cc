// Types and signatures as text.
//
// Tested by signature_test.cc.
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "abi/signature.h"
#include "abi/structures.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace eyrie::abi {
namespace {

using Kind = Type::Kind;
using hal::ElementType;

// Names and keys may be any bytes.
std::string NameText(absl::string_view name) {
  return absl::Utf8SafeCHexEscape(name);
}

std::string JoinTypes(const Type& type) {
  std::string text;
  for (const Member& member : type.members) {
    absl::StrAppend(&text, text.empty() ? "" : ", ", NameText(member.key),
                    type.is(Kind::kDict) ? ": " : "", member.type.ToString());
  }
  return text;
}

std::string ArrayText(const Type& type) {
  std::string text = type.ranked ? "" : "*x";
  for (const int64_t dimension : type.shape) {
    if (dimension == Type::kDynamic) {
      absl::StrAppend(&text, "?x");
    } else {
      absl::StrAppend(&text, dimension, "x");
    }
  }
  if (type.is(Kind::kRefArray)) {
    return absl::StrCat(text, "(", type.members[0].type.ToString(), ")");
  }
  if (type.element != ElementType::kNone) {
    return text + ElementText(type.element);
  }
  return absl::StrCat(text, type.text.empty() ? "unknown" : type.text);
}

std::string ParametersText(std::span<const Parameter> parameters) {
  std::string text;
  for (const Parameter& parameter : parameters) {
    absl::StrAppend(
        &text, text.empty() ? "" : ", ",
        parameter.type.takes_keywords ? "**" : "", NameText(parameter.name),
        parameter.name.empty() ? "" : ": ", parameter.type.ToString());
  }
  return text;
}

}  // namespace

std::string ElementText(ElementType element) {
  const std::string name = hal::ElementTypeName(element);
  if (name[0] != '*' || hal::NumericalKind(element) == 0) return name;
  return absl::StrCat("i", hal::BitCount(element));
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

std::string Signature::ToString() const {
  const std::string results = ParametersText(results_);
  const bool alone = results_.size() == 1 && results_[0].name.empty();
  return absl::StrCat(function_, "(", ParametersText(arguments_), ") -> ",
                      alone ? results : absl::StrCat("(", results, ")"));
}

}  // namespace eyrie::abi
