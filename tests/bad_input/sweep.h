// Runs many small trials in child processes, so that one that crashes or
// never ends is named and does not hide the others.
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

// A trial that did not end as it should.
struct Mishap {
  enum class Kind { kCrash, kEndless, kWrong };
  Kind kind;
  size_t trial;
  int stage;         // where it was, as told by SetStage
  std::string text;  // "signal 11", "exit status 1", or the trial's words
};

// One thread only: children are forked.
class Sweep {
 public:
  // What a trial may tell while it runs; written in the child.
  class Report {
   public:
    virtual ~Report() = default;
    // What the trial does now; 0 when it begins.
    virtual void SetStage(int stage) = 0;
    // Counts a trial that ended at the present stage.
    virtual void CountStage() = 0;
  };
  // Says what was wrong, or nothing.
  using Trial = std::function<std::string(size_t, Report&)>;

  static constexpr int kMaxStages = 8;

  Sweep(size_t count, Trial trial) : count_(count), trial_(std::move(trial)) {}

  // Runs all. A trial is endless once it has used two seconds of its
  // process's time, or ten of everybody's. Leaks are crashes of the last one.
  std::vector<Mishap> Run();

  // How many trials were counted at each stage.
  const std::map<int, size_t>& stages() const { return stages_; }

 private:
  struct Shared;

  // Runs trials from `first` in a child; gives the first that was not run.
  size_t RunFrom(size_t first, Shared& shared, std::vector<Mishap>& mishaps);

  size_t count_;
  Trial trial_;
  std::map<int, size_t> stages_;
};

}  // namespace eyrie::tests

#endif  // EYRIE_TESTS_BAD_INPUT_SWEEP_H_
