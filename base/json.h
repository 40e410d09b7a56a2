// Parses JSON text to a tree of values with their offsets, and prints JSON.
//
// The tree keeps the order of members, and duplicates, so that a caller can
// reject them. Integers keep all 64 bits.
// Tested by json_test.cc, abi/call/testing/json_fuzz.cc.
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
  size_t offset = 0;  // of a scalar's last byte; a list's or object's first
  union {
    int64_t integer = 0;
    uint64_t natural;
    double number;
  };
  std::string text;
  std::vector<Json> items;        // of arrays, and the values of objects
  std::vector<std::string> keys;  // of objects: keys[i] names items[i]

  bool is(Kind other) const { return kind == other; }
  // Returns the first member with this name, or null.
  const Json* Find(absl::string_view key) const;
  // Returns a phrase for messages: "a string", "the number 7", "an object".
  std::string Describe() const;
};

// INVALID_ARGUMENT: the text is not JSON, or is nested deeper than
// Json::kMaxDepth; the message has the byte offset. RESOURCE_EXHAUSTED: there
// is not enough memory for the values.
absl::StatusOr<Json> ParseJson(absl::string_view text);

// Appends text in quotes, escaped so that it is valid JSON and safe to print on
// a terminal. The text must be UTF-8.
void AppendJsonString(absl::string_view text, std::string& out);
// Appends the escaped text as AppendJsonString does, but without quotes.
void AppendJsonText(absl::string_view text, std::string& out);

// Appends a finite number with few digits, which read back as the same float or
// double. A whole number gets ".0" or an exponent, so that readers see a float.
void AppendJsonFloat(float number, std::string& out);
void AppendJsonFloat(double number, std::string& out);

// Reports whether the bytes are well-formed UTF-8.
bool IsUtf8(absl::string_view bytes);

}  // namespace eyrie

#endif  // EYRIE_BASE_JSON_H_
