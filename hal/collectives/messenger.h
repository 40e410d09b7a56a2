// The thread that transfers a process's messages.
//
// All calls of the transport are made on that thread, which sleeps while it has
// nothing to do. Operations begin in the order in which channels start them. A
// failed or abandoned operation keeps its memory until none of its messages is
// in flight.
// Tested by messenger_test.cc.
#ifndef EYRIE_HAL_COLLECTIVES_MESSENGER_H_
#define EYRIE_HAL_COLLECTIVES_MESSENGER_H_

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/fork_mark.h"
#include "base/thread.h"
#include "hal/collectives/operation.h"
#include "hal/collectives/transport.h"

namespace eyrie::hal {

// Thread-safe.
class Messenger {
 public:
  // Called on the messenger's thread when an operation has ended.
  using Ended = std::function<void(Operation& operation)>;

  // Starts the thread, and calls `factory` on it, whose error is returned.
  // RESOURCE_EXHAUSTED: no thread can be started.
  static absl::StatusOr<std::shared_ptr<Messenger>> Create(
      const TransportFactory& factory);
  ~Messenger();

  int rank() const { return rank_; }
  int count() const { return count_; }

  // Adds an operation. On error, `ended` is not called. CANCELLED: the
  // messenger has stopped. FAILED_PRECONDITION: this is a forked child.
  absl::Status Add(std::unique_ptr<Operation> operation, Ended ended);
  // Ends the thread. If `orderly`, and no operation is running, closes the
  // transport together with the other ranks. Else the transport and the memory
  // of messages in flight are leaked. FAILED_PRECONDITION: `orderly`, but
  // operations are running; or this is a forked child.
  absl::Status Stop(bool orderly);

 private:
  struct Entry {
    std::unique_ptr<Operation> operation;
    Ended ended;  // empty once called
  };

  Messenger() = default;
  void Work(const TransportFactory& factory);
  // Moves new entries to `active`. If there is nothing else to do, waits for
  // them; else up to `pause_us`. Returns false if the thread must end.
  bool TakeNew(std::vector<Entry>& active, int pause_us);
  // Steps all operations once; reports whether any made progress.
  bool StepAll(std::vector<Entry>& active);
  void Finish(std::vector<Entry>& active);

  const ForkMark mark_;
  Thread thread_;
  int rank_ = 0;
  int count_ = 1;
  std::unique_ptr<Transport> transport_;  // used by the thread only

  std::mutex mutex_;  // guards all below
  std::condition_variable wakes_;
  std::vector<Entry> new_;
  bool started_ = false;
  bool stopping_ = false;
  bool stopped_ = false;
  bool orderly_ = false;  // close the transport with the other ranks
  absl::Status result_;   // of Create, then of Stop
};

}  // namespace eyrie::hal

#endif  // EYRIE_HAL_COLLECTIVES_MESSENGER_H_
