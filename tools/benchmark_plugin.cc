// Rows of the tool, measured by Google Benchmark.
//
// Tested by cli_test.txt.
#include "tools/benchmark_plugin.h"

#include <benchmark/benchmark.h>

#include <type_traits>
#include <vector>

namespace eyrie::tools {
namespace {

// False if it fails.
bool Run(benchmark::State& state, const char* (*function)(void*, int32_t),
         void* self) {
  const char* const error = function(self, state.thread_index());
  if (error == nullptr) [[likely]]
    return true;
  state.SkipWithError(error);
  return false;
}

void Measure(benchmark::State& state, const BenchmarkRow& row) {
  if (!Run(state, row.prepare, row.self)) return;
  while (state.KeepRunningBatch(row.batch)) {
    if (!Run(state, row.call, row.self)) return;
  }
  state.SetItemsProcessed(static_cast<int64_t>(
      row.items * static_cast<double>(state.iterations())));
  // The callers have waited for each other.
  if (state.thread_index() != 0) return;
  BenchmarkCounter counters[kMaxBenchmarkCounters];
  const size_t count = row.count(row.self, counters);
  for (size_t i = 0; i < count; ++i) {
    state.counters[counters[i].name] = counters[i].value;
  }
}

benchmark::TimeUnit UnitOf(BenchmarkUnit unit) {
  switch (unit) {
    case BenchmarkUnit::kNanosecond:
      return benchmark::kNanosecond;
    case BenchmarkUnit::kMicrosecond:
      return benchmark::kMicrosecond;
    case BenchmarkUnit::kMillisecond:
      return benchmark::kMillisecond;
  }
  return benchmark::kMillisecond;
}

void Register(const BenchmarkRow& row) {
  benchmark::internal::Benchmark* const made = benchmark::RegisterBenchmark(
      row.name, [&row](benchmark::State& state) { Measure(state, row); });
  made->MeasureProcessCPUTime()->UseRealTime()->Unit(UnitOf(row.unit));
  if (row.iterations > 0) made->Iterations(row.iterations);
  if (row.callers > 1) made->Threads(row.callers);
}

}  // namespace

extern "C" int64_t eyrie_measure_benchmarks(const char* const* flags,
                                            size_t flag_count,
                                            const BenchmarkRow* rows,
                                            size_t row_count,
                                            const char** unknown) {
  std::vector<char*> arguments;
  for (size_t i = 0; i < flag_count; ++i) {
    arguments.push_back(const_cast<char*>(flags[i]));
  }
  int count = static_cast<int>(flag_count);
  benchmark::Initialize(&count, arguments.data());
  if (count > 1) {
    *unknown = arguments[1];
    return -1;
  }
  for (size_t i = 0; i < row_count; ++i) Register(rows[i]);
  const size_t measured = benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return static_cast<int64_t>(measured);
}

// The tool names the function by text.
static_assert(std::is_same_v<MeasureBenchmarksFunction,
                             decltype(&eyrie_measure_benchmarks)>);

}  // namespace eyrie::tools
