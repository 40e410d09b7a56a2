// The interface of libeyrie_benchmark.so, through which the tool calls Google
// Benchmark.
//
// Debian has Google Benchmark only as a shared library, which needs the shared
// libstdc++. Only `eyrie bench` loads them. No object of the C++ library
// crosses this interface.
#ifndef EYRIE_TOOLS_BENCHMARK_PLUGIN_H_
#define EYRIE_TOOLS_BENCHMARK_PLUGIN_H_

#include <cstddef>
#include <cstdint>

namespace eyrie::tools {

enum class BenchmarkUnit : int32_t { kNanosecond, kMicrosecond, kMillisecond };

// A number of a row beside its times.
struct BenchmarkCounter {
  const char* name;
  double value;
};

inline constexpr size_t kMaxBenchmarkCounters = 8;

// One row of the table. The caller owns all pointers; they must be valid until
// the rows are measured.
struct BenchmarkRow {
  const char* name;
  BenchmarkUnit unit;
  // 0: Google Benchmark decides. Else its --benchmark_min_time must be 0.
  int64_t iterations;
  int64_t batch;    // iterations per call
  double items;     // per iteration
  int32_t callers;  // threads that call at the same time, at least 1
  void* self;       // passed to the functions below
  // `prepare` is called before the row is measured, `call` in the measured
  // loop, both on the thread of `caller` (0 to callers - 1). Both return
  // nullptr, or an error message, which ends the row.
  const char* (*prepare)(void* self, int32_t caller);
  const char* (*call)(void* self, int32_t caller);
  // Called after the loops of all callers. Writes up to kMaxBenchmarkCounters
  // and returns their number.
  size_t (*count)(void* self, BenchmarkCounter* counters);
};

// Measures the rows that match the filter. Returns their number, or -1 if
// Google Benchmark rejects a flag, which `unknown` then points to. `flags[0]`
// is the program's name. Must be called at most once per process.
using MeasureBenchmarksFunction = int64_t (*)(const char* const* flags,
                                              size_t flag_count,
                                              const BenchmarkRow* rows,
                                              size_t row_count,
                                              const char** unknown);

inline constexpr char kMeasureBenchmarks[] = "eyrie_measure_benchmarks";

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_BENCHMARK_PLUGIN_H_
