// Static attributes of native functions, as text and as a tree: those that an
// import gives, and those that a manifest declares.
//
//   axis=1:i32&mode=near&dims=[1,2]:i64&opts={deep=true:pred&name=a%26b}
// Tested by attributes_test.cc, native_fuzz.cc.
#ifndef EYRIE_ABI_NATIVE_ATTRIBUTES_H_
#define EYRIE_ABI_NATIVE_ATTRIBUTES_H_

#include <cstdint>
#include <map>
#include <string>

#include "abi/native/xla/types.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace eyrie::native {

struct Attribute;
// In the order that handlers ask for: by the bytes of the names.
using Attributes = std::map<std::string, Attribute>;

struct Attribute {
  enum class Kind : uint8_t { kScalar, kArray, kString, kDictionary, kSymbol };

  Kind kind = Kind::kString;
  FfiType type = FfiType::kNone;  // of a scalar or an array's elements
  std::string bytes;              // values, or text, or the symbol's name
  Attributes members;             // of a dictionary
  // Of declared ones alone: false, the import is to give it; of a dictionary,
  // true, it may have members that are not declared.
  bool is_given = true;
  bool is_open = false;

  friend bool operator==(const Attribute&, const Attribute&) = default;
};

//   attributes := pair ('&' pair)*
//   pair       := name '=' value
//   value      := text                      a string; %HH is a byte
//               | number ':' type           a scalar
//               | '[' numbers ']' ':' type  an array
//               | '{' [attributes] '}'      a dictionary, or a struct
//               | '@' symbol ':ptr'         an address in the library, as i64
// A number of a complex type is (real,imaginary); enums are integers.
// INVALID_ARGUMENT: not this grammar, a name twice, a number that its type does
// not hold, dictionaries deeper than 16; the sentence gives the place.
absl::StatusOr<Attributes> ParseAttributes(absl::string_view text);

// Attributes as a manifest declares them, as one dictionary. A pair is a
// default, or one of
//   name ':' type             a scalar that the import is to give; or "string",
//                             "ptr"
//   name ':' '[' type ']'     an array, the same
//   '*'                       the import may give others
// Fails as ParseAttributes; an empty text declares none.
absl::StatusOr<Attribute> ParseDeclaredAttributes(absl::string_view text);

// What a function gets: the defaults, and over them what the import gives.
// Strings that are declared as numbers become numbers. INVALID_ARGUMENT: an
// attribute of another kind or type than is declared, one that is not declared,
// or one that lacks; the sentence names the function.
absl::StatusOr<Attributes> MergeAttributes(absl::string_view function,
                                           const Attribute& declared,
                                           Attributes given);

// A text that gives the same attributes again, by the function that has read
// them.
std::string AttributesText(const Attributes& attributes);
std::string DeclaredText(const Attribute& declared);

}  // namespace eyrie::native

#endif  // EYRIE_ABI_NATIVE_ATTRIBUTES_H_
