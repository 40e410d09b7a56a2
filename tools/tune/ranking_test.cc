// Tests of which candidate counts as the fastest.
#include "tools/tune/ranking.h"

#include <numeric>
#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace eyrie::tools {
namespace {

struct Row {
  std::vector<double> turns_ms;
  const char* note = "";
};

std::vector<Candidate> CandidatesOf(const std::vector<Row>& rows) {
  std::vector<Candidate> candidates(rows.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    candidates[i].turns_ms = rows[i].turns_ms;
    candidates[i].note = rows[i].note;
  }
  Rank(candidates);
  return candidates;
}

TEST(Ranking, FindsTheFastest) {
  struct Case {
    const char* description;
    std::vector<Row> rows;
    int want;  // the index of the fastest; -1: none
  };
  const Case kCases[] = {
      {"nothing", {}, -1},
      {"nothing measured", {{{}, "refused"}, {{}}}, -1},
      {"one", {{{3, 3, 3}}}, 0},
      {"the second", {{{3, 3, 3}}, {{2, 2, 2}}, {{2.5, 2.5, 2.5}}}, 1},
      {"wrong results", {{{3, 3, 3}}, {{1, 1, 1}, "differs"}}, 0},
      {"the first refused", {{{}, "refused"}, {{3, 3}}, {{2, 2}}}, 2},
      {"not faster each time", {{{3, 3, 3, 3}}, {{2, 2, 2, 4}}}, 0},
      {"noise that hits both", {{{3, 30, 3}}, {{2, 20, 2}}}, 1},
      {"a turn less", {{{3, 3, 3}}, {{2, 2}}}, 1},
      {"equal", {{{3, 3}}, {{3, 3}}}, 0},
  };
  for (const Case& c : kCases) {
    const std::vector<Candidate> candidates = CandidatesOf(c.rows);
    const Candidate* const fastest = FastestOf(candidates);
    EXPECT_EQ(fastest == nullptr ? -1 : fastest - candidates.data(), c.want)
        << c.description;
  }
}

TEST(Ranking, DividesTurnByTurn) {
  const std::vector<Candidate> candidates =
      CandidatesOf({{{4, 40, 8}}, {{2, 10, 8}}});
  EXPECT_EQ(candidates[0].ratio.middle, 1);
  EXPECT_EQ(candidates[1].ratio.middle, 0.5);
  EXPECT_EQ(candidates[1].ms, 8);
}

TEST(Ranking, BoundsTheMedian) {
  struct Case {
    size_t count;  // of the ratios 1, 2, 3 ...
    double low;
    double middle;
    double high;
  };
  const Case kCases[] = {
      {1, 1, 1, 1},
      {5, 1, 3, 5},
      {9, 2, 5, 8},
      {100, 41, 50.5, 60},
  };
  for (const Case& c : kCases) {
    std::vector<double> ratios(c.count);
    std::iota(ratios.rbegin(), ratios.rend(), 1);
    const RatioEstimate estimate = EstimateOf(ratios);
    EXPECT_EQ(estimate.low, c.low) << c.count;
    EXPECT_EQ(estimate.middle, c.middle) << c.count;
    EXPECT_EQ(estimate.high, c.high) << c.count;
  }
}

}  // namespace
}  // namespace eyrie::tools
