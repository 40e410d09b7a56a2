// The host's side of a lane: posts commands to one thread of the worker, and
// waits for them.
//
// Everything that the worker writes is hostile: each field is read once and
// checked; a value that no worker of ours writes ends the worker. The caller
// must use a lane from one thread at a time.
// Tested by isolate_test.cc, testing/lane_fuzz.cc.
#ifndef EYRIE_HAL_CPU_ISOLATE_LANE_H_
#define EYRIE_HAL_CPU_ISOLATE_LANE_H_

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "base/deadline.h"
#include "base/work_budget.h"
#include "hal/cpu/isolate/protocol.h"

namespace eyrie::hal::cpu::isolate {

// Why the host ends the worker.
enum class Reason : uint32_t {
  kNone,
  kClosed,    // the device is closed
  kDeadline,  // a kernel did not end in time
  kCorrupt,   // it wrote what no worker writes
};

// The memory of an executable that runs, for messages.
struct CodeRange {
  uint64_t begin = 0;
  uint64_t end = 0;
  uint64_t bias = 0;  // its addresses in memory minus those in its file
};

// Returns the number of a worker's lanes: one for each processor, so that
// threads of the host do not wait for each other, and at least one beside a
// kernel that runs for long.
uint32_t LaneCount();

class Lane {
 public:
  // The worker, as far as a lane needs it. Must be thread-safe.
  class Peer {
   public:
    virtual ~Peer() = default;
    virtual bool IsDead() const = 0;
    // Reports whether there is a processor for each thread that polls.
    virtual bool HasSpareProcessors() const = 0;
    // Wakes the thread that waits for a change of `word`.
    virtual void Wake(const std::atomic<uint32_t>& word) = 0;
    // Returns once `word` differs from `value`, the worker is dead, or `most`
    // has passed; also earlier.
    virtual void Sleep(const std::atomic<uint32_t>& word, uint32_t value,
                       absl::Duration most) = 0;
    // Ends the worker: IsDead() will soon be true.
    virtual void Kill(Reason reason) = 0;
  };

  // For messages. The name must live until the command's group is finished.
  struct Label {
    absl::string_view name;
    uint32_t ordinal = 0;  // of an export without a name
    CommandKind kind = CommandKind::kDispatch;
    CodeRange code = {};
    std::string ToString() const;
  };

  enum class End {
    kDone,
    kFailed,   // a kernel returned `code`
    kStopped,  // the budget was stopped, and the kernels ended in time
    kLost,     // the worker is dead
  };
  struct Outcome {
    End end = End::kDone;
    int32_t code = 0;
    Label label;  // of the command that failed, or was the last to run
  };

  // A thread pauses `spins` times before it sleeps.
  Lane(LaneInput& input, const LaneOutput& output, Peer& peer, uint32_t spins)
      : input_(input), output_(output), peer_(peer), spins_(spins) {}
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;

  // Begins a group of commands. A failure of one skips those after it. If they
  // have not ended at `deadline`, the worker is ended. The group before must be
  // finished.
  void Begin(Deadline deadline = Deadline::Never());
  // Returns the next command, which the caller must fill in and post, except
  // for `group`. Waits until a slot is free. Returns null if the group has
  // failed or is stopped, or the worker is dead; the caller must call Finish.
  Command* Next(WorkBudget* work);
  void Post(const Label& label);
  // Waits until all commands of the group have ended. If `work` is stopped,
  // gives them kGrace to end, then ends the worker. `work` may be null.
  Outcome Finish(WorkBudget* work);
  // Returns the answer of the last kQuery, any number.
  uint64_t answer() const {
    return output_.answer.load(std::memory_order_relaxed);
  }

  static constexpr absl::Duration kGrace = absl::Milliseconds(10);
  // How often a waiting thread looks at the budget.
  static constexpr absl::Duration kLook = absl::Milliseconds(4);
  // To wake a thread of a virtual machine takes 50 to 100 us, so a thread polls
  // for 1 to 2 ms, if a processor is spare, before it sleeps. If it loses its
  // processor meanwhile, others need it, and the next waits sleep earlier.
  static constexpr uint32_t kLongSpins = 20;  // times the usual ones
  static constexpr uint32_t kShortWaits = 64;

 private:
  struct Failure {
    uint32_t command;
    int32_t code;
  };

  // Reads what the worker has done. Returns false if that cannot be, from then
  // on.
  bool ReadOutput();
  // Reads the group's failure, if the first `done` commands have one.
  bool ReadFailure(uint32_t done);
  bool Reached(uint32_t count) const {
    return static_cast<int32_t>(seen_ - count) >= 0;
  }
  // Reads the output up to `spins` times, until `count` commands are done.
  void Poll(uint32_t count, uint32_t spins);
  // Reads the output many times more, if a processor is idle.
  void PollForLong(uint32_t count);
  // Waits until `count` commands are done. Returns false if the worker is dead.
  bool Wait(uint32_t count, WorkBudget* work);
  void Sleep(uint32_t count);
  // Stops the group, and later the worker, if the budget is stopped.
  void Enforce(const WorkBudget* work);

  LaneInput& input_;
  const LaneOutput& output_;
  Peer& peer_;
  const uint32_t spins_;
  uint32_t posted_ = 0;  // counts wrap
  uint32_t seen_ = 0;    // the last valid `done`
  uint32_t group_ = 0;
  uint32_t group_begin_ = 0;  // its first command
  bool is_corrupt_ = false;
  std::optional<Failure> failure_;
  Deadline deadline_;
  uint32_t short_waits_ = 0;       // still to come
  std::optional<Deadline> grace_;  // set once the group is stopped
  Label labels_[kSlots];
};

}  // namespace eyrie::hal::cpu::isolate

#endif  // EYRIE_HAL_CPU_ISOLATE_LANE_H_
