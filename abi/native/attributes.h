// Static attributes of native functions, as text and as a tree. An import gives
// attributes, and a manifest declares them.
//
//   axis=1:i32&mode=near&dims=[1,2]:i64&opts={deep=true:pred&name=a%26b}
// Tested by attributes_test.cc, tests/fuzz/native_fuzz.cc.
#ifndef EYRIE_ABI_NATIVE_ATTRIBUTES_H_
#define EYRIE_ABI_NATIVE_ATTRIBUTES_H_

#include <cstdint>
#include <map>
#include <string>

#include "abi/native/ffi_types.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace eyrie::native {

struct Attribute;
// Sorted by the bytes of the names, the order that handlers require.
using Attributes = std::map<std::string, Attribute>;

struct Attribute {
  enum class Kind : uint8_t { kScalar, kArray, kString, kDictionary, kSymbol };

  Kind kind = Kind::kString;
  FfiType type = FfiType::kNone;  // of a scalar or an array's elements
  std::string bytes;              // values, text, or the symbol's name
  Attributes members;             // of a dictionary
  // For declared attributes only. If !is_given, the import must give a value.
  // If is_open, a dictionary may have members that are not declared.
  bool is_given = true;
  bool is_open = false;

  friend bool operator==(const Attribute&, const Attribute&) = default;
};

// Parses attributes:
//
//   attributes := pair ('&' pair)*
//   pair       := name '=' value
//   value      := text                      a string; %HH is a byte
//               | number ':' type           a scalar
//               | '[' numbers ']' ':' type  an array
//               | '{' [attributes] '}'      a dictionary, or a struct
//               | '@' symbol ':ptr'         an address in the library, as i64
//
// A number of a complex type is (real,imaginary); enums are integers.
// INVALID_ARGUMENT: the text does not match the grammar, repeats a name, has a
// number that its type cannot hold, or nests dictionaries deeper than 16; the
// message gives the byte.
absl::StatusOr<Attributes> ParseAttributes(absl::string_view text);

// Parses a manifest's declarations as one dictionary. A pair is a default, or
// one of:
//
//   name ':' type             a required scalar, "string" or "ptr"
//   name ':' '[' type ']'     a required array of them
//   '*'                       the import may give others
//
// Returns the same errors as ParseAttributes. An empty text declares none.
absl::StatusOr<Attribute> ParseDeclaredAttributes(absl::string_view text);

// Returns the attributes that a function receives: the defaults, replaced by
// those that the import gives. Strings become numbers if they are declared as
// numbers. INVALID_ARGUMENT: an attribute has the wrong kind or type, is not
// declared, or is missing; the message names the function.
absl::StatusOr<Attributes> MergeAttributes(absl::string_view function,
                                           const Attribute& declared,
                                           Attributes given);

// Return a text that ParseAttributes or ParseDeclaredAttributes reads back to
// the same attributes.
std::string AttributesText(const Attributes& attributes);
std::string DeclaredText(const Attribute& declared);

}  // namespace eyrie::native

#endif  // EYRIE_ABI_NATIVE_ATTRIBUTES_H_
