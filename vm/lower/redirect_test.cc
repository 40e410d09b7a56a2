// Which moves at a loop's end are omitted: for the body of a loop and the
// registers used after it, the expected redirects.
#include "vm/lower/redirect.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/support/module_builder.h"
#include "vm/lower/code_walk.h"

namespace eyrie::vm {
namespace {

constexpr uint32_t kRegisters = 16;

// Returns "xor.i32 i4>i1" for each redirect; pairs are those of i64
// instructions.
std::string Redirects(const std::string& text) {
  const auto code = tests::AssembleCode(text);
  EXPECT_TRUE(code.ok()) << code.status().message();
  if (!code.ok()) return "";
  std::string found;
  for (const Redirect& redirect : FindRedirects(*code, kRegisters)) {
    uint32_t pc = redirect.made;
    absl::StrAppend(&found, found.empty() ? "" : ", ",
                    ReadOp(code->data(), pc).text, " i", redirect.from, ">i",
                    redirect.to, redirect.wide ? " wide" : "");
  }
  return found;
}

struct RedirectRow {
  const char* what;
  const char* body;
  const char* needed;  // registers used after the loop
  const char* want;
};

const RedirectRow kRedirectRows[] = {
    {"made where it is moved", "add.i32 i1 i0 i4 br ^head [i4>i1]", "i1",
     "add.i32 i4>i1"},
    {"made twice", "add.i32 i1 i0 i4 xor.i32 i4 i0 i4 br ^head [i4>i1]", "i1",
     "xor.i32 i4>i1"},
    {"read on the way", "add.i32 i1 i0 i4 mul.i32 i4 i4 i5 br ^head [i4>i1]",
     "i1", "add.i32 i4>i1"},
    {"two", "add.i32 i1 i0 i4 add.i32 i2 i0 i5 br ^head [i4>i1 i5>i2]", "i1",
     "add.i32 i4>i1, add.i32 i5>i2"},
    {"a pair", "add.i64 i2 i2 i6 br ^head [i6>i2 i7>i3]", "i2",
     "add.i64 i6>i2 wide"},
    {"a float", "const.f32 1.5 i4 br ^head [i4>i1]", "i1", "const.f32 i4>i1"},
    {"a branch forwards in a loop",
     "cond_br i0 ^a [] ^b [] a: add.i32 i1 i0 i4 br ^join [i4>i5] "
     "b: br ^join [i1>i5] join: br ^head [i5>i1]",
     "i1", "add.i32 i4>i5"},
    {"a call that touches neither",
     "add.i32 i1 i0 i4 call 0 [i8] [i10] br ^head [i4>i1]", "i1",
     "add.i32 i4>i1"},

    {"needed where it is", "add.i32 i1 i0 i4 br ^head [i4>i1]", "i4", ""},
    {"made elsewhere", "br ^head [i4>i1]", "i1", ""},
    {"made by a call", "call 0 [i0] [i4] br ^head [i4>i1]", "i1", ""},
    {"the target is read after",
     "add.i32 i1 i0 i4 sub.i32 i1 i0 i0 br ^head [i4>i1]", "i1", ""},
    {"the target is written after",
     "add.i32 i1 i0 i4 const.i32.zero i1 br ^head [i4>i1]", "i1", ""},
    {"the target goes to a call",
     "add.i32 i1 i0 i4 call 0 [i1] [i8] br ^head [i4>i1]", "i1", ""},
    {"it goes to a call", "add.i32 i1 i0 i4 call 0 [i4] [i8] br ^head [i4>i1]",
     "i1", ""},
    {"half of the target is read after",
     "add.i64 i2 i2 i6 add.i32 i3 i3 i8 br ^head [i6>i2 i7>i3]", "i2", ""},
    {"half of it is read",
     "add.i64 i2 i2 i6 add.i32 i7 i7 i8 br ^head [i6>i2 i7>i3]", "i2", ""},
    {"half of it is moved", "add.i64 i2 i2 i6 br ^head [i6>i2]", "i2", ""},
    {"a pair made of halves",
     "const.i32.zero i6 const.i32.zero i7 br ^head [i6>i2 i7>i3]", "i2", ""},
    {"moved twice", "add.i32 i1 i0 i4 br ^head [i4>i1 i4>i2]", "i1", ""},
    {"moved on", "add.i32 i1 i0 i4 br ^head [i1>i2 i4>i1]", "i1", ""},
    {"swapped",
     "add.i32 i1 i0 i4 add.i32 i1 i0 i5 br ^head [i4>i6 i5>i4 i6>i5]", "i1",
     ""},
    {"a ref", "const.ref.zero r1 br ^head [r1>r0]", "i1", ""},
    {"the other arm needs it",
     "add.i32 i1 i0 i4 cond_br i0 ^head [i4>i1] ^out []", "i4", ""},
};

TEST(RedirectTest, Loops) {
  for (const RedirectRow& row : kRedirectRows) {
    SCOPED_TRACE(row.what);
    EXPECT_EQ(
        Redirects(absl::StrCat("entry: br ^head [] head: cmp.nz.i32 i0 i9 "
                               "cond_br i9 ^body [] ^out [] body: ",
                               row.body, " out: return [", row.needed, "]")),
        row.want);
  }
}

// Two thousand consecutive loops with many registers: the search finds nothing,
// and ends soon.
TEST(RedirectTest, LeavesLargeFunctionsAlone) {
  std::string text = "entry: br ^l0 [] ";
  for (int i = 0; i < 2000; ++i) {
    absl::StrAppend(&text, "l", i, ": add.i32 i1 i0 i4 br ^l", i, " [i4>i1] ");
  }
  const auto code = tests::AssembleCode(text);
  ASSERT_TRUE(code.ok()) << code.status().message();
  EXPECT_EQ(FindRedirects(*code, kMaxI32Registers).size(), 0u);
  EXPECT_EQ(FindRedirects(*code, kRegisters).size(), 2000u);
}

}  // namespace
}  // namespace eyrie::vm
