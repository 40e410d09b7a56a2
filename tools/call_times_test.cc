// Percentiles of few and many times, of all sizes and from several threads.
#include "tools/call_times.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "gtest/gtest.h"

namespace eyrie::tools {
namespace {

TEST(CallTimes, Empty) {
  EXPECT_EQ(CallTimes().count(), 0u);
  EXPECT_EQ(CallTimes().Percentile(0.5), 0);
}

TEST(CallTimes, SmallTimesAreExact) {
  CallTimes times;
  for (uint64_t ns = 1; ns <= 100; ++ns) times.Add(ns);
  EXPECT_EQ(times.count(), 100u);
  EXPECT_EQ(times.Percentile(0), 1);
  EXPECT_EQ(times.Percentile(0.5), 50);
  EXPECT_EQ(times.Percentile(0.9), 90);
  EXPECT_EQ(times.Percentile(0.99), 99);
  EXPECT_EQ(times.Percentile(1), 100);
}

TEST(CallTimes, OneTimeOfAnySize) {
  for (int bit = 0; bit < 64; ++bit) {
    for (const uint64_t less : {0, 1}) {
      const uint64_t ns = (uint64_t{1} << bit) - less;
      CallTimes times;
      times.Add(ns);
      const auto exact = static_cast<double>(ns);
      EXPECT_GE(times.Percentile(0.5), exact * (1 - 1e-12)) << ns;
      EXPECT_LE(times.Percentile(0.5), exact * 1.016) << ns;
    }
  }
}

TEST(CallTimes, MergesAndBoundsTheError) {
  std::mt19937_64 random(7);
  std::lognormal_distribution<double> distribution(9, 2);
  std::vector<double> all;
  CallTimes sum;
  for (int caller = 0; caller < 4; ++caller) {
    CallTimes times;
    for (int i = 0; i < 5000; ++i) {
      const auto ns = static_cast<uint64_t>(distribution(random));
      all.push_back(static_cast<double>(ns));
      times.Add(ns);
    }
    sum.Add(times);
  }
  EXPECT_EQ(sum.count(), all.size());
  std::sort(all.begin(), all.end());
  for (const double share : {0.5, 0.9, 0.99, 0.999, 1.0}) {
    const auto rank =
        static_cast<size_t>(std::ceil(share * static_cast<double>(all.size())));
    const double exact = all[rank - 1];
    EXPECT_GE(sum.Percentile(share), exact) << share;
    EXPECT_LE(sum.Percentile(share), exact * 1.016 + 1) << share;
  }
}

}  // namespace
}  // namespace eyrie::tools
