// Compares the names with those of the C library, where it has them.
#include "base/signal_name.h"

#include <csignal>
#include <cstring>
#include <string>

#include "gtest/gtest.h"

namespace eyrie {
namespace {

TEST(SignalName, IsThatOfTheCLibrary) {
  EXPECT_STREQ(SignalName(SIGSEGV), "SIGSEGV");
  EXPECT_STREQ(SignalName(SIGKILL), "SIGKILL");
  EXPECT_EQ(SignalName(0), nullptr);
  EXPECT_EQ(SignalName(-1), nullptr);
#ifdef __GLIBC__
  for (int signal = 1; signal < NSIG; ++signal) {
    const char* const name = sigabbrev_np(signal);
    if (name == nullptr) {
      EXPECT_EQ(SignalName(signal), nullptr) << signal;
    } else {
      EXPECT_STREQ(SignalName(signal), (std::string("SIG") + name).c_str());
    }
  }
#endif
}

}  // namespace
}  // namespace eyrie
