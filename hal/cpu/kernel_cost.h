// The measured cost of a kernel's workgroups. A driver with threads uses it to
// decide which dispatches to share.
//
// Thread-safe. Costs are estimates, so lost updates are harmless.
// Tested by task/sharing_test.cc.
#ifndef EYRIE_HAL_CPU_KERNEL_COST_H_
#define EYRIE_HAL_CPU_KERNEL_COST_H_

#include <atomic>
#include <chrono>
#include <cstdint>

namespace eyrie::hal::cpu {

class KernelCost {
 public:
  // Returns nanoseconds per workgroup, or 0 if never measured.
  float ns() const { return ns_.load(std::memory_order_relaxed); }

  // Adds a measurement of at least one workgroup. A lower cost counts for more,
  // because other work on the machine often slows a workgroup down.
  void Add(double ns, uint64_t workgroups) {
    const float one =
        static_cast<float>(ns / static_cast<double>(workgroups)) + kLeast;
    const float before = this->ns();
    const float part = one < before ? 0.5f : 0.125f;
    ns_.store(before == 0 ? one : before + (one - before) * part,
              std::memory_order_relaxed);
  }

  // Counts a run. Returns true if it should be measured: the first runs, then
  // every 64th, because reading the clock takes longer than a small kernel.
  bool IsDue() {
    const uint32_t run = runs_.load(std::memory_order_relaxed);
    runs_.store(run + 1, std::memory_order_relaxed);
    return run < kFirst || run % kEvery == 0;
  }

 private:
  static constexpr float kLeast = 0.1f;  // ns; a measured cost is never 0
  static constexpr uint32_t kFirst = 3;
  static constexpr uint32_t kEvery = 64;

  std::atomic<float> ns_{0};
  std::atomic<uint32_t> runs_{0};
};

// Returns the nanoseconds since construction.
class Stopwatch {
 public:
  double ns() const {
    return std::chrono::duration<double, std::nano>(
               std::chrono::steady_clock::now() - begin_)
        .count();
  }

 private:
  const std::chrono::steady_clock::time_point begin_ =
      std::chrono::steady_clock::now();
};

}  // namespace eyrie::hal::cpu

#endif  // EYRIE_HAL_CPU_KERNEL_COST_H_
