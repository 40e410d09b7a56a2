// Held while a thread holds locks that must not be copied by fork(): the child
// would find them held forever, because their owner does not exist there.
//
//   const std::lock_guard<std::mutex> gate(ForkGate());
// Lock the gate before any of those locks. Code that makes forks wait
// (code_memory.cc) locks it before fork() and unlocks it in parent and child.
// Tested by vm/jit/jit_test.cc.
#ifndef EYRIE_BASE_FORK_GATE_H_
#define EYRIE_BASE_FORK_GATE_H_

#include <mutex>

namespace eyrie {

inline std::mutex& ForkGate() {
  static constinit std::mutex gate;
  return gate;
}

}  // namespace eyrie

#endif  // EYRIE_BASE_FORK_GATE_H_
