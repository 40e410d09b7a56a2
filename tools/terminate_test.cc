// Checks the messages for uncaught exceptions.
#include <cerrno>
#include <exception>
#include <new>
#include <stdexcept>
#include <system_error>

#include "gtest/gtest.h"

namespace eyrie::tools {
namespace {

template <typename T>
void Throw(const T& exception) {
  throw exception;
}

template <typename T>
void EndBy(const T& exception) noexcept {
  Throw(exception);
}

TEST(TerminateDeathTest, SaysWhy) {
  EXPECT_EXIT(EndBy(std::bad_alloc()), testing::ExitedWithCode(1),
              "^eyrie: The system has no more memory for this process\\.");
  EXPECT_EXIT(EndBy(std::system_error(EAGAIN, std::generic_category(), "x")),
              testing::ExitedWithCode(1),
              "^eyrie: The process ends: x: Resource temporarily unavailable");
  EXPECT_DEATH(EndBy(std::runtime_error("No thread")),
               "^eyrie: The process ends: No thread\n");
  EXPECT_DEATH(EndBy(7),
               "^eyrie: The process ends because of an unknown exception");
  EXPECT_DEATH(std::terminate(), "^eyrie: std::terminate was called\\.");
}

}  // namespace
}  // namespace eyrie::tools
