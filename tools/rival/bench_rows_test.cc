// Reads rows of benchmark output and compares the rows of both sides.
#include "tools/rival/bench_rows.h"

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
      // For repetitions, the median of their rows; aggregates are ignored.
      {"BM_a 1 s 1 s 1\nBM_a 5 s 1 s 1\nBM_a 2 s 1 s 1\n"
       "BM_a_mean 2.6 s 1 s 3\nBM_a_median 2 s 1 s 3\nBM_a_stddev 1 s 1 s 3\n"
       "BM_a_cv 1 s 1 s 3\n",
       "BM_a 2"},
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

TEST(BenchRounds, Summarize) {
  BenchRounds rounds;
  EXPECT_TRUE(rounds.Summarize().empty());
  const double times[][2] = {{1, 2}, {2, 2}, {1, 4}};
  for (const auto& [ours, theirs] : times) {
    ASSERT_TRUE(rounds
                    .Add({{"BM_a/real_time", ours}, {"BM_only", 1}},
                         {{"BM_x", 1}, {"BM_a/process_time", theirs}})
                    .ok());
  }
  EXPECT_EQ(rounds.size(), 3u);
  EXPECT_EQ(absl::StrJoin(rounds.alone(), " "), "BM_only BM_x");
  const auto rows = rounds.Summarize();
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].name, "BM_a/real_time");
  EXPECT_EQ(rows[0].rival_name, "BM_a/process_time");
  EXPECT_DOUBLE_EQ(rows[0].seconds, 1);
  EXPECT_DOUBLE_EQ(rows[0].rival_seconds, 2);
  EXPECT_DOUBLE_EQ(rows[0].ratio, 0.5);
  EXPECT_DOUBLE_EQ(rows[0].low, 0.375);  // of 0.25, 0.5 and 1
  EXPECT_DOUBLE_EQ(rows[0].high, 0.75);
  EXPECT_EQ(rows[0].rounds, 3u);
}

// The ratio of the medians, 2/3, is below all ratios but one.
TEST(BenchRounds, RatioIsWithinItsQuartiles) {
  BenchRounds rounds;
  const double times[][2] = {{1, 1}, {2, 3}, {3, 3}, {2, 2}, {9, 9}};
  for (const auto& [ours, theirs] : times) {
    ASSERT_TRUE(rounds.Add({{"BM_a", ours}}, {{"BM_a", theirs}}).ok());
  }
  const BenchComparison row = rounds.Summarize()[0];
  EXPECT_DOUBLE_EQ(row.seconds / row.rival_seconds, 2.0 / 3);
  EXPECT_DOUBLE_EQ(row.low, 1);
  EXPECT_DOUBLE_EQ(row.ratio, 1);
  EXPECT_DOUBLE_EQ(row.high, 1);
}

TEST(BenchRounds, CompareRepetitions) {
  const std::vector<BenchRow> ours = {
      {"BM_a", 1}, {"BM_a", 2}, {"BM_a", 3}, {"BM_new", 1}};
  const std::vector<BenchRow> theirs = {{"BM_a", 2}, {"BM_a", 4}};
  std::vector<std::string> alone;
  const auto rows = *CompareRepetitions(ours, theirs, alone);
  EXPECT_EQ(absl::StrJoin(alone, " "), "BM_new");
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_DOUBLE_EQ(rows[0].seconds, 2);
  EXPECT_DOUBLE_EQ(rows[0].rival_seconds, 3);
  EXPECT_DOUBLE_EQ(rows[0].low, 0.5);  // of 1/4, 1/2, 1/2, 3/4, 1 and 3/2
  EXPECT_DOUBLE_EQ(rows[0].ratio, 0.625);
  EXPECT_DOUBLE_EQ(rows[0].high, 0.9375);
  EXPECT_FALSE(CompareRepetitions(ours, {{"BM_b", 1}}, alone).ok());
}

TEST(BenchRounds, FindPartners) {
  const struct {
    std::vector<BenchRow> ours;
    std::vector<BenchRow> theirs;
    const char* want;
  } kCases[] = {
      // A single row on each side matches, whatever its name.
      {{{"BM_a", 1}}, {{"other", 1}}, "BM_a:other"},
      {{{"BM_a", 1}, {"BM_b", 1}}, {{"other", 1}}, "error"},
      {{{"BM_a/1", 1}, {"BM_b", 1}},
       {{"BM_b", 1}, {"BM_a", 1}},
       "BM_a/1:BM_a BM_b:BM_b"},
      // Several rows of one function match by their full names only.
      {{{"BM_a/1", 1}, {"BM_a/2", 1}},
       {{"BM_a/2", 1}, {"BM_a/1", 1}},
       "BM_a/1:BM_a/1 BM_a/2:BM_a/2"},
      {{{"BM_a/1", 1}}, {{"BM_a/2", 1}, {"BM_a/3", 1}}, "error"},
      {{{"BM_a/1", 1}, {"BM_a/2", 1}}, {{"BM_a", 1}}, "BM_a/1:BM_a"},
      {{{"BM_a", 1}}, {}, "error"},
  };
  for (const auto& c : kCases) {
    BenchRounds rounds;
    const bool ok = rounds.Add(c.ours, c.theirs).ok();
    EXPECT_EQ(ok ? absl::StrJoin(rounds.Summarize(), " ",
                                 [](std::string* out, const auto& row) {
                                   absl::StrAppend(out, row.name, ":",
                                                   row.rival_name);
                                 })
                 : "error",
              c.want);
  }
}

}  // namespace
}  // namespace eyrie::tools
