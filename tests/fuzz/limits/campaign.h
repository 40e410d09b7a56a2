// Runs attacks with `eyrie` under limits, and reports which exceeded one.
//
// An attack must end without a signal and within: processor time of the timeout
// plus 100 ms; memory of 1.25 times --max_memory plus 64 MiB and the mapped
// file; output of 64 times the file or 64 MiB, whichever is more, plus an
// error. Processor time is measured, so that a busy machine fails no attack; a
// process that lives for 30 s fails, too. Reading a file adds 0.1 s, and
// writing text 0.02 s, per MiB.
#ifndef EYRIE_TESTS_FUZZ_LIMITS_CAMPAIGN_H_
#define EYRIE_TESTS_FUZZ_LIMITS_CAMPAIGN_H_

#include <cstdint>
#include <string>
#include <vector>

namespace eyrie::tests {

struct CampaignReport {
  uint64_t attacks = 0;
  uint64_t stopped = 0;  // by a limit of time, fuel, memory or text
  std::vector<std::string> failures;  // one text per attack over a limit
  // The highest shares of the limits, and the names of their attacks.
  double time_share = 0, memory_share = 0, text_share = 0;
  std::string slowest, largest, longest;
};

// Runs `count` attacks: `first`, `first + step`, …. `eyrie` is the program.
// Modules are written to `folder`; those that failed are kept.
CampaignReport RunCampaign(const std::string& eyrie, const std::string& folder,
                           uint64_t first, uint64_t count, uint64_t step = 1);

// Returns the figures as lines of text.
std::string Summary(const CampaignReport& report);

}  // namespace eyrie::tests

#endif  // EYRIE_TESTS_FUZZ_LIMITS_CAMPAIGN_H_
