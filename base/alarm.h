// Calls a function at a deadline, on a thread that all alarms share.
//
// The thread lives while there are alarms. An alarm that is set and stopped
// again before it rings, as calls do with their limit of time, costs two atomic
// operations: the thread looks at the time of the first setting, finds a later
// one, and sleeps on. So settings that are ever later take no lock.
// In the child of a fork alarms can be set again; the first starts a thread of
// the child's own. What was set before the fork does not ring there.
// Tested by alarm_test.cc.
#ifndef EYRIE_BASE_ALARM_H_
#define EYRIE_BASE_ALARM_H_

#include <functional>
#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/deadline.h"

namespace eyrie {

// One thread at a time's.
class Alarm {
 public:
  // Must not block: all alarms wait for it.
  using Callback = std::function<void()>;

  // RESOURCE_EXHAUSTED: the thread cannot be started.
  static absl::StatusOr<std::unique_ptr<Alarm>> Create(Callback callback);
  Alarm(const Alarm&) = delete;
  Alarm& operator=(const Alarm&) = delete;
  // Stops it. May be called by the callback.
  ~Alarm();

  // Has the callback called once, at the deadline, instead of at an earlier
  // setting's. RESOURCE_EXHAUSTED: in the child of a fork, the thread cannot be
  // started; the alarm is stopped.
  absl::Status Set(Deadline deadline);
  // The callback is not called any more. If it is running now, on another
  // thread, this waits for its end.
  void Stop();

 private:
  friend class AlarmClock;
  struct Entry;

  explicit Alarm(std::shared_ptr<Entry> entry);

  const std::shared_ptr<Entry> entry_;  // the clock's, too, while it is queued
};

}  // namespace eyrie

#endif  // EYRIE_BASE_ALARM_H_
