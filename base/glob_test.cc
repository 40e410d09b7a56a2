// Compares names with patterns.
#include "base/glob.h"

#include <string>

#include "gtest/gtest.h"

namespace eyrie {
namespace {

TEST(Glob, Patterns) {
  const struct {
    const char* pattern;
    const char* name;
    bool matches;
  } kCases[] = {
      {"", "", true},
      {"", "a", false},
      {"a", "a", true},
      {"a", "ab", false},
      {"*", "", true},
      {"*", "m.f", true},
      {"m.*", "m.f", true},
      {"m.*", "n.f", false},
      {"*.f", "m.f", true},
      {"*.f", "m.ff", false},
      {"?.f", "m.f", true},
      {"?.f", ".f", false},
      {"*a*b*", "xaxxbx", true},
      {"*a*b*", "xbxxax", false},
      {"a**", "a", true},
      {"**a?*", "bab", true},
      {"*aab", "aaaaab", true},
      {"m.f", "m?f", false},
  };
  for (const auto& c : kCases) {
    EXPECT_EQ(MatchesPattern(c.name, c.pattern), c.matches)
        << c.pattern << " on " << c.name;
  }
}

TEST(Glob, TakesNoTimeBeyondAProduct) {
  const std::string name(10000, 'a');
  std::string pattern;
  for (int i = 0; i < 1000; ++i) pattern += "a*";
  EXPECT_FALSE(MatchesPattern(name, pattern + "b"));
}

}  // namespace
}  // namespace eyrie
