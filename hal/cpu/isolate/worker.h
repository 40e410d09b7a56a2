// A worker: a process that runs kernels for one device and can do nothing else.
//
// It has its own code, the host's data area and code area, no files, no
// environment, and a filter that forbids all system calls except waiting and
// ending (worker_main.cc). A thread of the host starts it, waits for its end,
// and is the thread with which it ends. Thread-safe.
// Tested by isolate_test.cc.
#ifndef EYRIE_HAL_CPU_ISOLATE_WORKER_H_
#define EYRIE_HAL_CPU_ISOLATE_WORKER_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/deadline.h"
#include "base/descriptor.h"
#include "base/fork_mark.h"
#include "base/thread.h"
#include "base/work_budget.h"
#include "hal/cpu/isolate/end_pipe.h"
#include "hal/cpu/isolate/lane.h"
#include "hal/cpu/isolate/shared_heap.h"
#include "hal/cpu/isolate/spawn.h"
#include "hal/cpu/isolation.h"

namespace eyrie::hal::cpu::isolate {

class Worker final : public IsolatedProcess {
 public:
  // Starts a worker with a number of lanes, at most kMaxLanes. UNAVAILABLE: the
  // system does not permit it; the message says what it refuses.
  // UNIMPLEMENTED: this is not x86-64.
  static absl::StatusOr<std::shared_ptr<Worker>> Start(uint32_t lanes);
  ~Worker() override;

  // Memory that the worker can read and run, and memory that it can write.
  const std::shared_ptr<SharedHeap>& code() const { return code_; }
  const std::shared_ptr<SharedHeap>& data() const { return data_; }
  bool IsForked() const override { return mark_.IsForked(); }

  // A lane that one thread uses. Must be released before the worker.
  class Lease {
   public:
    // A default-constructed lease holds none.
    bool is_held() const { return lane_ != nullptr; }
    Lane& lane() const { return *lane_; }

   private:
    friend class Worker;
    struct Leave {
      void operator()(std::atomic<uint32_t>* users) const { --*users; }
    };
    Lane* lane_ = nullptr;
    std::unique_lock<std::timed_mutex> lock_;
    std::unique_ptr<std::atomic<uint32_t>, Leave> counted_;
  };
  // Waits for a free lane. FAILED_PRECONDITION: the worker is dead, or this is
  // a forked child. DEADLINE_EXCEEDED: all lanes were in use until the
  // deadline. If `work` is not null and is stopped, its reason.
  absl::StatusOr<Lease> TakeLane(const WorkBudget* work, Deadline deadline);

  // Returns the error for commands that did not end: the reason of the worker's
  // end. `label` is the command that ran on the lane. INTERNAL.
  absl::Status LossOf(const Lane& lane, const Lane::Label& label);

  // Ends the worker, as its own faults do.
  void Kill(Reason reason);
  bool IsDead() const { return is_dead_.load(std::memory_order_acquire); }

 private:
  class PeerOf;
  struct LaneEntry;

  Worker();
  // Starts it at random addresses. ALREADY_EXISTS: they are in use.
  absl::Status TryToStart(uint32_t lanes);
  absl::Status ShareMemory(uint32_t lanes);
  absl::Status StartProcess();
  absl::Status WaitUntilReady();
  // Returns why the worker did not start. ALREADY_EXISTS: it has something at
  // the host's addresses.
  absl::Status StartFailure() const;
  // Starts the process, and makes it possible to end it.
  absl::Status Spawn(int program);
  // Runs on the thread: starts the process and waits for its end.
  void Watch(int program, std::function<void(absl::Status)> started);
  // Returns the output of the lane that reported a signal; else `output`.
  const LaneOutput& Guilty(const LaneOutput& output) const;
  // Describes the end of the process for the user of a lane, on which `code`
  // ran: a clause without a period.
  std::string EndText(const LaneOutput& own, const CodeRange& code) const;
  Progress& progress() const;

  const ForkMark mark_;
  std::shared_ptr<SharedHeap> control_;
  std::shared_ptr<SharedHeap> code_;
  std::shared_ptr<SharedHeap> data_;
  std::unique_ptr<Lane::Peer> peer_;
  std::vector<std::unique_ptr<LaneEntry>> lanes_;
  std::atomic<uint32_t> users_{0};  // of lanes
  Descriptor process_;              // a pidfd
  EndPipe end_pipe_;
  Thread thread_;
  std::atomic<bool> is_dead_{false};
  std::atomic<uint32_t> reason_{0};  // a Reason: of the first Kill
  // How the process ended; set before is_dead_. 0: unknown.
  int end_code_ = 0;  // CLD_EXITED or CLD_KILLED
  int end_status_ = 0;
  std::mutex mutex_;  // guards loss_
  std::string loss_;  // the first one's message
};

}  // namespace eyrie::hal::cpu::isolate

#endif  // EYRIE_HAL_CPU_ISOLATE_WORKER_H_
