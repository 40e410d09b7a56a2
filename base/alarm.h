// Calls a function at a deadline, on a thread that all alarms share.
//
// The thread exists while there are alarms. Setting an alarm for a call's
// timeout and stopping it costs two atomic operations: the thread wakes at the
// first deadline, finds the later one, and sleeps again. So a deadline that
// only moves later needs no lock.
// Alarms set before fork() do not ring in the child. The child may set alarms
// again; the first one starts a new thread.
// Tested by alarm_test.cc.
#ifndef EYRIE_BASE_ALARM_H_
#define EYRIE_BASE_ALARM_H_

#include <functional>
#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/deadline.h"

namespace eyrie {

// Thread-compatible: only one thread at a time may use an alarm.
class Alarm {
 public:
  // Must not block: all alarms wait for it.
  using Callback = std::function<void()>;

  // RESOURCE_EXHAUSTED: the thread cannot be started.
  static absl::StatusOr<std::unique_ptr<Alarm>> Create(Callback callback);
  Alarm(const Alarm&) = delete;
  Alarm& operator=(const Alarm&) = delete;
  // Stops the alarm. The callback may destroy its own alarm.
  ~Alarm();

  // Calls the callback once, at `deadline`. Replaces an earlier setting.
  // RESOURCE_EXHAUSTED: the thread cannot be started in the child of a fork;
  // the alarm is stopped.
  absl::Status Set(Deadline deadline);
  // Prevents further calls of the callback. If the callback is running on
  // another thread, waits until it returns.
  void Stop();

 private:
  friend class AlarmClock;
  struct Entry;

  explicit Alarm(std::shared_ptr<Entry> entry);

  const std::shared_ptr<Entry> entry_;  // the clock's, too, while it is queued
};

}  // namespace eyrie

#endif  // EYRIE_BASE_ALARM_H_
