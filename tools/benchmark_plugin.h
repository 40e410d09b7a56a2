// The interface of libeyrie_benchmark.so, by which the tool calls Google
// Benchmark.
//
// Debian has Google Benchmark as a shared library alone, which needs the shared
// libstdc++. Only `eyrie bench` loads them; no object of the C++ library is
// handed over.
#ifndef EYRIE_TOOLS_BENCHMARK_PLUGIN_H_
#define EYRIE_TOOLS_BENCHMARK_PLUGIN_H_

#include <cstddef>
#include <cstdint>

namespace eyrie::tools {

enum class BenchmarkUnit : int32_t { kNanosecond, kMicrosecond, kMillisecond };

// One row of the table. All is the caller's, and lives until the rows are
// measured.
struct BenchmarkRow {
  const char* name;
  BenchmarkUnit unit;
  int64_t iterations;  // 0: as many as Google Benchmark wants
  int64_t batch;       // iterations that one call counts for
  double items;        // of an iteration
  void* self;          // for the functions below
  // Called before the row is measured, and then in turn while it is. Both
  // return nullptr, or a text that says why they fail, which ends the row.
  const char* (*prepare)(void* self);
  const char* (*call)(void* self);
};

// Measures the rows that the flags leave. Returns how many these are, or -1 if
// Google Benchmark does not take a flag, which `unknown` then points to.
// `flags[0]` is the program's name. To be called once in a process.
using MeasureBenchmarksFunction = int64_t (*)(const char* const* flags,
                                              size_t flag_count,
                                              const BenchmarkRow* rows,
                                              size_t row_count,
                                              const char** unknown);

inline constexpr char kMeasureBenchmarks[] = "eyrie_measure_benchmarks";

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_BENCHMARK_PLUGIN_H_
