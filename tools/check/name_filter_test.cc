// Filters the names of tests.
#include "tools/check/name_filter.h"

#include "gtest/gtest.h"

namespace eyrie::tools {
namespace {

TEST(NameFilter, Filters) {
  const struct {
    const char* filter;
    std::vector<std::string> names;
    bool takes;
  } kCases[] = {
      {"", {"m.f"}, true},
      {"*", {"m.f"}, true},
      {"m.f", {"m.f"}, true},
      {"m.g:m.f", {"m.f"}, true},
      {"m.g", {"m.f"}, false},
      {"-m.f", {"m.f"}, false},
      {"-m.f", {"m.g"}, true},
      {"m.*-m.f", {"m.f"}, false},
      {"m.*-m.f:m.h", {"m.h"}, false},
      {"m.*-m.f:m.h", {"m.g"}, true},
      {"n.*-m.f", {"m.g"}, false},
      {":", {"m.f"}, false},
      // A test may have several names; one match is enough.
      {"m.f", {"a/m.f", "m.f"}, true},
      {"a/*", {"a/m.f", "m.f"}, true},
      {"-a/*", {"a/m.f", "m.f"}, false},
      {"b/*", {"a/m.f", "m.f"}, false},
  };
  for (const auto& c : kCases) {
    EXPECT_EQ(NameFilter(c.filter).Takes(c.names), c.takes)
        << c.filter << " on " << c.names[0];
  }
}

}  // namespace
}  // namespace eyrie::tools
