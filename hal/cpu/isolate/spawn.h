// Starts the program of a worker in a process of its own.
//
// Tested by isolate_test.cc.
#ifndef EYRIE_HAL_CPU_ISOLATE_SPAWN_H_
#define EYRIE_HAL_CPU_ISOLATE_SPAWN_H_

#include "absl/status/statusor.h"
#include "base/descriptor.h"

namespace eyrie::hal::cpu::isolate {

// The files of a new worker. Their numbers must be at least kFirstOtherFile.
struct WorkerFiles {
  int program;
  int control;
  int code;
  int data;
  int host;  // a pidfd
};

// A process that was started. The caller must wait for its end.
struct Spawned {
  Descriptor process;  // a pidfd
  int id = 0;
};

// Starts the program. It gets copies of the files, an empty environment, and
// namespaces of its own if the system permits that. It ends with the calling
// thread, which must block all signals. UNAVAILABLE: the system refuses.
absl::StatusOr<Spawned> SpawnWorker(const WorkerFiles& files);

}  // namespace eyrie::hal::cpu::isolate

#endif  // EYRIE_HAL_CPU_ISOLATE_SPAWN_H_
