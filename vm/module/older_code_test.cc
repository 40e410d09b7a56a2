// Functions of bytecode 13, as bytes, and what they become.
#include "vm/module/older_code.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "gtest/gtest.h"

namespace eyrie::vm {
namespace {

std::string Packed(absl::string_view text) {
  return absl::StrReplaceAll(text, {{" ", ""}});
}

// Abseil's function for this has another form in each release.
std::string BytesOf(absl::string_view hex) {
  std::string bytes;
  for (; hex.size() >= 2; hex.remove_prefix(2)) {
    uint32_t byte = 0;
    EXPECT_TRUE(absl::SimpleHexAtoi(hex.substr(0, 2), &byte));
    bytes.push_back(static_cast<char>(byte));
  }
  return bytes;
}

// Functions with 3 i32 registers each, from hexadecimal text; "|" separates
// them.
class HexFunctions {
 public:
  explicit HexFunctions(absl::string_view text) {
    for (const absl::string_view hex : absl::StrSplit(text, '|')) {
      bytes_.push_back(BytesOf(Packed(hex)));
    }
    for (const std::string& bytes : bytes_) {
      all.push_back(
          {{reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()}, 3});
    }
  }

  std::vector<OlderFunction> all;

 private:
  std::vector<std::string> bytes_;
};

// Returns the code of the first function, its registers and features, and the
// conventions of all; or the error.
std::string Rewritten(absl::string_view text) {
  HexFunctions functions(text);
  const auto code = RewriteOlderCode(functions.all);
  if (!code.ok()) return code.status().ToString();
  const OlderCode::Function& first = (*code)->functions[0];
  std::string result = absl::StrCat(
      absl::BytesToHexString(absl::string_view(
          reinterpret_cast<const char*>((*code)->bytecode.data()), first.size)),
      " ", first.i32_registers, " ", first.requirements);
  for (const OlderCode::Function& function : (*code)->functions) {
    absl::StrAppend(&result, " ", function.convention);
  }
  return result;
}

TEST(OlderCode, Rewrites) {
  struct Case {
    const char* code;
    const char* want;
    const char* rest;
  };
  const Case kCases[] = {
      // Returns, whose lists are aligned; padding at the end.
      {"5a00 0000 00000000", "795a 0000", "3 0 0v_v"},
      {"5a00 0100 0100 0000", "795a 0100 0100", "3 0 0v_i"},
      {"5a00 0200 0080 0100", "795a 0200 0080 0100", "3 0 0v_ri"},
      // A branch.
      {"56 08000000 00 0000 5a00 0000", "7956 08000000 0000 795a 0000",
       "3 0 0v_v"},
      // global.load.i32
      {"00 00000000 0100 5a 0000", "79 00 00000000 0100 5a00 0000", "3 0 0v_v"},
      // abs.f32
      {"e010 0000 0100 5a00 0000", "79 e010 0000 0100 5a 0000", "3 1 0v_v"},
      // buffer.alloc
      {"6c 0000 0080 5a 0000", "79 0d 00000000 0400 6c 0000 0400 0080 5a 0000",
       "10 0 0v_v"},
      // buffer.fill.i8 and buffer.fill.i16
      {"71 0080 0000 0000 0100 5a 0000", "79 71 0080 0000 0000 0100 5a00 0000",
       "3 0 0v_v"},
      {"72 0080 0000 0000 0100 5a 0000",
       "79 0d 01000000 0800 3f 0000 0800 0400 3f 0000 0800 0600"
       "72 0080 0400 0600 0100 5a 0000",
       "10 0 0v_v"},
      // A call of a function, whose signature is that of its call.
      {"58 01000000 00 0200 0080 0100 0100 0200 5a00 0000 | 5a00 0100 0000",
       "79 58 01000000 0200 0080 0100 0100 0200 5a00 0000", "3 0 0v_v 0ri_i"},
  };
  for (const Case& c : kCases) {
    EXPECT_EQ(Rewritten(c.code), absl::StrCat(Packed(c.want), " ", c.rest))
        << c.code;
  }
}

TEST(OlderCode, RefusesWrongCode) {
  struct Case {
    const char* code;
    const char* want;
  };
  const Case kCases[] = {
      {"79 5a 0000",
       "UNIMPLEMENTED: Code 0x79 of the core set is not an instruction of "
       "bytecode 13. (at @0+0x0)"},
      {"5a00 0000 ff00",
       "UNIMPLEMENTED: Code 0xff of the core set is not an instruction of "
       "bytecode 13. (at @0+0x4)"},
      {"e0",
       "OUT_OF_RANGE: An instruction runs past the end of the function "
       "(1 bytes). (at @0+0x0)"},
      {"5a",
       "OUT_OF_RANGE: An instruction runs past the end of the function "
       "(1 bytes). (at @0+0x0)"},
      {"5a00 ffff 0000",
       "OUT_OF_RANGE: An instruction runs past the end of the function (6 "
       "bytes). (at @0+0x0)"},
      {"56 07000000 00 0000 5a00 0000",
       "INVALID_ARGUMENT: A branch leads to 0x7, where no block begins. (at "
       "@0+0x8)"},
  };
  for (const Case& c : kCases) EXPECT_EQ(Rewritten(c.code), c.want) << c.code;
}

TEST(OlderCode, FindsInstructions) {
  HexFunctions functions("00 00000000 0100 5a 0000");
  const auto code = RewriteOlderCode(functions.all);
  ASSERT_TRUE(code.ok());
  EXPECT_EQ((*code)->OffsetOf(0, 0), 1u);
  EXPECT_EQ((*code)->OffsetOf(0, 3), 8u);
  EXPECT_EQ((*code)->OffsetOf(0, 7), 8u);
  EXPECT_EQ((*code)->OffsetOf(0, 8), UINT32_MAX);
}

}  // namespace
}  // namespace eyrie::vm
