// Measured costs, estimates for commands, and streaks of calls.
#include "hal/cpu/task/sharing.h"

#include <thread>
#include <vector>

#include "gtest/gtest.h"
#include "hal/cpu/kernel_executable.h"
#include "hal/cpu/task/call_streak.h"
#include "tests/support/cpu_device.h"
#include "tests/support/fake_executable.h"

namespace eyrie::hal::cpu {
namespace {

TEST(KernelCost, Moves) {
  struct Case {
    std::vector<double> ns;  // of ten workgroups each
    float least, most;
  };
  const Case kCases[] = {
      {{}, 0, 0},
      {{1000}, 100, 101},
      // A measurement of 0 ns counts as measured, too.
      {{0}, 0.01f, 1},
      // The cost falls fast and rises slowly.
      {{1000, 0}, 50, 51},
      {{1000, 2000}, 112, 113},
      {{1000, 0, 0, 0, 0, 0, 0, 0}, 0.01f, 1},
  };
  for (const Case& c : kCases) {
    KernelCost cost;
    for (const double ns : c.ns) cost.Add(ns, 10);
    EXPECT_GE(cost.ns(), c.least);
    EXPECT_LE(cost.ns(), c.most);
  }
}

TEST(KernelCost, IsDueAtFirstAndNowAndThen) {
  KernelCost cost;
  int due = 0;
  for (int run = 0; run < 1000; ++run) due += cost.IsDue();
  EXPECT_GE(due, 10);
  EXPECT_LE(due, 30);
}

int Nothing(const Environment*, const DispatchState*, const WorkgroupState*) {
  return 0;
}

TEST(Sharing, Estimates) {
  const Ref<hal::Device> device = NewDevice();
  const Ref<hal::Executable> executable = CreateFakeExecutable(
      {{"measured", 0, 0, Nothing}, {"new", 0, 0, Nothing}});
  static_cast<const KernelExecutable&>(*executable).cost(0).Add(1000, 10);
  const Ref<hal::Buffer> buffer = NewBuffer(*device, 8000);
  const auto estimate = [&](auto record) {
    const Ref<CommandBuffer> commands =
        *device->CreateCommandBuffer(0, kAnyQueue, 0);
    record(*commands);
    EXPECT_TRUE(commands->Finalize().ok());
    return EstimateCommands(*commands);
  };
  EXPECT_EQ(estimate([](CommandBuffer&) {}).ns, 0);
  const Estimate all = estimate([&](CommandBuffer& commands) {
    EXPECT_TRUE(commands.Dispatch(executable, 0, {2, 3, 4}, {}, {}).ok());
    EXPECT_TRUE(commands.ExecutionBarrier(0, 0).ok());
    EXPECT_TRUE(commands.Fill(Whole(buffer), BytesOf(1u)).ok());
    EXPECT_TRUE(
        commands.Copy({buffer, 0, 0, 4000}, {buffer, 0, 4000, 4000}).ok());
  });
  EXPECT_TRUE(all.known);
  EXPECT_NEAR(all.ns, 24 * 100 + 12000 / kTransferBytesPerNs, 10);
  EXPECT_NEAR(all.largest_ns, 24 * 100, 10);
  EXPECT_EQ(
      estimate([&](CommandBuffer& commands) {
        EXPECT_TRUE(commands.Dispatch(executable, 0, {1, 1, 1}, {}, {}).ok());
      }).largest_ns,
      0);
  EXPECT_FALSE(estimate([&](CommandBuffer& commands) {
                 EXPECT_TRUE(
                     commands.Dispatch(executable, 1, {1, 1, 1}, {}, {}).ok());
               }).known);
  EXPECT_FALSE(
      estimate([&](CommandBuffer& commands) {
        EXPECT_TRUE(
            commands.DispatchIndirect(executable, 0, {buffer, 0, 0, 12}, {}, {})
                .ok());
      }).known);
}

TEST(CallStreak, SumsUpWhatFollowsClosely) {
  constexpr double kPause = 12500;
  constexpr double kEnough = 40000;
  CallStreak streak(kPause);
  struct Row {
    double pause, ns;
    bool enough;
  };
  double now = 1e9;
  for (const Row& row : {
           Row{0, 15000, false},
           Row{0, 15000, false},
           Row{kPause, 10000, true},  // 40 us together
           Row{0, 40000, false},      // now it needs twice as much
           Row{0, 30000, false},
           Row{0, 10000, true},
           Row{1, 159999, false},  // now it needs four times as much
           Row{kPause + 1, 30000, false},
           Row{1, 10000, true},  // a new streak since the long pause
           Row{1e12, 0, false},
           Row{0, 1e9, true},
       }) {
    now += row.pause;
    EXPECT_EQ(streak.Add(now, now + row.ns, kEnough), row.enough) << now;
    now += row.ns;
  }
  EXPECT_TRUE(streak.is_possible());
  EXPECT_FALSE(CallStreak(0).is_possible());
}

TEST(CallStreak, IsOfOneThread) {
  CallStreak streak(10);
  EXPECT_FALSE(streak.Add(0, 30, 40));
  std::thread([&] { EXPECT_FALSE(streak.Add(30, 60, 40)); }).join();
  EXPECT_FALSE(streak.Add(60, 90, 40));
  EXPECT_TRUE(streak.Add(90, 120, 40));
}

}  // namespace
}  // namespace eyrie::hal::cpu
