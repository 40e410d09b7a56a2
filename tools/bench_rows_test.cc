// Reads rows of benchmark output and compares the rows of two runs.
#include "tools/bench_rows.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "gtest/gtest.h"

namespace eyrie::tools {
namespace {

// Returns "BM_a 1.5e-06; BM_b 2", or the error.
std::string Read(absl::string_view output) {
  const auto rows = ReadBenchRows(output);
  if (!rows.ok()) return std::string(rows.status().message());
  return absl::StrJoin(*rows, "; ", [](std::string* out, const BenchRow& row) {
    absl::StrAppend(out, row.name, " ", row.seconds);
  });
}

TEST(BenchRows, Read) {
  constexpr char kNone[] =
      "There is no row of Google Benchmark, as a table or as JSON.";
  const struct {
    const char* output;
    const char* want;
  } kCases[] = {
      {"", kNone},
      {"nothing of the kind\n", kNone},
      {"2026-01-01T00:00:00+00:00\nRunning x\nRun on (2 X 2000 MHz CPUs)\n"
       "Load Average: 1.00, 2.00, 3.00\n--------\n"
       "Benchmark   Time   CPU   Iterations\n--------\n"
       "BM_add/process_time/real_time   1.5 us   1.77 us  398 items=1/s\n",
       "BM_add/process_time/real_time 1.5e-06"},
      {"BM_a 2 s 1 s 1\r\nBM_b 3 ms 1 ms 1\nBM_c 4 ns 1 ns 1",
       "BM_a 2; BM_b 0.003; BM_c 4e-09"},
      // Repetitions are rows of their own; aggregates are ignored.
      {"BM_a 1 s 1 s 1\nBM_a 5 s 1 s 1\nBM_a 2 s 1 s 1\n"
       "BM_a_mean 2.6 s 1 s 3\nBM_a_median 2 s 1 s 3\nBM_a_stddev 1 s 1 s 3\n"
       "BM_a_cv 1 s 1 s 3\n",
       "BM_a 1; BM_a 5; BM_a 2"},
      // Several tables.
      {"Benchmark   Time   CPU   Iterations\nBM_a 1 s 1 s 1\n"
       "Benchmark   Time   CPU   Iterations\nBM_a 3 s 1 s 1\n",
       "BM_a 1; BM_a 3"},
      {"BM_a ERROR OCCURRED: 'it is broken'\n", "BM_a fails:  'it is broken'"},
      {"BM_a 0.000 ms 0 ms 1\n",
       "BM_a fails: 0.000 ms has too few digits; use "
       "--benchmark_format=json."},
      {"BM_b -1 ms 0 ms 1\nBM_c nan ms 0 ms 1\n"
       "BM_d inf ms 0 ms 1\nBM_e 1 h 0 h 1\n",
       kNone},
      {R"({"context": {}, "benchmarks": [
          {"name": "BM_a", "run_type": "iteration", "real_time": 2,
           "cpu_time": 1, "time_unit": "ms"},
          {"name": "BM_a_mean", "run_type": "aggregate", "real_time": 9,
           "time_unit": "ms"},
          {"name": "BM_b", "real_time": 1.5e+00, "time_unit": "us"}]})",
       "BM_a 0.002; BM_b 1.5e-06"},
      {R"({"benchmarks": [{"name": "BM_a", "error_occurred": true,
                           "error_message": "it is broken"}]})",
       "BM_a fails: it is broken"},
      {R"({"benchmarks": [{"name": "BM_a", "real_time": 2}]})", kNone},
      {R"({"benchmarks": [3, null, "x"]})", kNone},
      {R"({"benchmarks": 3})", kNone},
      {"{}", kNone},
  };
  for (const auto& c : kCases) EXPECT_EQ(Read(c.output), c.want) << c.output;
  EXPECT_FALSE(ReadBenchRows("{\"benchmarks\": [").ok());
}

TEST(BenchRows, Quartiles) {
  const struct {
    std::vector<double> values;
    double low, middle, high;
  } kCases[] = {
      {{3}, 3, 3, 3},
      {{1, 3}, 1.5, 2, 2.5},
      {{5, 1, 3}, 2, 3, 4},
      {{4, 1, 2, 3}, 1.75, 2.5, 3.25},
      {{9, 1, 7, 3, 5}, 3, 5, 7},
  };
  for (const auto& c : kCases) {
    const Quartiles got = QuartilesOf(c.values);
    EXPECT_DOUBLE_EQ(got.low, c.low);
    EXPECT_DOUBLE_EQ(got.middle, c.middle);
    EXPECT_DOUBLE_EQ(got.high, c.high);
  }
}

TEST(BenchRows, CompareRepetitions) {
  const std::vector<BenchRow> after = {
      {"BM_a", 1}, {"BM_a", 2}, {"BM_a", 3}, {"BM_new", 1}};
  const std::vector<BenchRow> before = {
      {"BM_a", 2}, {"BM_a", 4}, {"BM_old", 1}};
  std::vector<std::string> alone;
  const auto rows = *CompareBenchRows(after, before, alone);
  EXPECT_EQ(absl::StrJoin(alone, " "), "BM_new BM_old");
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_DOUBLE_EQ(rows[0].seconds, 2);
  EXPECT_DOUBLE_EQ(rows[0].before_seconds, 3);
  EXPECT_DOUBLE_EQ(rows[0].ratio(), 2.0 / 3);
  // The pairs have 1/4, 1/2, 1/2, 3/4, 1 and 3/2.
  EXPECT_DOUBLE_EQ(rows[0].pairs.low, 0.5);
  EXPECT_DOUBLE_EQ(rows[0].pairs.high, 0.9375);
}

TEST(BenchRows, FindPartners) {
  const struct {
    std::vector<BenchRow> after;
    std::vector<BenchRow> before;
    const char* want;
  } kCases[] = {
      // A single row on each side matches, whatever its name.
      {{{"BM_a", 1}}, {{"other", 1}}, "BM_a:other"},
      {{{"BM_a", 1}, {"BM_b", 1}},
       {{"other", 1}},
       "No function has a row on both sides; their first rows are 'BM_a' and "
       "'other'."},
      {{{"BM_a/1", 1}, {"BM_b", 1}},
       {{"BM_b", 1}, {"BM_a", 1}},
       "BM_a/1:BM_a BM_b:BM_b"},
      // Several rows of one function match by their full names only.
      {{{"BM_a/1", 1}, {"BM_a/2", 1}},
       {{"BM_a/2", 1}, {"BM_a/1", 1}},
       "BM_a/1:BM_a/1 BM_a/2:BM_a/2"},
      {{{"BM_a/1", 1}},
       {{"BM_a/2", 1}, {"BM_a/3", 1}},
       "No function has a row on both sides; their first rows are 'BM_a/1' and "
       "'BM_a/2'."},
      {{{"BM_a/1", 1}, {"BM_a/2", 1}}, {{"BM_a", 1}}, "BM_a/1:BM_a"},
      {{{"BM_a", 1}},
       {},
       "No function has a row on both sides; their first rows are 'BM_a' and "
       "''."},
  };
  for (const auto& c : kCases) {
    std::vector<std::string> alone;
    const auto rows = CompareBenchRows(c.after, c.before, alone);
    EXPECT_EQ(rows.ok() ? absl::StrJoin(*rows, " ",
                                        [](std::string* out, const auto& row) {
                                          absl::StrAppend(out, row.name, ":",
                                                          row.before_name);
                                        })
                        : std::string(rows.status().message()),
              c.want);
  }
}

}  // namespace
}  // namespace eyrie::tools
