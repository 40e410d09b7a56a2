// The option of CPU devices that runs modules' machine code in a process of its
// own.
//
// hal/cpu/isolate sets it; the devices only ask whether the process is theirs.
#ifndef EYRIE_HAL_CPU_ISOLATION_H_
#define EYRIE_HAL_CPU_ISOLATION_H_

#include <memory>

namespace eyrie::hal::cpu {

// A process that runs kernels. Thread-safe.
class IsolatedProcess {
 public:
  virtual ~IsolatedProcess() = default;
  // Reports whether this is a forked child of the process that started it,
  // which must not use it.
  virtual bool IsForked() const = 0;
};

// The isolated process of a device: an option of CPU drivers. Null: kernels run
// in this process.
struct Isolation {
  std::shared_ptr<const IsolatedProcess> process;
};

}  // namespace eyrie::hal::cpu

#endif  // EYRIE_HAL_CPU_ISOLATION_H_
