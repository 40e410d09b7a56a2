// Runs all tests of a program while the wall clock jumps, and fails tests that
// read it.
#include <optional>

#include "gtest/gtest.h"
#include "tests/support/jumping_clock.h"

namespace eyrie::tests {
namespace {

class Watch final : public ::testing::EmptyTestEventListener {
  void OnTestStart(const ::testing::TestInfo&) override { clock_.emplace(); }
  void OnTestEnd(const ::testing::TestInfo&) override {
    // GoogleTest itself reads the clock when a test begins.
    EXPECT_LE(clock_->reads(), 1) << "The test reads the wall clock.";
    clock_.reset();
  }

  std::optional<JumpingClock> clock_;
};

[[maybe_unused]] const bool kIsAdded = [] {
  ::testing::UnitTest::GetInstance()->listeners().Append(new Watch());
  return true;
}();

}  // namespace
}  // namespace eyrie::tests
