// Programs with transfers and queries that would run for hours, on both CPU
// devices. They must end when the fuel is spent, at the timeout or on
// cancellation, and release everything.
#include <memory>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "abi/call/session.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "base/deadline.h"
#include "gtest/gtest.h"
#include "tests/support/files.h"
#include "vm/asm/assembler.h"
#include "vm/limits/call_limits.h"
#include "vm/limits/cancel_token.h"
#include "vm/run/context.h"

namespace eyrie::tests {
namespace {

constexpr int64_t kFillBytes = int64_t{32} << 20;

const struct {
  const char* function;
  int32_t count;
  int64_t bytes;  // of each
} kPrograms[] = {
    {"recorded", 50000, kFillBytes},  {"deferred", 50000, kFillBytes},
    {"queued", 50000, kFillBytes},    {"copied", 50000, kFillBytes},
    {"read", 50000, kFillBytes},      {"repeated", 100000, 8},
    {"asked", INT32_MAX, kFillBytes}, {"joined", 50000, 0},
};

// Waits until no memory of the device is in use. An operation on a thread of
// the device ends after its current piece.
bool IsReleased(hal::Device& device, absl::Duration within) {
  const Deadline end = Deadline::After(within);
  const auto in_use = [&device] {
    return device.allocator().statistics().device_local.live() != 0;
  };
  while (in_use() && !end.HasPassed()) absl::SleepFor(absl::Milliseconds(1));
  return !in_use();
}

class DeviceWorkTest : public ::testing::TestWithParam<const char*> {
 protected:
  // Runs a program under limits and returns its status code. Checks that all
  // memory is released.
  std::string Outcome(const auto& row, const vm::Limits& limits,
                      absl::Duration cancel_after = absl::InfiniteDuration()) {
    const Ref<hal::Device> device = *abi::OpenDevice(GetParam(), {});
    std::string code;
    {
      abi::SessionOptions options;
      options.limits = limits;
      auto session = abi::Session::Create({program_}, {device}, options);
      if (!session.ok()) return session.status().ToString();
      std::thread canceller;
      if (cancel_after != absl::InfiniteDuration()) {
        canceller = std::thread([&] {
          absl::SleepFor(cancel_after);
          (*session)->Cancel();
        });
      }
      auto callable = (*session)->Lookup(row.function);
      const std::vector<vm::Value> args = {vm::Value(row.count),
                                           vm::Value(row.bytes)};
      code = absl::StatusCodeToString(callable->Call(args).status().code());
      if (canceller.joinable()) canceller.join();
    }
    EXPECT_TRUE(IsReleased(*device, absl::Minutes(1)));
    return code;
  }

