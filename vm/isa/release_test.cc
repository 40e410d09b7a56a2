// Tests the names and ranges of releases.
#include "vm/isa/release.h"

#include "gtest/gtest.h"

namespace eyrie::vm {
namespace {

TEST(Release, NamesAndNumbers) {
  const struct {
    int release;
    const char* name;
  } kRows[] = {
      {k20230209, "20230209"},
      {k20231113, "20231113"},
      {k20240724, "20240724"},
      {k20241104, "20241104"},
      {k2_9, "2.9"},
      {k3_0, "3.0"},
      {1, "3.1"},
      {kNewestRelease, "3.13"},
  };
  for (const auto& row : kRows) {
    EXPECT_EQ(ReleaseName(row.release), row.name);
    EXPECT_EQ(FindRelease(row.name), row.release);
  }
  for (const char* name : {"", "3", "3.14", "3.01", "20230210", "2.10"}) {
    EXPECT_EQ(FindRelease(name), std::nullopt) << name;
  }
}

TEST(Release, Ranges) {
  EXPECT_EQ(ReleaseRange().ToString(), "20230209 to 3.13");
  EXPECT_EQ((ReleaseRange{k2_9, 4}.And({k3_0, 9}).ToString()), "3.0 to 3.4");
  EXPECT_EQ((ReleaseRange{3, 3}.ToString()), "3.3");
  EXPECT_EQ((ReleaseRange{1, 3}.And({4, 5}).ToString()), "none");
}

}  // namespace
}  // namespace eyrie::vm
