// One module on eight threads with a context each: compiled modules of every
// release on one device. Run under ThreadSanitizer, too.
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "abi/call/session.h"
#include "gtest/gtest.h"
#include "tests/integration/manifest_cases.h"

namespace eyrie::tests {
namespace {

constexpr int kThreads = 8;
// Cases per module. Each thread begins with a different one.
constexpr size_t kCases = 2;

// Runs the first cases of a module, each in a new context. Returns what is
// wrong, or "".
std::string RunCases(const Json& module, const ProgramsOr& programs,
                     const std::vector<Ref<hal::Device>>& devices,
                     size_t begin) {
  const Json& cases = module["cases"];
  const size_t count = std::min(kCases, cases.size());
  std::string wrong;
  for (size_t i = 0; i < count; ++i) {
    wrong += RunCase(module, cases[(begin + i) % count],
                     NewSession(programs, devices));
  }
  return wrong;
}

TEST(Threads, ShareModulesAndADevice) {
  const auto devices = abi::OpenDevices({}, {});
  ASSERT_TRUE(devices.ok()) << devices.status();
  std::set<std::string> releases;
  for (const Json& module : ManifestModules()) {
    releases.insert(module["release"].get<std::string>());
    const ProgramsOr programs = LoadPrograms(module);
    std::vector<std::string> wrong(kThreads);
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back(
          [&, t] { wrong[t] = RunCases(module, programs, *devices, t); });
    }
    for (std::thread& thread : threads) thread.join();
    for (const std::string& text : wrong) EXPECT_EQ(text, "");
  }
  EXPECT_GE(releases.size(), 5u);
}

// Each context has its own limits and timer thread. One context may exceed its
// limit while others run.
TEST(Threads, LimitsAreEachContextsOwn) {
  const auto devices = abi::OpenDevices({}, {});
  ASSERT_TRUE(devices.ok()) << devices.status();
  for (const Json& module : ManifestModules()) {
    if (module["source"] != "counter.mlir" && module["source"] != "mlp.mlir") {
      continue;
    }
    const ProgramsOr programs = LoadPrograms(module);
    std::vector<std::string> wrong(kThreads);
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t] {
        vm::Limits limits;
        limits.timeout = absl::Minutes(5);
        limits.max_memory = t % 2 == 0 ? 16 << 20 : 64;
        const Json& entry = module["cases"][0];
        const SessionOr session = NewSession(programs, *devices, limits);
        const std::string text = RunCase(module, entry, session);
        // Every other context has too little memory. Only these must fail.
        if ((t % 2 == 0) != text.empty()) wrong[t] = text + " of a context";
      });
    }
    for (std::thread& thread : threads) thread.join();
    for (const std::string& text : wrong) EXPECT_EQ(text, "");
  }
}

}  // namespace
}  // namespace eyrie::tests
