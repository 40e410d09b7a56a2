// What a fork waits for: work under locks that its child would find held for
// good, since who holds them is not there.
//
//   const std::lock_guard<std::mutex> gate(ForkGate());
// Taken before any of those locks. Who needs forks to wait (code_memory.cc)
// takes it before them, and gives it back on both sides.
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
