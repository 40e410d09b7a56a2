// Judges each attack by the resources that its process used.
#include "tests/fuzz/limits/campaign.h"

#include <sys/wait.h>

#include <algorithm>
#include <cstdio>
#include <fstream>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "tests/fuzz/limits/attacks.h"
#include "tests/fuzz/limits/measured_run.h"

namespace eyrie::tests {
namespace {

constexpr double kTimeout = 0.2, kOverrun = 0.1, kWallSeconds = 30;
constexpr double kMiB = 1 << 20;
constexpr double kSentence = 4096;  // bytes for the final error message

struct Allowed {
  double cpu_seconds, memory_bytes, text_bytes;
};

Allowed AllowedFor(const Attack& attack, const Usage& usage) {
  const double file = static_cast<double>(attack.module.size());
  Allowed allowed;
  allowed.cpu_seconds = kTimeout + kOverrun + 0.1 * file / kMiB +
                        0.02 * static_cast<double>(usage.output_bytes) / kMiB;
  allowed.memory_bytes =
      1.25 * static_cast<double>(kAttackMemory) + 64 * kMiB + file;
  allowed.text_bytes = std::max(64 * file, 64 * kMiB) + kSentence;
  return allowed;
}

std::vector<std::string> CommandOf(const std::string& eyrie,
                                   const Attack& attack,
                                   const std::string& file) {
  std::vector<std::string> command = {eyrie};
  for (const std::string& word : attack.arguments) {
    command.push_back(word == "FILE" ? file : word);
  }
  if (attack.arguments[0] == "run") {
    if (attack.is_timed) {
      command.push_back(absl::StrCat("--timeout=", kTimeout * 1000, "ms"));
    }
    command.push_back(absl::StrCat("--max_memory=", kAttackMemory));
  }
  return command;
}

// Keeps the largest share and the name of its attack.
void Note(double share, const std::string& name, double& worst,
          std::string& whose) {
  if (share <= worst) return;
  worst = share;
  whose = name;
}

// Returns which limit the attack exceeded, or "".
std::string Judge(const Usage& usage, const Allowed& allowed,
                  int worst_exit_code) {
  if (WIFSIGNALED(usage.status)) {
    return absl::StrCat("ended by signal ", WTERMSIG(usage.status));
  }
  if (WEXITSTATUS(usage.status) > worst_exit_code) {
    return absl::StrCat("exit code ", WEXITSTATUS(usage.status));
  }
  const struct {
    const char* what;
    double used, allowed;
  } kLimits[] = {
      {"seconds", usage.cpu_seconds, allowed.cpu_seconds},
      {"bytes of memory", static_cast<double>(usage.memory_bytes),
       allowed.memory_bytes},
      {"bytes of text", static_cast<double>(usage.output_bytes),
       allowed.text_bytes},
  };
  for (const auto& limit : kLimits) {
    if (limit.used <= limit.allowed) continue;
    return absl::StrFormat("%.3g %s, of %.3g allowed", limit.used, limit.what,
                           limit.allowed);
  }
  return "";
}

}  // namespace

CampaignReport RunCampaign(const std::string& eyrie, const std::string& folder,
                           uint64_t first, uint64_t count, uint64_t step) {
  CampaignReport report;
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t number = first + i * step;
    const Attack attack = CreateAttack(number);
    const std::string file = absl::StrCat(folder, "/attack_", number, ".vmfb");
    std::ofstream(file, std::ios::binary)
        .write(reinterpret_cast<const char*>(attack.module.data()),
               static_cast<std::streamsize>(attack.module.size()));
    const std::vector<std::string> command = CommandOf(eyrie, attack, file);
    const Usage usage = RunMeasured(command, kWallSeconds);
    const Allowed allowed = AllowedFor(attack, usage);
    ++report.attacks;
    report.stopped += absl::StrContains(usage.last_output, "_EXCEEDED") ||
                      absl::StrContains(usage.last_output, "_EXHAUSTED");
    Note(usage.cpu_seconds / allowed.cpu_seconds, attack.name,
         report.time_share, report.slowest);
    Note(static_cast<double>(usage.memory_bytes) / allowed.memory_bytes,
         attack.name, report.memory_share, report.largest);
    Note(static_cast<double>(usage.output_bytes) / allowed.text_bytes,
         attack.name, report.text_share, report.longest);
    // The exit code 1 of diff(1) means that two files differ.
    const std::string fault =
        Judge(usage, allowed, attack.arguments[0] == "diff" ? 2 : 1);
    if (fault.empty()) {
      std::remove(file.c_str());
      continue;
    }
    report.failures.push_back(absl::StrCat(attack.name, ": ", fault, "\n  ",
                                           absl::StrJoin(command, " "), "\n  ",
                                           usage.last_output));
  }
  return report;
}

std::string Summary(const CampaignReport& report) {
  return absl::StrFormat(
      "%d attacks, %d passed a limit. Shares of what is allowed, at most:\n"
      "  time   %.2f  %s\n  memory %.2f  %s\n  text   %.2f  %s\n",
      report.attacks, report.failures.size(), report.time_share, report.slowest,
      report.memory_share, report.largest, report.text_share, report.longest);
}

}  // namespace eyrie::tests
