// Rows of the tool, measured by Google Benchmark.
//
// Tested by cli_test.txt.
#include "tools/benchmark_plugin.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <ostream>
#include <sstream>
#include <string_view>
#include <type_traits>
#include <vector>

#include "tools/build_type.h"

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
  // A number of iterations is one batch, and the shortest time ends the row
  // after it. With Benchmark::Iterations, the row's name would contain it.
  const int64_t calls =
      row.iterations > 0 ? (row.iterations + row.batch - 1) / row.batch : 1;
  while (state.KeepRunningBatch(calls * row.batch)) {
    for (int64_t i = 0; i < calls; ++i) {
      if (!Run(state, row.call, row.self)) return;
    }
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
  if (row.callers > 1) made->Threads(row.callers);
}

// Moves a row's own counters to its label. Google Benchmark's table would show
// 0.00145 as 1.45m, next to the unit of the row.
void MoveCounters(benchmark::BenchmarkReporter::Run& run) {
  if (run.aggregate_unit == benchmark::kPercentage) return;
  constexpr double kWhole = 1000;  // larger numbers have no decimals
  for (auto it = run.counters.begin(); it != run.counters.end();) {
    const benchmark::Counter& counter = it->second;
    if (counter.flags != benchmark::Counter::kDefaults) {  // a rate
      ++it;
      continue;
    }
    char text[64];
    std::snprintf(text, sizeof(text), counter.value < kWhole ? "%.4g" : "%.0f",
                  counter.value);
    if (!run.report_label.empty()) run.report_label += ' ';
    run.report_label += it->first + '=' + text;
    it = run.counters.erase(it);
  }
}

// Google Benchmark's own reporter, with another type of build, and plain
// numbers in its table.
class Reporter final : public benchmark::BenchmarkReporter {
 public:
  explicit Reporter(bool is_table) : is_table_(is_table) {}
  bool ReportContext(const Context& context) override {
    std::ostringstream output, errors;
    own_->SetOutputStream(&output);
    own_->SetErrorStream(&errors);
    const bool goes_on = own_->ReportContext(context);
    GetErrorStream() << WithBuildType(errors.str()) << std::flush;
    GetOutputStream() << WithBuildType(output.str()) << std::flush;
    own_->SetOutputStream(&GetOutputStream());
    own_->SetErrorStream(&GetErrorStream());
    return goes_on;
  }
  void ReportRuns(const std::vector<Run>& runs) override {
    if (!is_table_) return own_->ReportRuns(runs);
    std::vector<Run> shown = runs;
    for (Run& run : shown) MoveCounters(run);
    own_->ReportRuns(shown);
  }
  void Finalize() override { own_->Finalize(); }

 private:
  const bool is_table_;
  const std::unique_ptr<benchmark::BenchmarkReporter> own_{
      benchmark::CreateDefaultDisplayReporter()};
};

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
  const bool is_table =
      std::none_of(arguments.begin(), arguments.end(), [](const char* flag) {
        return std::string_view(flag) == "--benchmark_format=json" ||
               std::string_view(flag) == "--benchmark_format=csv";
      });
  int count = static_cast<int>(flag_count);
  benchmark::Initialize(&count, arguments.data());
  if (count > 1) {
    *unknown = arguments[1];
    return -1;
  }
  for (size_t i = 0; i < row_count; ++i) Register(rows[i]);
  Reporter reporter(is_table);
  const size_t measured = benchmark::RunSpecifiedBenchmarks(&reporter);
  benchmark::Shutdown();
  return static_cast<int64_t>(measured);
}

// The tool names the function by text.
static_assert(std::is_same_v<MeasureBenchmarksFunction,
                             decltype(&eyrie_measure_benchmarks)>);

}  // namespace eyrie::tools