  const abi::Program program_ = [] {
    const std::string path = "tests/modules/device_work.vmasm";
    const auto bytes = vm::Assemble(FileText(path), path);
    EXPECT_TRUE(bytes.ok()) << bytes.status();
    const auto program = abi::LoadProgram(*bytes, path);
    EXPECT_TRUE(program.ok()) << program.status();
    return *program;
  }();
};

INSTANTIATE_TEST_SUITE_P(Devices, DeviceWorkTest,
                         ::testing::Values("local-sync", "local-task"),
                         [](const auto& info) {
                           return absl::StrCat(info.index == 0 ? "Sync"
                                                               : "Task");
                         });

TEST_P(DeviceWorkTest, EndsWithTheFuel) {
  for (const auto& row : kPrograms) {
    vm::Limits limits;
    limits.fuel = 500000;
    EXPECT_EQ(Outcome(row, limits), "RESOURCE_EXHAUSTED") << row.function;
  }
}

TEST_P(DeviceWorkTest, EndsWithTheTime) {
  for (const auto& row : kPrograms) {
    vm::Limits limits;
    limits.timeout = absl::Milliseconds(200);
    EXPECT_EQ(Outcome(row, limits), "DEADLINE_EXCEEDED") << row.function;
  }
}

TEST_P(DeviceWorkTest, EndsWhenCancelled) {
  for (const auto& row : kPrograms) {
    EXPECT_EQ(Outcome(row, {}, absl::Milliseconds(100)), "CANCELLED")
        << row.function;
  }
}

TEST_P(DeviceWorkTest, GoesOnWithinItsLimits) {
  for (const auto& row : kPrograms) {
    vm::Limits limits;
    limits.fuel = 1000;
    EXPECT_EQ(Outcome(std::remove_cvref_t<decltype(row)>{row.function, 3, 4096},
                      limits),
              "OK")
        << row.function;
  }
}

// Limits of single calls, one after another in one session, which can be called
// after each. Work that is left on the device has ended by then, or ends soon.
TEST_P(DeviceWorkTest, EndsWithTheCall) {
  const Ref<hal::Device> device = *abi::OpenDevice(GetParam(), {});
  auto session = *abi::Session::Create({program_}, {device}, {});
  for (const auto& row : kPrograms) {
    abi::Callable callable = *session->Lookup(row.function);
    const auto call = [&](int32_t count, int64_t bytes, vm::CallLimits limits) {
      vm::LimitedCall limited(std::move(limits));
      const vm::Context::LimitScope scope(session->context(), &limited);
      const std::vector<vm::Value> args = {vm::Value(count), vm::Value(bytes)};
      return absl::StatusCodeToString(callable.Call(args).status().code());
    };
    const auto token = std::make_shared<vm::CancelToken>();
    std::thread canceller([&token] {
      absl::SleepFor(absl::Milliseconds(100));
      token->Cancel();
    });
    EXPECT_EQ(call(row.count, row.bytes, {.cancel = token}), "CANCELLED")
        << row.function;
    canceller.join();
    EXPECT_EQ(call(row.count, row.bytes, {.timeout = absl::Milliseconds(100)}),
              "DEADLINE_EXCEEDED")
        << row.function;
    EXPECT_EQ(call(row.count, row.bytes, {.fuel = 500000}),
              "RESOURCE_EXHAUSTED")
        << row.function;
    EXPECT_EQ(call(3, 4096, {.fuel = 1000}), "OK") << row.function;
    EXPECT_EQ(call(3, 4096, {}), "OK") << row.function;
  }
  session = nullptr;
  EXPECT_TRUE(IsReleased(*device, absl::Minutes(1)));
}

// Work that a call has queued and does not await ends when the call's time is
// over, although the call has returned.
TEST_P(DeviceWorkTest, EndsAfterTheCall) {
  const bool waits = GetParam() == std::string("local-sync");
  const std::vector<vm::Value> args = {vm::Value(int32_t{50000}),
                                       vm::Value(kFillBytes)};
  const std::vector<vm::Value> none = {vm::Value(int32_t{1}),
                                       vm::Value(int64_t{8})};
  const auto code = [](const auto& results) {
    return absl::StatusCodeToString(results.status().code());
  };
  for (const bool whole : {true, false}) {
    const Ref<hal::Device> device = *abi::OpenDevice(GetParam(), {});
    abi::SessionOptions options;
    if (whole) options.limits.timeout = absl::Milliseconds(500);
    auto session = *abi::Session::Create({program_}, {device}, options);
    abi::Callable callable = *session->Lookup("left");
    {
      vm::LimitedCall limited({.timeout = absl::Milliseconds(500)});
      const vm::Context::LimitScope scope(session->context(),
                                          whole ? nullptr : &limited);
      EXPECT_EQ(code(callable.Call(args)), waits ? "DEADLINE_EXCEEDED" : "OK");
    }
    EXPECT_TRUE(IsReleased(*device, absl::Seconds(20)));
    EXPECT_EQ(code(callable.Call(none)), whole ? "FAILED_PRECONDITION" : "OK");
    // Time without work is not counted.
    session = *abi::Session::Create({program_}, {device}, options);
    callable = *session->Lookup("left");
    EXPECT_EQ(code(callable.Call(none)), "OK");
    if (whole) absl::SleepFor(absl::Milliseconds(600));
    EXPECT_EQ(code(callable.Call(none)), "OK");
  }
}

}  // namespace
}  // namespace eyrie::tests
