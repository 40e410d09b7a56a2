// Each function that is found late gives what it should, the second time too.
#include <cfenv>
#include <cmath>

#include "gtest/gtest.h"

namespace eyrie::tools {
namespace {

struct Case {
  const char* name;
  double (*of_double)(double);
  float (*of_float)(float);
  double x;
  double want;
};

// Pointers, so that the compiler computes nothing itself.
const Case kCases[] = {
    {"atan", &::atan, &::atanf, 1, 0.78539816339744831},
    {"ceil", &::ceil, &::ceilf, 1.5, 2},
    {"cos", &::cos, &::cosf, 1, 0.54030230586813977},
    {"erf", &::erf, &::erff, 1, 0.84270079294971489},
    {"exp", &::exp, &::expf, 1, 2.7182818284590451},
    {"exp2", &::exp2, &::exp2f, 3, 8},
    {"expm1", &::expm1, &::expm1f, 1, 1.7182818284590451},
    {"log", &::log, &::logf, 2, 0.69314718055994529},
    {"log10", &::log10, &::log10f, 1000, 3},
    {"log1p", &::log1p, &::log1pf, 1, 0.69314718055994529},
    {"log2", &::log2, &::log2f, 8, 3},
    {"nearbyint", &::nearbyint, &::nearbyintf, 2.5, 2},
    {"round", &::round, &::roundf, 2.5, 3},
    {"sin", &::sin, &::sinf, 1, 0.8414709848078965},
    {"sqrt", &::sqrt, &::sqrtf, 2.25, 1.5},
    {"tanh", &::tanh, &::tanhf, 1, 0.76159415595576485},
};

struct CaseOfTwo {
  const char* name;
  double (*of_double)(double, double);
  float (*of_float)(float, float);
  double x, y;
  double want;
};

const CaseOfTwo kCasesOfTwo[] = {
    {"atan2", &::atan2, &::atan2f, 1, -1, 2.3561944901923448},
    {"pow", &::pow, &::powf, 2, 10, 1024},
    {"remainder", &::remainder, &::remainderf, 5, 3, -1},
};

TEST(LazyMathTest, GivesWhatLibmGives) {
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.name);
    for (int time = 0; time < 2; ++time) {
      EXPECT_DOUBLE_EQ(c.of_double(c.x), c.want);
      EXPECT_FLOAT_EQ(c.of_float(c.x), c.want);
    }
  }
}

TEST(LazyMathTest, GivesWhatLibmGivesOfTwo) {
  for (const CaseOfTwo& c : kCasesOfTwo) {
    SCOPED_TRACE(c.name);
    for (int time = 0; time < 2; ++time) {
      EXPECT_DOUBLE_EQ(c.of_double(c.x, c.y), c.want);
      EXPECT_FLOAT_EQ(c.of_float(c.x, c.y), c.want);
    }
  }
}

TEST(LazyMathTest, Rounding) {
  const int before = std::fegetround();
  ASSERT_EQ(std::fesetround(FE_UPWARD), 0);
  EXPECT_EQ(std::fegetround(), FE_UPWARD);
  double (*volatile round)(double) = &::nearbyint;
  EXPECT_EQ(round(1.25), 2);
  std::fesetround(before);
}

TEST(LazyMathTest, NotANumber) {
  double (*volatile of_double)(const char*) = &::nan;
  float (*volatile of_float)(const char*) = &::nanf;
  EXPECT_TRUE(std::isnan(of_double("")));
  EXPECT_TRUE(std::isnan(of_float("")));
}

}  // namespace
}  // namespace eyrie::tools
