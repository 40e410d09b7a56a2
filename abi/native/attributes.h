// Static attributes of native functions, as text and as a tree.
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

// A text that gives the same attributes again.
std::string AttributesText(const Attributes& attributes);

}  // namespace eyrie::native

#endif  // EYRIE_ABI_NATIVE_ATTRIBUTES_H_
