// Runs many small trials in child processes. A trial that crashes or hangs is
// reported and does not stop the others.
//
//   Sweep sweep(trials.size(), [&](size_t i) { return Try(trials[i]); });
//   for (const Mishap& mishap : sweep.Run()) ...
//
//   Sweep sweep(trials.size(), [&](size_t i) { return Try(trials[i]); });
//   for (const Mishap& mishap : sweep.Run()) ...
#ifndef EYRIE_TESTS_BAD_INPUT_SWEEP_H_
#define EYRIE_TESTS_BAD_INPUT_SWEEP_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace eyrie::tests {

// A trial that failed.
struct Mishap {
  enum class Kind { kCrash, kEndless, kWrong };
  Kind kind;
  size_t trial;
  int stage;         // last stage passed to SetStage
  std::string text;  // "signal 11", "exit status 1", or the trial's words
};

// For single-threaded processes only, because it forks.
class Sweep {
 public:
  // Reports a trial's progress. Called in the child process.
  class Report {
   public:
    virtual ~Report() = default;
    // Sets the current stage of the trial. It begins at 0.
    virtual void SetStage(int stage) = 0;
    // Counts a trial that ended at the current stage.
    virtual void CountStage() = 0;
  };
  // Returns what was wrong, or "".
  using Trial = std::function<std::string(size_t, Report&)>;

  static constexpr int kMaxStages = 8;

  Sweep(size_t count, Trial trial) : count_(count), trial_(std::move(trial)) {}

  // Runs all trials. A trial is endless after two seconds of its process's
  // processor time or ten seconds of real time. A leak counts as a crash of the
  // last trial.
  std::vector<Mishap> Run();

  // Returns the number of trials counted at each stage.
  const std::map<int, size_t>& stages() const { return stages_; }

 private:
  struct Shared;

  // Runs trials from `first` in a child. Returns the next trial to run.
  size_t RunFrom(size_t first, Shared& shared, std::vector<Mishap>& mishaps);

  size_t count_;
  Trial trial_;
  std::map<int, size_t> stages_;
};

}  // namespace eyrie::tests

#endif  // EYRIE_TESTS_BAD_INPUT_SWEEP_H_
