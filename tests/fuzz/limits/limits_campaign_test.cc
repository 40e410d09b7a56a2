// Runs a few hundred attacks. None may exceed its limits.
#include <cstdio>
#include <cstdlib>

#include "gtest/gtest.h"
#include "tests/fuzz/limits/campaign.h"

namespace eyrie::tests {
namespace {

constexpr uint64_t kAttacks = 300;

TEST(LimitsCampaign, AttacksKeepLimits) {
  const CampaignReport report = RunCampaign(
      "tools/eyrie", std::getenv("TEST_TMPDIR"), /*first=*/0, kAttacks);
  for (const std::string& failure : report.failures) ADD_FAILURE() << failure;
  std::printf("%s", Summary(report).c_str());
  EXPECT_EQ(report.attacks, kAttacks);
  // Attacks that reach no limit would prove nothing.
  EXPECT_GT(report.stopped, kAttacks / 4);
}

}  // namespace
}  // namespace eyrie::tests
