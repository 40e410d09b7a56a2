// Runs some attacks. None may exceed its limits.
#include <cstdio>
#include <cstdlib>

#include "gtest/gtest.h"
#include "tests/fuzz/limits/campaign.h"
#include "tests/support/campaign_size.h"

namespace eyrie::tests {
namespace {

TEST(LimitsCampaign, AttacksKeepLimits) {
  const uint64_t attacks = CampaignSize(100, 300, 300);
  const CampaignReport report = RunCampaign(
      "tools/eyrie", std::getenv("TEST_TMPDIR"), /*first=*/0, attacks);
  for (const std::string& failure : report.failures) ADD_FAILURE() << failure;
  std::printf("%s", Summary(report).c_str());
  EXPECT_EQ(report.attacks, attacks);
  // Attacks that reach no limit would prove nothing.
  EXPECT_GT(report.stopped, attacks / 4);
}

}  // namespace
}  // namespace eyrie::tests
