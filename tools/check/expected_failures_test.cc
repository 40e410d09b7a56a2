// Parses lists of tests that are known to fail.
#include "tools/check/expected_failures.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace eyrie::tools {
namespace {

std::string Find(const ExpectedFailures& failures,
                 const std::vector<std::string>& names) {
  const ExpectedFailure* const found = failures.Find(names);
  if (found == nullptr) return "none";
  return absl::StrCat(found->place, " ", found->pattern, " '", found->reason,
                      "'");
}

TEST(ExpectedFailures, FindsTheFirstLineThatMatches) {
  const auto failures = ExpectedFailures::Parse(
      "# known\n\n"
      "m.f   divides by\x1b zero \r\n"
      "\tm.g\n"
      "*/vulkan.*\tslow\n"
      "m.*  later",
      "x.txt");
  ASSERT_TRUE(failures.ok()) << failures.status();
  EXPECT_EQ(failures->lines().size(), 4u);
  const struct {
    std::vector<std::string> names;
    const char* want;
  } kCases[] = {
      {{"m.f"}, "x.txt:3 m.f 'divides by? zero'"},
      {{"a/m.f", "m.f"}, "x.txt:3 m.f 'divides by? zero'"},
      {{"m.g"}, "x.txt:4 m.g ''"},
      {{"n/vulkan.h"}, "x.txt:5 */vulkan.* 'slow'"},
      {{"m.h"}, "x.txt:6 m.* 'later'"},
      {{"n.h"}, "none"},
  };
  for (const auto& c : kCases) EXPECT_EQ(Find(*failures, c.names), c.want);
}

TEST(ExpectedFailures, NoneIsNone) {
  EXPECT_EQ(Find({}, {"m.f"}), "none");
  const auto empty = ExpectedFailures::Parse("", "x");
  ASSERT_TRUE(empty.ok());
  EXPECT_TRUE(empty->lines().empty());
}

TEST(ExpectedFailures, RefusesWhatIsNoText) {
  const struct {
    absl::string_view text;
    const char* want;
  } kCases[] = {
      {{"\x7f"
        "ELF\2\0\0",
        7},
       "x:1: '?ELF\?\?\?'"},
      {"m.f\nm.\x1b[31m", "x:2: 'm.?[31m'"},
      {"m.\xff why", "x:1: 'm.?'"},
      {"m.\xC3\xA9", "OK"},
  };
  for (const auto& c : kCases) {
    const auto parsed = ExpectedFailures::Parse(c.text, "x");
    EXPECT_EQ(parsed.ok() ? "OK" : std::string(parsed.status().message()),
              c.want == std::string("OK")
                  ? "OK"
                  : absl::StrCat(c.want,
                                 " is not a pattern of test names; the file is "
                                 "not text."));
  }
}

}  // namespace
}  // namespace eyrie::tools
