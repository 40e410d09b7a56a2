// Tests signatures with V0's structures, and values in them.
#include "abi/signature/structures.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "abi/call/invoker.h"
#include "abi/signature/signature_rows.h"
#include "abi/v0/sip_signature.h"
#include "abi/v0/testing/writers.h"
#include "abi/value/json_value.h"
#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "gtest/gtest.h"
#include "tests/support/json_text.h"
#include "tests/support/status_text.h"

namespace eyrie::abi {
namespace {

// Returns the signature, and the names of its raw values.
std::string ReadText(const char* convention,
                     const std::vector<vm::Attribute>& attributes) {
  const auto signature = ReadSignature(convention, attributes);
  if (!signature.ok()) return StatusText(signature);
  std::string text = SignatureText(*signature);
  if (signature->structured() == nullptr) return text;
  const Signature& flat = *signature->structured()->flat;
  text += ":";
  for (size_t i = 0; i < flat.arguments().size(); ++i) {
    absl::StrAppend(&text, " ", flat.ArgumentName(i), ";");
  }
  for (size_t i = 0; i < flat.results().size(); ++i) {
    absl::StrAppend(&text, " ", flat.ResultName(i), ";");
  }
  return text;
}

TEST(Structures, Signatures) {
  constexpr char kDeclared[] = "iree.abi.declaration";
  const struct {
    const char* convention;
    std::vector<vm::Attribute> attributes;
    const char* want;
  } kRows[] = {
      {"0v_v", {{"sip", "I1!R1!"}}, "f() -> () by sip:"},
      {"0if_i",
       {{"sipv", "1"}, {"sip", "I12!S9!k0_0k1_1R3!_0"}},
       "f(i32, f32) -> i32 by sip: argument 0; argument 1; result 0;"},
      // Types come from 'f', names from the declaration.
      {"0rr_rr",
       {{"sip", "I31!S27!k0D17!K4!bar_1K4!foo_0k1_0R17!D13!K2!x_1K2!y_0"},
        {"f", "I11!B3!d4B3!d2R7!B1!O1!"},
        {kDeclared,
         "sync func @f(%a: tensor<4xf32>, %b: tensor<2xf32>) -> (%c: "
         "tensor<f32>, %d: !util.list<i64>)"}},
       "f({bar: 2xf32, foo: 4xf32}, a: 4xf32) -> {x: list<i64>, y: f32} by "
       "sip: argument 0['foo']; argument 0['bar']; result 0['y']; result "
       "0['x'];"},
      // A dict gives the arguments by name.
      {"0ii_i",
       {{"sip", "I17!D13!K2!b_1K2!a_0R3!_0"}},
       "f(b: i32, a: i32) -> i32 by sip: argument 1 ('a'); argument 0 ('b'); "
       "result 0;"},
      // One argument, and lists with missing items.
      {"0i_ii",
       {{"sip", "I3!_0R12!S9!k1_1k3_1"},
        {kDeclared, "sync func @f(%x: i16) -> (%y: i32, %z: i32)"}},
       "f(x: i16) -> [null, i32, null, i32] by sip: argument 0 ('x'); raw "
       "result 0; result 0[1];"},
      {"0i_v",
       {{"sip", "I8!S5!k2_0R1!"}},
       "f(null, null, i32) -> () by sip: argument 2;"},
      {"0i_v",
       {{"abi", "sip"}, {"abiv", "1"}, {"sip", "I3!_0R1!"}},
       "f(i32) -> () by sip: argument 0;"},
      // A raw value at two places has one name.
      {"0i_v",
       {{"sip", "I12!S9!k0_0k1_0R1!"}, {kDeclared, "sync func @f(%x: i32)"}},
       "f(x: i32, i32) -> () by sip: argument 0 ('x');"},
      // Refused.
      {"0i_v",
       {{"sip", "I12!S9!k0_0k1_1R1!"}},
       "INVALID_ARGUMENT: The structure has raw value 1 at argument 1; the "
       "function has 1. (attribute 'sip' of function 'f')"},
      {"0ii_v",
       {{"sip", "I8!S5!k0_1R1!"}},
       "INVALID_ARGUMENT: The structure has no place for raw argument 0 of 2. "
       "(attribute 'sip' of function 'f')"},
      {"0v_v",
       {{"sip", "I1!R10!D7!K2!a_0"}},
       "INVALID_ARGUMENT: The structure has raw value 0 at result 0['a']; the "
       "function has 0. (attribute 'sip' of function 'f')"},
      {"0v_v",
       {{"sip", "I1!R4!S1"}},
       "INVALID_ARGUMENT: Byte 4 of the signature: the length 4 exceeds the 3 "
       "bytes left. (attribute 'sip' of function 'f')"},
      {"0v_v",
       {{"sip", "I1!R1!"}, {"sipv", "2"}},
       "UNIMPLEMENTED: Version '2' of the V0 convention 'sip' (attribute "
       "'sipv') is not known; version 1 is. (function 'f')"},
  };
  for (const auto& row : kRows) {
    EXPECT_EQ(ReadText(row.convention, row.attributes), row.want);
  }
}

// The size of a signature's types is limited.
TEST(Structures, TypesAreBounded) {
  v0::SipSignature indices;
  for (int64_t i = 0; i < 1000; ++i) v0::PutLeaf(indices.inputs, 0, {i});
  const std::string sip = v0::Mangle(indices);
  const struct {
    size_t name_length;
    const char* want;
  } kRows[] = {
      {100, "OK"},
      {10000,
       "INVALID_ARGUMENT: The types of the structure have more than 262144 "
       "parts, which is the limit. (attribute 'sip' of function 'f')"},
  };
  for (const auto& row : kRows) {
    const std::string declaration = absl::StrCat(
        "sync func @f(%a: !", std::string(row.name_length, 'x'), ")");
    EXPECT_EQ(
        StatusText(ReadSignature(
            "0r_v", {{"sip", sip}, {"iree.abi.declaration", declaration}})),
        row.want);
  }
}

HostValue Value(const std::string& json) {
  const auto parsed = ParseJson(json);
  EXPECT_TRUE(parsed.ok()) << json;
  return *FromJson(*parsed, JsonFiles::kRefused);
}

// Returns the raw arguments for positional and named arguments.
std::string Flat(const Signature& signature, const char* positional,
                 const char* named) {
  Invoker invoker = Invoker::WithoutFunction(nullptr, signature);
  const auto values =
      invoker.Encode(*Value(positional).items(), *Value(named).entries());
  if (!values.ok()) return StatusText(values);
  std::string text;
  for (const vm::Value& value : *values) {
    absl::StrAppend(&text, text.empty() ? "" : " ", value.i32());
  }
  return text;
}

TEST(Structures, Arguments) {
  constexpr char kList[] = "I32!S28!k0D13!K2!a_1K2!b_0k2S5!k0_2R1!";
  constexpr char kByName[] = "I26!D22!K2!x_2K2!yS9!k0_0k1_1R1!";
  constexpr char kRepeated[] = "I21!S17!k0_0k1_1k2_2k3_0R1!";
  constexpr char kInvalid[] = "INVALID_ARGUMENT: ";
  const struct {
    const char* sip;
    const char* positional;
    const char* named;
    const char* want;
    bool refused = false;
  } kRows[] = {
      {kList, R"([{"a": 1, "b": 2}, null, [3]])", "{}", "2 1 3"},
      {kList, R"([{"b": 2, "a": 1}, null, {"$tuple": [3, null]}])", "{}",
       "2 1 3"},
      {kByName, "[]", R"({"x": 1, "y": [2, 3]})", "2 3 1"},
      {kByName, "[1]", R"({"y": [2, 3]})", "2 3 1"},
      {kByName, "[1, [2, 3]]", "{}", "2 3 1"},
      {kRepeated, "[1, 2, 3, 1]", "{}", "1 2 3"},
      // Refused.
      {kList, "[1, null, [3]]", "{}",
       "Argument 0: the integer 1 is given; a dict is expected.", true},
      {kList, R"([{"a": 1}, null, [3]])", "{}",
       "Argument 0: the key 'b' is missing.", true},
      {kList, R"([{"a": 1, "b": 2, "c": null}, null, [3]])", "{}",
       "Argument 0: the key 'c' is not expected.", true},
      {kList, R"([{"a": 1, "b": 2, "a": 1}, null, [3]])", "{}",
       "Argument 0: the key 'a' is given twice.", true},
      {kList, R"([{"a": 1.5, "b": 2}, null, [3]])", "{}",
       "Argument 0['a']: the float 1.5 is given; i32 is expected.", true},
      {kList, R"([{"a": [1], "b": 2}, null, [3]])", "{}",
       "Argument 0['a']: a list of 1 is given; i32 is expected.", true},
      {kList, R"([{"a": 1, "b": 2}, 7, [3]])", "{}",
       "Argument 1: the integer 7 is given; null is expected.", true},
      {kList, R"([{"a": 1, "b": 2}, null, []])", "{}",
       "Argument 2: a list of 0 is given; a list of 1 is expected.", true},
      {kList, R"([{"a": 1, "b": 2}, null, [3, 4]])", "{}",
       "Argument 2[1]: the integer 4 is given; null is expected.", true},
      {kList, R"([{"a": 1, "b": 2}, null])", "{}",
       "Function 'f': missing argument 2: f({a: i32, b: i32}, null, [i32]) -> "
       "().",
       true},
      {kList, "[1, 2, 3, 4]", "{}",
       "Function 'f' takes 3 arguments; 4 are given: f({a: i32, b: i32}, null, "
       "[i32]) -> ().",
       true},
      {kByName, "[]", R"({"x": 1})",
       "Function 'f': missing argument 'y': f(x: i32, y: [i32, i32]) -> ().",
       true},
      {kByName, "[1]", R"({"x": 1, "y": [2, 3]})",
       "Function 'f' got multiple values for 'x'.", true},
      {kByName, "[1]", R"({"z": 1})",
       "Function 'f' got an unexpected keyword argument 'z': f(x: i32, y: "
       "[i32, i32]) -> ().",
       true},
      {kRepeated, "[1, 2, 3, 4]", "{}",
       "Argument 3: the integer 4 is given; raw argument 0 is another, the "
       "integer 1, at the path [0].",
       true},
  };
  for (const auto& row : kRows) {
    const auto signature = ReadSignature("0iii_v", {{"sip", row.sip}});
    ASSERT_TRUE(signature.ok()) << StatusText(signature);
    EXPECT_EQ(Flat(*signature, row.positional, row.named),
              absl::StrCat(row.refused ? kInvalid : "", row.want));
  }
}

// Returns raw results 0, 1, 2 … in their structure.
TEST(Structures, Results) {
  const struct {
    const char* convention;
    const char* sip;
    const char* want;
  } kRows[] = {
      {"0v_v", "I1!R1!", ""},
      {"0v_i", "I1!R1!", ""},
      {"0v_i", "I1!R3!_0", "10"},
      {"0v_i", "I1!R8!S5!k0_0", "[10]"},
      {"0v_iii", "I1!R43!D39!K2!bS14!k2_2k1D1!k0_0K2!a_1K2!cS5!k3_1",
       R"({"b": [10, {}, 12], "a": 11, "c": [null, null, null, 11]})"},
  };
  for (const auto& row : kRows) {
    const auto signature = ReadSignature(row.convention, {{"sip", row.sip}});
    ASSERT_TRUE(signature.ok()) << StatusText(signature);
    Invoker invoker = Invoker::WithoutFunction(nullptr, *signature);
    std::vector<vm::Value> raw;
    for (size_t i = 0; i < signature->result_carriers().size(); ++i) {
      raw.emplace_back(static_cast<int32_t>(10 + i));
    }
    const auto results = invoker.Decode(std::move(raw));
    ASSERT_TRUE(results.ok()) << StatusText(results);
    std::string text;
    for (const HostValue& result : *results) text += tests::JsonText(result);
    EXPECT_EQ(text, row.want);
  }
}

}  // namespace
}  // namespace eyrie::abi
