// A pipe that makes a process end: when it is used, and when its owner ends.
//
// The system sends SIGIO to the process, with the rights that this process had
// when it bound the pipe. So it also works after a program has given up the
// rights to send signals, or forbidden itself the system calls for it, and if
// such a program is killed. The process must end on SIGIO.
// Tested by hosts_test.cc.
#ifndef EYRIE_HAL_CPU_ISOLATE_END_PIPE_H_
#define EYRIE_HAL_CPU_ISOLATE_END_PIPE_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/descriptor.h"

namespace eyrie::hal::cpu::isolate {

// Thread-safe after Bind. Its files never get the numbers of standard streams,
// because text that a program printed to one would end the process.
class EndPipe {
 public:
  EndPipe() = default;
  // Creates a pipe of no process. UNAVAILABLE: the system refuses.
  static absl::StatusOr<EndPipe> Create();

  // From now on, the pipe is the process's: a child of this process. `process`
  // is its pidfd. UNAVAILABLE: the system refuses.
  absl::Status Bind(int id, int process);
  // Sends the signal. Does nothing without a process.
  void Use() const;

 private:
  Descriptor reader_;
  Descriptor writer_;
};

}  // namespace eyrie::hal::cpu::isolate

#endif  // EYRIE_HAL_CPU_ISOLATE_END_PIPE_H_
