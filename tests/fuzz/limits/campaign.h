// Runs attacks with `eyrie` under limits and says which of them passed one.
//
// What must hold for each: no signal; processor time of at most the timeout
// and 100 ms; memory of at most 1.25 times --max_memory, 64 MiB and the file,
// whose pages are mapped; text of at most 64 times the file or 64 MiB, and a
// sentence. Processor time stands for time, so that a busy machine fails no
// attack; one that sleeps past 30 s fails, too. Reading a file costs 0.1 s and
// writing text 0.02 s a MiB more.
#ifndef EYRIE_TESTS_FUZZ_LIMITS_CAMPAIGN_H_
#define EYRIE_TESTS_FUZZ_LIMITS_CAMPAIGN_H_

#include <cstdint>
#include <string>
#include <vector>

namespace eyrie::tests {

struct CampaignReport {
  uint64_t attacks = 0;
  uint64_t stopped = 0;  // by a limit of time, fuel, memory or text
  std::vector<std::string> failures;  // one text per attack that passed a limit
  // The worst of all attacks, as shares of what is allowed, with their names.
  double time_share = 0, memory_share = 0, text_share = 0;
  std::string slowest, largest, longest;
};

// Runs `count` attacks: number `first`, `first + step`, …. `eyrie` is the
// program, `folder` a place for the modules, where those that failed stay.
CampaignReport RunCampaign(const std::string& eyrie, const std::string& folder,
                           uint64_t first, uint64_t count, uint64_t step = 1);

// The figures as lines of text.
std::string Summary(const CampaignReport& report);

}  // namespace eyrie::tests

#endif  // EYRIE_TESTS_FUZZ_LIMITS_CAMPAIGN_H_
