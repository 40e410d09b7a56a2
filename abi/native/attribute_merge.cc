// Checks the attributes that an import gives against the manifest's
// declarations.
//
// Handlers need not check their attributes, and may crash if a string is given
// for a number. Tested by attributes_test.cc, tests/fuzz/native_fuzz.cc.
#include <string>
#include <utility>
#include <vector>

#include "abi/native/attributes.h"
#include "abi/native/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/plain_text.h"
#include "base/status_macros.h"
#include "base/suggest.h"

namespace eyrie::native {
namespace {

using Kind = Attribute::Kind;

std::string KindText(const Attribute& attribute) {
  switch (attribute.kind) {
    case Kind::kScalar:
      return InfoOf(attribute.type).name;
    case Kind::kArray:
      return absl::StrCat("an array of ", InfoOf(attribute.type).name);
    case Kind::kString:
      return "a string";
    case Kind::kDictionary:
      return "a dictionary";
    case Kind::kSymbol:
      return "an address (@symbol:ptr)";
  }
  return "";
}

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
  if (declared.kind == Kind::kDictionary && given.kind == Kind::kDictionary) {
    Merger inner(function_);
    inner.within_ = absl::StrCat(within_, name, ".");
    ASSIGN_OR_RETURN(merged.members,
                     inner.Merge(declared, std::move(given.members)));
    return absl::OkStatus();
  }
  const std::string expected = absl::StrCat(
      "The attribute ", Named(name), " is declared as ", KindText(declared));
  if (declared.kind == Kind::kScalar && given.kind == Kind::kString) {
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
    if (value.kind == Kind::kDictionary && given.find(name) == given.end()) {
      Attribute defaults;
      defaults.kind = Kind::kDictionary;
      RETURN_IF_ERROR(Take(name, value, std::move(defaults), value));
      value.is_open = false;
    }
  }
  return merged;
}

}  // namespace

absl::StatusOr<Attributes> MergeAttributes(absl::string_view function,
                                           const Attribute& declared,
                                           Attributes given) {
  return Merger(function).Merge(declared, std::move(given));
}

}  // namespace eyrie::native
