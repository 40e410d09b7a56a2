// Tests plug-ins that are missing, invalid or of another version.
#include "hal/collectives/plugin.h"

#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/support/status_text.h"

namespace eyrie::hal {
namespace {

std::string Open(absl::string_view name) {
  return StatusText(OpenCollectivesPlugin(name));
}

TEST(Plugin, SaysWhatIsWrong) {
  const std::string folder = "hal/collectives/";
  const struct {
    const char* name;
    const char* want;
  } kCases[] = {
      {"libabsent.so",
       "NOT_FOUND: There is no collectives plug-in "
       "'hal/collectives/libabsent.so'."},
      {"libfake_none.so",
       "INVALID_ARGUMENT: The library 'hal/collectives/libfake_none.so' is not "
       "a collectives plug-in: it does not export eyrie_collectives_plugin."},
      {"libfake_version.so",
       "INVALID_ARGUMENT: The collectives plug-in "
       "'hal/collectives/libfake_version.so' has version 42; this program "
       "needs 1."},
      {"libfake_closed.so",
       "UNAVAILABLE: The collectives plug-in 'fake' fails to open: the door is "
       "shut"},
      {"libfake_rank.so",
       "INVALID_ARGUMENT: The collectives plug-in 'fake' reports rank 7 of 4; "
       "expected 1 to 65535 ranks."},
      {"libfake_alone.so", "OK"},
  };
  for (const auto& c : kCases) {
    EXPECT_EQ(Open(absl::StrCat(folder, c.name)), c.want);
  }
  EXPECT_TRUE(absl::StartsWith(
      Open("absent"), "NOT_FOUND: There is no plug-in 'absent': neither /"));
}

TEST(Plugin, IsCalled) {
  const auto provider =
      OpenCollectivesPlugin("hal/collectives/libfake_alone.so");
  ASSERT_TRUE(provider.ok()) << provider.status();
  const auto channel = (*provider)->Create({}, [] { return absl::OkStatus(); });
  ASSERT_TRUE(channel.ok()) << channel.status();
  EXPECT_EQ((*channel)->count(), 1);
  EXPECT_EQ(StatusText((*provider)->Close()),
            "UNAVAILABLE: The collectives plug-in 'fake' fails to close: it "
            "stays open");
}

}  // namespace
}  // namespace eyrie::hal
