// JSON text: values, offsets, and errors with their offsets.
#include "base/json.h"

#include <cstdlib>
#include <cstring>
#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/support/status_text.h"

namespace eyrie {
namespace {

// Returns the tree in one line, each value with its offset: "[1@1]@0".
std::string Show(const Json& json) {
  std::string text;
  switch (json.kind) {
    case Json::Kind::kNull:
      text = "null";
      break;
    case Json::Kind::kBool:
      text = json.boolean ? "true" : "false";
      break;
    case Json::Kind::kInt:
      text = absl::StrCat(json.integer);
      break;
    case Json::Kind::kUint:
      text = absl::StrCat(json.natural, "u");
      break;
    case Json::Kind::kFloat:
      text = absl::StrCat(json.number, "f");
      break;
    case Json::Kind::kString:
      AppendJsonString(json.text, text);
      break;
    default:
      for (size_t i = 0; i < json.items.size(); ++i) {
        absl::StrAppend(&text, i ? "," : "",
                        json.keys.empty() ? "" : json.keys[i] + ":",
                        Show(json.items[i]));
      }
      text = json.is(Json::Kind::kArray) ? absl::StrCat("[", text, "]")
                                         : absl::StrCat("{", text, "}");
  }
  return absl::StrCat(text, "@", json.offset);
}

TEST(Json, TreesAndErrors) {
  const struct {
    const char* text;
    const char* want;
  } kRows[] = {
      {"null", "null@3"},
      {" true ", "true@4"},
      {"[1, -2]", "[1@1,-2@5]@0"},
      {"[9223372036854775807]", "[9223372036854775807@19]@0"},
      {"[9223372036854775808]", "[9223372036854775808u@19]@0"},
      {"[-9223372036854775808]", "[-9223372036854775808@20]@0"},
      {"[1.5,1e3]", "[1.5f@3,1000f@7]@0"},
      {"\"\\u009b\\u202e\"", "\"\\u009b\\u202e\"@13"},
      {"\"a\\u00e9\\n\"", "\"a\xC3\xA9\\n\"@10"},
      // Keeps the order of the text, and duplicates.
      {R"({"b":1,"a":{"b":[]},"b":2})", "{b:1@5,a:{b:[]@16}@11,b:2@24}@0"},
      {"", "INVALID_ARGUMENT: The JSON text is malformed at byte 0."},
      {"[1,",
       "INVALID_ARGUMENT: The JSON text is malformed at byte 3, after "
       "'1,'."},
      {"[1 2]",
       "INVALID_ARGUMENT: The JSON text is malformed at byte 3, after '2'."},
      {"[1]]",
       "INVALID_ARGUMENT: The JSON text is malformed at byte 3, after '1]]'."},
      {"{a:1}",
       "INVALID_ARGUMENT: The JSON text is malformed at byte 1, after '{a'."},
      {"[1e999]",
       "INVALID_ARGUMENT: The number 1e999 at byte 5 is out of range for "
       "f64."},
      {"{\"a\":-1E400}",
       "INVALID_ARGUMENT: The number -1E400 at byte 10 is out of range for "
       "f64."},
      {"\"\x80\"",
       "INVALID_ARGUMENT: The JSON text is malformed at byte 1, after "
       "'\"?'."},
  };
  for (const auto& row : kRows) {
    const auto json = ParseJson(row.text);
    EXPECT_EQ(json.ok() ? Show(*json) : StatusText(json), row.want) << row.text;
  }
}

TEST(Json, FloatsReadBack) {
  struct Row {
    double number;
    const char* as_double;
    const char* as_float;
  };
  for (const Row& row : {
           Row{0.0, "0.0", "0.0"},
           Row{-0.0, "-0.0", "-0.0"},
           Row{1, "1.0", "1.0"},
           Row{-2.5, "-2.5", "-2.5"},
           Row{0.1, "0.1", "0.1"},
           Row{0.1f, "0.10000000149011612", "0.1"},
           Row{1e-5, "1e-05", "1e-05"},
           Row{999999, "999999.0", "999999.0"},
           Row{1e6, "1000000.0", "1e+06"},
           Row{16777216, "16777216.0", "1.6777216e+07"},
           Row{1e15, "1e+15", "1e+15"},
           Row{1.40129846432481707e-45, "1.401298464324817e-45", "1e-45"},
           Row{3.4028234663852886e38, "3.4028234663852886e+38",
               "3.4028235e+38"},
           Row{5e-324, "5e-324", "0.0"},
           Row{1.7976931348623157e308, "1.7976931348623157e+308", nullptr},
       }) {
    std::string text;
    AppendJsonFloat(row.number, text);
    EXPECT_EQ(text, row.as_double);
    const double read = std::strtod(text.c_str(), nullptr);
    EXPECT_EQ(std::memcmp(&read, &row.number, sizeof(read)), 0) << text;
    if (row.as_float == nullptr) continue;
    const auto number = static_cast<float>(row.number);
    text.clear();
    AppendJsonFloat(number, text);
    EXPECT_EQ(text, row.as_float);
    const float float_read = std::strtof(text.c_str(), nullptr);
    EXPECT_EQ(std::memcmp(&float_read, &number, sizeof(number)), 0) << text;
  }
}

TEST(Json, DepthIsLimited) {
  const std::string open(Json::kMaxDepth, '['), close(Json::kMaxDepth, ']');
  EXPECT_EQ(StatusText(ParseJson(open + close)), "OK");
  EXPECT_EQ(StatusText(ParseJson("[" + open + close + "]")),
            "INVALID_ARGUMENT: The JSON text is nested 129 deep at byte 128; "
            "the limit is 128.");
}

TEST(Json, Utf8) {
  const struct {
    const char* bytes;
    bool want;
  } kRows[] = {
      {"", true},
      {"plain", true},
      {"\xC3\xA9", true},
      {"\xE2\x82\xAC", true},
      {"\xF0\x9F\x98\x80", true},
      {"\xF4\x8F\xBF\xBF", true},
      {"\x80", false},              // only a continuation byte
      {"\xC3", false},              // incomplete
      {"\xC0\x80", false},          // overlong
      {"\xE0\x80\x80", false},      // overlong
      {"\xED\xA0\x80", false},      // a surrogate
      {"\xF4\x90\x80\x80", false},  // beyond Unicode
      {"\xFF", false},
  };
  for (const auto& row : kRows) {
    EXPECT_EQ(IsUtf8(row.bytes), row.want) << row.bytes;
  }
}

}  // namespace
}  // namespace eyrie
