// Compares results with those of `diff -u`, and checks that each result turns
// the one text into the other.
#include "tools/diff/line_diff.h"

#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "gtest/gtest.h"

namespace eyrie::tools {
namespace {

constexpr int64_t kMuch = int64_t{1} << 40;

// Returns a line for each letter.
std::string Lines(absl::string_view letters) {
  std::string text;
  for (const char letter : letters) {
    absl::StrAppend(&text, std::string(1, letter), "\n");
  }
  return text;
}

std::string Diff(absl::string_view before, absl::string_view after,
                 int64_t budget = kMuch) {
  return UnifiedDiff(Lines(before), Lines(after), budget);
}

TEST(LineDiff, IsThatOfDiff) {
  const struct {
    const char* before;
    const char* after;
    const char* want;
  } kRows[] = {
      {"", "", ""},
      {"abc", "abc", ""},
      {"", "a", "@@ -0,0 +1 @@\n+a\n"},
      {"a", "", "@@ -1 +0,0 @@\n-a\n"},
      {"a", "b", "@@ -1 +1 @@\n-a\n+b\n"},
      {"abcdefgh", "abcdXfgh",
       "@@ -2,7 +2,7 @@\n b\n c\n d\n-e\n+X\n f\n g\n h\n"},
      {"abcd", "abcde", "@@ -2,3 +2,4 @@\n b\n c\n d\n+e\n"},
      // Six equal lines between two changes join them, seven do not.
      {"1abcdef2", "XabcdefY",
       "@@ -1,8 +1,8 @@\n-1\n+X\n a\n b\n c\n d\n e\n f\n-2\n+Y\n"},
      {"1abcdefg2", "XabcdefgY",
       "@@ -1,4 +1,4 @@\n-1\n+X\n a\n b\n c\n"
       "@@ -6,4 +6,4 @@\n e\n f\n g\n-2\n+Y\n"},
      {"abcabba", "cbabac",
       "@@ -1,7 +1,6 @@\n-a\n-b\n c\n+b\n a\n b\n-b\n a\n+c\n"},
  };
  for (const auto& row : kRows) {
    EXPECT_EQ(Diff(row.before, row.after), row.want)
        << row.before << " " << row.after;
  }
}

TEST(LineDiff, ReplacesTheMiddleIfWorkRunsOut) {
  EXPECT_EQ(Diff("abcde", "aXcYe", 1),
            "@@ -1,5 +1,5 @@\n a\n-b\n-c\n-d\n+X\n+c\n+Y\n e\n");
  EXPECT_EQ(Diff(std::string(3000, 'a'), std::string(3000, 'b')).size(),
            std::string("@@ -1,3000 +1,3000 @@\n").size() + 6000 * 3);
}

// Returns `before` with the hunks of a diff applied, as letters.
std::string Patch(const std::string& before, const std::string& diff) {
  std::string after;
  size_t at = 0;
  for (const absl::string_view line :
       absl::StrSplit(diff, '\n', absl::SkipEmpty())) {
    if (line[0] == '@') {
      size_t begin = std::stoul(std::string(line.substr(4)));
      if (line.find(",0 +") == line.npos && begin > 0) --begin;
      after += before.substr(at, begin - at);
      at = begin;
    } else {
      if (line[0] != '+') {
        EXPECT_EQ(before.substr(at++, 1), std::string(line.substr(1)));
      }
      if (line[0] != '-') after += line[1];
    }
  }
  return after + before.substr(at);
}

TEST(LineDiff, TurnsOneTextIntoTheOther) {
  std::minstd_rand random(7);
  for (int i = 0; i < 3000; ++i) {
    std::string texts[2];
    for (std::string& text : texts) {
      for (size_t size = random() % 30; text.size() < size;) {
        text += static_cast<char>('a' + random() % (1 + i % 5));
      }
    }
    const int64_t budget = i % 2 == 0 ? kMuch : random() % 40;
    ASSERT_EQ(Patch(texts[0], Diff(texts[0], texts[1], budget)), texts[1])
        << texts[0] << " " << Diff(texts[0], texts[1], budget);
  }
}

}  // namespace
}  // namespace eyrie::tools
