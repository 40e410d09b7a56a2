// Tests base/suggest.h.
#include "base/suggest.h"

#include "gtest/gtest.h"

namespace eyrie {
namespace {

TEST(Suggest, EditDistance) {
  const struct {
    const char* a;
    const char* b;
    size_t want;
  } kRows[] = {{"", "", 0},           {"a", "", 1},
               {"", "abc", 3},        {"abc", "abc", 0},
               {"abc", "abd", 1},     {"abc", "bc", 1},
               {"inptu", "input", 2}, {"kitten", "sitting", 3}};
  for (const auto& row : kRows) {
    EXPECT_EQ(EditDistance(row.a, row.b), row.want) << row.a << " " << row.b;
  }
}

TEST(Suggest, DidYouMean) {
  const std::string names[] = {"input", "output", "function", "module"};
  const struct {
    const char* name;
    const char* want;
  } kRows[] = {{"inputs", " Did you mean 'input'?"},
               {"ouput", " Did you mean 'output'?"},
               {"functoin", " Did you mean 'function'?"},
               {"zzz", ""},
               {"", ""}};
  for (const auto& row : kRows) {
    EXPECT_EQ(DidYouMean(row.name, names), row.want) << row.name;
  }
}

}  // namespace
}  // namespace eyrie
