// JSON text as a tree that knows where each value stands.
//
// Unlike a map it keeps members in order and duplicates, so that a caller can
// refuse them; integers keep all 64 bits. Text that is no JSON, or nested
// deeper than kMaxDepth, is INVALID_ARGUMENT with the byte.
// Tested by json_test.cc, abi/json_fuzz.cc.
#ifndef EYRIE_BASE_JSON_H_
#define EYRIE_BASE_JSON_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace eyrie {

struct Json {
  enum class Kind : uint8_t {
    kNull,
    kBool,
    kInt,
    kUint,  // above the greatest int64
    kFloat,
    kString,
    kArray,
    kObject,
  };
  static constexpr size_t kMaxDepth = 128;

  Kind kind = Kind::kNull;
  bool boolean = false;
  size_t offset = 0;  // of the last byte of a scalar, the first of a list
  union {
    int64_t integer = 0;
    uint64_t natural;
    double number;
  };
  std::string text;
  std::vector<Json> items;        // of arrays, and the values of objects
  std::vector<std::string> keys;  // of objects, as many as items

  bool is(Kind other) const { return kind == other; }
  // The first member with this name, or null.
  const Json* Find(absl::string_view key) const;
  // "a string", "the number 7", "an object".
  std::string Describe() const;
};

// RESOURCE_EXHAUSTED: there is no memory for so many values.
absl::StatusOr<Json> ParseJson(absl::string_view text);

// Appends text between quotes, escaped as JSON and a terminal ask. The text is
// UTF-8.
void AppendJsonString(absl::string_view text, std::string& out);
// The same without the quotes.
void AppendJsonText(absl::string_view text, std::string& out);

// Appends a finite number by few digits that read back as the same float or
// double, and ".0" or an exponent where it is whole: to who reads it, it stays
// a float.
void AppendJsonFloat(float number, std::string& out);
void AppendJsonFloat(double number, std::string& out);

// True if the bytes are well-formed UTF-8.
bool IsUtf8(absl::string_view bytes);

}  // namespace eyrie

#endif  // EYRIE_BASE_JSON_H_
