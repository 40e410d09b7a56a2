// The thread that moves a process's messages.
//
// All calls of the transport are made on that thread, which sleeps while there
// is nothing to move. Operations begin in the order in which channels start
// them. One that has failed, or was given up, keeps its memory until none of
// its messages is in flight.
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
  // Called on the messenger's thread when an operation is over.
  using Ended = std::function<void(Operation& operation)>;

  // Starts the thread, and the transport on it. RESOURCE_EXHAUSTED: there is no
  // thread.
  static absl::StatusOr<std::shared_ptr<Messenger>> Create(
      const TransportFactory& factory);
  ~Messenger();

  int rank() const { return rank_; }
  int count() const { return count_; }

  // CANCELLED: the messenger has stopped, and nothing is called.
  // FAILED_PRECONDITION: so in a child of the process that started it.
  absl::Status Add(std::unique_ptr<Operation> operation, Ended ended);
  // Ends the thread, once. Orderly, if no operation is running: with the other
  // ranks. Else what is in flight is left behind, with its memory and the
  // transport. FAILED_PRECONDITION: operations were running that should not.
  absl::Status Stop(bool orderly);

 private:
  struct Entry {
    std::unique_ptr<Operation> operation;
    Ended ended;  // empty: it was called
  };

  Messenger() = default;
  void Work(const TransportFactory& factory);
  // Takes new entries into `active`; waits for them, or for `pause_us`.
  // False: the thread is to end.
  bool TakeNew(std::vector<Entry>& active, int pause_us);
  // Steps all once; true if anything moved.
  bool StepAll(std::vector<Entry>& active);
  void Finish(std::vector<Entry>& active);

  const ForkMark mark_;
  Thread thread_;
  int rank_ = 0;
  int count_ = 1;
  std::unique_ptr<Transport> transport_;  // the thread's, once it runs

  std::mutex mutex_;  // guards all below
  std::condition_variable wakes_;
  std::vector<Entry> new_;
  bool started_ = false;
  bool stopping_ = false;
  bool stopped_ = false;
  bool orderly_ = false;  // the transport is to end with the other ranks
  absl::Status result_;   // of the start, then of the end
};

}  // namespace eyrie::hal

#endif  // EYRIE_HAL_COLLECTIVES_MESSENGER_H_
