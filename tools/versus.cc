#include "tools/versus.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/json.h"
#include "base/plain_text.h"
#include "base/status_macros.h"
#include "tools/bench_table.h"
#include "tools/interrupt.h"
#include "tools/progress_line.h"
#include "tools/rival/bench_rows.h"
#include "tools/rival/capture.h"

namespace eyrie::tools {
namespace {

constexpr size_t kMaxMessage = 1000;  // bytes of a side's message

constexpr ComparedSides kSides = {"Ours", "Rival", "", "rival_"};

// Returns the last line of a message, without our own "error" prefix. Skips
// lines of upstream's backtraces, "[ 0] module:1:2 -".
std::string LastLine(absl::string_view text) {
  std::string last;
  for (const absl::string_view line :
       absl::StrSplit(text, '\n', absl::SkipWhitespace())) {
    if (!last.empty() && line.front() == '[') continue;
    last = PlainText(absl::StripPrefix(line, "eyrie: "), kMaxMessage);
  }
  return last;
}

// The two sides, and the handling of interrupts.
class Contest {
 public:
  explicit Contest(const VersusOptions& options)
      : options_(options), rival_{"sh", "-c", options.rival} {}

  absl::StatusOr<VersusResult> Run();

 private:
  struct Side {
    const char* name;
    const std::vector<std::string>& command;
  };

  absl::StatusOr<std::vector<BenchRow>> RunSide(const Side& side);
  absl::Status RunRound(int64_t round);
  void Interrupt(InterruptWatch& watch);
  std::string Table() const;
  std::string Json() const;

  const VersusOptions& options_;
  const std::vector<std::string> rival_;
  BenchRounds rounds_;
  RunControl control_;
  std::atomic<int64_t> round_ = 0;
  std::atomic<const char*> side_ = "";
};

// Only this process receives a terminal's interrupt, because the sides have
// their own groups. The first interrupt ends the running side; a second one
// kills it and ends this process immediately.
void Contest::Interrupt(InterruptWatch& watch) {
  if (control_.interrupted.exchange(true)) {
    control_.Kill();
    InterruptWatch::Exit();
  }
  watch.Rearm();
}

absl::StatusOr<std::vector<BenchRow>> Contest::RunSide(const Side& side) {
  side_ = side.name;
  ASSIGN_OR_RETURN(const Captured captured,
                   RunAndCapture(side.command, control_));
  if (control_.interrupted)
    return absl::CancelledError("The comparison was interrupted.");
  if (captured.exit_code != 0) {
    const std::string line = LastLine(captured.errors);
    return absl::AbortedError(
        absl::StrCat(side.name, " ends with exit code ", captured.exit_code,
                     line.empty() ? "." : absl::StrCat(": ", line)));
  }
  auto rows = ReadBenchRows(captured.output);
  if (rows.ok()) return rows;
  return absl::InvalidArgumentError(
      absl::StrCat(side.name, ": ", rows.status().message()));
}

absl::Status Contest::RunRound(int64_t round) {
  const std::array<Side, 2> sides = {Side{"Ours", options_.ours},
                                     Side{"The rival", rival_}};
  std::array<std::vector<BenchRow>, 2> rows;
  for (size_t turn = 0; turn < sides.size(); ++turn) {
    const size_t side = (static_cast<size_t>(round) + turn) % sides.size();
    ASSIGN_OR_RETURN(rows[side], RunSide(sides[side]));
  }
  return rounds_.Add(rows[0], rows[1]);
}

absl::StatusOr<VersusResult> Contest::Run() {
  InterruptWatch watch([this, &watch] { Interrupt(watch); });
  {
    const ProgressLine line([this] {
      return absl::StrCat("round ", round_ + 1, " of ", options_.rounds, ": ",
                          side_.load(),
                          control_.interrupted ? ", stopped" : "");
    });
    for (; round_ < options_.rounds; ++round_) {
      const absl::Status status = RunRound(round_);
      if (control_.interrupted && rounds_.size() > 0) break;
      RETURN_IF_ERROR(status);
    }
  }
  return VersusResult{options_.json ? Json() : Table(), control_.interrupted,
                      rounds_.alone()};
}

std::string Contest::Table() const {
  return absl::StrCat(
      "Rival: ", PlainText(options_.rival, kMaxMessage), "\n", rounds_.size(),
      rounds_.size() == 1 ? " round" : " rounds",
      ", ours and the rival in turn. Medians; below 1 ours is faster.\n",
      ComparisonTable(kSides, rounds_.Summarize(), options_.unit));
}

std::string Contest::Json() const {
  std::string text = "{\n  \"context\": {\n    \"rival\": ";
  AppendJsonString(PlainText(options_.rival, kMaxMessage), text);
  absl::StrAppend(&text, ",\n    \"rounds\": ", rounds_.size(), "\n  },\n",
                  ComparisonJson(kSides, rounds_.Summarize(), options_.unit),
                  "\n}\n");
  return text;
}

}  // namespace

absl::StatusOr<VersusResult> RunVersus(const VersusOptions& options) {
  return Contest(options).Run();
}

}  // namespace eyrie::tools
