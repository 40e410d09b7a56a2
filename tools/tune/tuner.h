// Loads candidates into this process, compares their results and measures their
// calls in turns.
//
// Tested by tune_test.txt, ranking_test.cc.
#ifndef EYRIE_TOOLS_TUNE_TUNER_H_
#define EYRIE_TOOLS_TUNE_TUNER_H_

#include <atomic>
#include <memory>
#include <span>
#include <vector>

#include "abi/call/session.h"
#include "abi/call/value_reader.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/ref.h"
#include "hal/device.h"
#include "tools/arg_parser.h"
#include "tools/tune/candidate.h"
#include "vm/isa/value.h"

namespace eyrie::tools {

// The rows of --tolerance and --time.
std::span<const Flag> TunerFlags();

// Thread-compatible, except for Cancel.
class Tuner {
 public:
  // Opens the devices and reads the flags of calls. `arguments` and `stop` must
  // outlive the tuner. INVALID_ARGUMENT: a flag has an invalid value. Otherwise
  // fails as OpenDevices and ReadSessionOptions do.
  static absl::StatusOr<std::unique_ptr<Tuner>> Create(
      const Arguments& arguments, const std::atomic<bool>& stop);

  Tuner(const Tuner&) = delete;
  Tuner& operator=(const Tuner&) = delete;

  std::span<const Ref<hal::Device>> devices() const { return devices_; }

  // Loads the module of a candidate and calls it once. The first one that runs
  // is the reference. A candidate that does not run, or whose results differ
  // from the reference's by more than the tolerance, gets a note. Fails if the
  // user's function or arguments do not fit the first module that loads.
  absl::Status Load(Candidate& candidate);

  // Calls all candidates without a note in turns, until each has had --time and
  // at least five turns, or `stop` is true. Ranks them. A candidate that
  // fails gets a note.
  void Measure(std::span<Candidate> candidates);

  // Ends the running call. Async-signal-safe.
  void Cancel();

 private:
  explicit Tuner(const Arguments& arguments, const std::atomic<bool>& stop)
      : arguments_(&arguments), stop_(&stop) {}

  absl::Status Link(Candidate& candidate);
  absl::Status Prepare(Candidate& candidate);
  absl::Status Compare(Candidate& candidate);
  // Calls a candidate, which Cancel can end.
  absl::Status Call(Candidate& candidate);
  absl::Status TakeTurn(Candidate& candidate);

  const Arguments* arguments_;
  const std::atomic<bool>* stop_;
  std::vector<Ref<hal::Device>> devices_;
  abi::SessionOptions options_;
  double tolerance_ = 0;
  absl::Duration time_;
  bool has_inputs_ = false;
  std::vector<vm::Value> inputs_;           // if has_inputs_
  std::vector<abi::ParsedValue> expected_;  // of the reference
  bool has_reference_ = false;
  std::atomic<abi::Session*> running_ = nullptr;
};

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_TUNE_TUNER_H_
