// A process with the worker's program: starts it, ends it, and says how it
// ended.
//
// Tested by compiler_process_test.cc.
#ifndef EYRIE_PLUGINS_PJRT_COMPILER_CHILD_PROCESS_H_
#define EYRIE_PLUGINS_PJRT_COMPILER_CHILD_PROCESS_H_

#include <sys/types.h>

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/descriptor.h"
#include "base/fork_mark.h"

namespace eyrie::pjrt {

// How a process ended.
struct ProcessEnd {
  int signal = 0;  // 0: it exited, or the system does not say how it ended
  int code = -1;   // its exit code; -1: unknown, or it was killed here
};

// Thread-compatible. The process leads a session, so signals of the host's
// terminal do not reach it, and a group, which has the processes that it
// starts. Its standard output and error are a pipe.
class ChildProcess {
 public:
  // Starts the program; does not wait until it has loaded the library.
  // UNAVAILABLE: the system does not start it.
  static absl::StatusOr<ChildProcess> Start(const std::string& library);

  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&&) = delete;
  // Kills the process and waits for its end; does nothing in a forked child.
  ~ChildProcess();

  int socket() const { return socket_.get(); }
  int errors() const { return errors_.get(); }
  // Returns the memory that the process uses, in bytes, or 0 if unknown.
  uint64_t ResidentBytes() const;

  // Kills the group, without waiting.
  void Kill();
  // Waits until the process ends by itself, or kills it after `patience`. Kills
  // what is left of its group.
  ProcessEnd WaitOrKill(absl::Duration patience);

 private:
  ChildProcess() = default;

  // Reports whether the ID is still that of the process. Not if the host waits
  // for all its children, or ignores their ends.
  bool IsOurs() const;

  ForkMark mark_;
  pid_t id_ = 0;  // 0: it has been waited for
  Descriptor socket_;
  Descriptor errors_;
};

// Describes the end: "was ended by signal 11 (SIGSEGV)".
std::string EndText(const ProcessEnd& end);

}  // namespace eyrie::pjrt

#endif  // EYRIE_PLUGINS_PJRT_COMPILER_CHILD_PROCESS_H_
