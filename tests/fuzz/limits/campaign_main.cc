// Runs a campaign: run_campaign EYRIE FOLDER FIRST COUNT [STEP].
//
// Attacks FIRST, FIRST + STEP, …. A step of 6 runs one kind of attack only.
#include <cstdio>

#include "absl/strings/numbers.h"
#include "absl/strings/string_view.h"
#include "tests/fuzz/limits/campaign.h"

int main(int argc, char** argv) {
  uint64_t first = 0, count = 0, step = 1;
  if (argc < 5 || argc > 6 || !absl::SimpleAtoi(argv[3], &first) ||
      !absl::SimpleAtoi(argv[4], &count) ||
      (argc == 6 && !absl::SimpleAtoi(argv[5], &step))) {
    std::fprintf(stderr, "usage: %s EYRIE FOLDER FIRST COUNT [STEP]\n",
                 argv[0]);
    return 2;
  }
  const eyrie::tests::CampaignReport report =
      eyrie::tests::RunCampaign(argv[1], argv[2], first, count, step);
  for (const std::string& failure : report.failures) {
    std::printf("%s\n", failure.c_str());
  }
  std::printf("%s", eyrie::tests::Summary(report).c_str());
  return report.failures.empty() ? 0 : 1;
}
