// Measures the cost of sharing: tiny jobs, and submissions of empty dispatches.
//
//   bazel run -c opt //hal/cpu/task:task_bench
// A run of two chunks of 5 us each would take 10 us on one thread. Its time
// above 5 us is the cost of the pool. The argument is the pause between two
// runs in microseconds: after long pauses, the threads sleep.
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <vector>

#include "benchmark/benchmark.h"
#include "hal/cpu/task/device.h"
#include "hal/cpu/task/pool.h"
#include "tests/support/fake_executable.h"

namespace eyrie::hal::cpu {
namespace {

using Clock = std::chrono::steady_clock;

void Work(int64_t ns) {
  const Clock::time_point end = Clock::now() + std::chrono::nanoseconds(ns);
  while (ns > 0 && Clock::now() < end) {
  }
}

// One stage of two chunks.
class TwoChunks final : public Job {
 public:
  explicit TwoChunks(int64_t ns) : ns_(ns) {}
  void Again() {
    next_.store(0);
    begun_ = false;
    Restart();
  }

 protected:
  Stage Advance() override {
    if (begun_) return {.over = true};
    begun_ = true;
    return {.over = false, .helpers = 1};
  }
  bool RunChunks(absl::FunctionRef<bool()>) override {
    while (next_.fetch_add(1) < 2) Work(ns_);
    return true;
  }
  void Finish() override {}

 private:
  const int64_t ns_;
  bool begun_ = false;
  std::atomic<int> next_{0};
};

void ForkJoin(benchmark::State& state, int64_t chunk_ns) {
  PoolOptions options;
  options.threads = 2;
  const Ref<Pool> pool = MakeRef<Pool>(std::move(options));
  const Ref<TwoChunks> job = MakeRef<TwoChunks>(chunk_ns);
  for (auto _ : state) {
    if (state.range(0) != 0) {
      state.PauseTiming();
      Work(state.range(0) * 1000);
      state.ResumeTiming();
    }
    job->Again();
    pool->Run(job);
  }
  pool->Shutdown();
}
BENCHMARK_CAPTURE(ForkJoin, empty, 0)->Arg(0)->Arg(300)->UseRealTime();
BENCHMARK_CAPTURE(ForkJoin, 5us, 5000)->Arg(0)->Arg(300)->UseRealTime();

int Empty(const Environment*, const DispatchState*, const WorkgroupState*) {
  return 0;
}

// Submits an empty dispatch of two workgroups, which the default policy keeps
// on the caller's thread.
void Dispatch(benchmark::State& state, const SharingPolicy& policy) {
  Topology topology;
  topology.threads = static_cast<int>(state.range(0));
  const Ref<hal::Device> device = CreateTaskDevice({}, topology, policy);
  const Ref<hal::Executable> executable =
      CreateFakeExecutable({{"empty", 0, 0, Empty}});
  const Ref<CommandBuffer> commands =
      *device->CreateCommandBuffer(0, kAnyQueue, 0);
  if (!commands->Dispatch(executable, 0, {2, 1, 1}, {}, {}).ok() ||
      !commands->Finalize().ok()) {
    std::abort();
  }
  for (auto _ : state) {
    if (!device->QueueExecute({}, commands, {}).ok()) std::abort();
  }
}
BENCHMARK_CAPTURE(Dispatch, inline, SharingPolicy())
    ->Arg(1)
    ->Arg(2)
    ->UseRealTime();
BENCHMARK_CAPTURE(Dispatch, shared, SharingPolicy::Everything())
    ->Arg(2)
    ->UseRealTime();

}  // namespace
}  // namespace eyrie::hal::cpu

BENCHMARK_MAIN();
