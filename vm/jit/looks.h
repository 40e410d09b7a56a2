// How often the compiler checks whether its call must stop.
//
// Every loop whose length a module chooses counts its steps here, so the
// compiler checks after a few hundred steps, whatever the shape of the code.
// Tested by effort_test.cc.
#ifndef EYRIE_VM_JIT_LOOKS_H_
#define EYRIE_VM_JIT_LOOKS_H_

#include <cstdint>

#include "vm/run/compiled.h"

namespace eyrie::vm::jit {

// Thread-compatible.
class Looks {
 public:
  explicit Looks(CompileStopped stopped) : stopped_(stopped) {}
  Looks(const Looks&) = delete;
  Looks& operator=(const Looks&) = delete;

  // Counts `steps`, each of which takes about as long as one instruction in one
  // phase. Returns true if the compiler must stop, then and ever after.
  bool Stop(uint64_t steps = 1) {
    if (steps < left_) [[likely]] {
      left_ -= steps;
      return false;
    }
    if (!stop_) stop_ = stopped_();
    left_ = stop_ ? 0 : kEvery;
    return stop_;
  }
  // Reports whether Stop has returned true.
  bool stopped() const { return stop_; }

 private:
  static constexpr uint64_t kEvery = 256;

  const CompileStopped stopped_;
  uint64_t left_ = kEvery;
  bool stop_ = false;
};

}  // namespace eyrie::vm::jit

#endif  // EYRIE_VM_JIT_LOOKS_H_
