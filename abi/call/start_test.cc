// Tests Invoker::Start: chains of calls, each of which waits for the one
// before.
#include <algorithm>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "abi/call/invoker.h"
#include "abi/call/session.h"
#include "abi/tensor/tensor_text.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "gtest/gtest.h"
#include "hal/device.h"
#include "hal/fence.h"
#include "tests/support/releases.h"
#include "tests/support/sessions.h"
#include "tests/support/status_text.h"

namespace eyrie::abi {
namespace {

constexpr int kCalls = 16;

// Returns a fence that is not signalled.
Ref<hal::Fence> Unreached(Session& session) {
  return *session.devices()[0]->CreateFence();
}

// Calls that begin with `count` ones.
class Chain {
 public:
  explicit Chain(Session& session, Ref<hal::Fence> start = nullptr,
                 int64_t count = 4)
      : session_(session), last_(std::move(start)) {
    const std::vector<float> ones(static_cast<size_t>(count), 1.0f);
    value_ = HostValue(*HostArray::Copy(
        hal::ElementType::kFloat32, {&count, 1},
        {reinterpret_cast<const uint8_t*>(ones.data()), ones.size() * 4}));
  }

  absl::Status Submit(const char* name) {
    function_ = Invoker::Create(session_, *session_.Lookup(name));
    Ref<hal::Fence> signal = Unreached(session_);
    const HostValue lent(value_.array()->Lent());
    const HostValue* const given[] = {&lent};
    std::vector<HostValue> results;
    const absl::Status status =
        function_->Start({.values = given}, last_.get(), *signal, results);
    last_ = std::move(signal);
    if (status.ok()) value_ = results[0];
    return status;
  }
  absl::Status Wait() { return function_->WaitFor(*last_); }
  bool IsReached() { return *last_->Query(); }

  std::string Text() const {
    const HostArray& array = *value_.array();
    hal::TensorType spec;
    spec.element = array.type();
    spec.shape.assign(array.shape().begin(), array.shape().end());
    std::string text = absl::StrCat(array.ShapeText(), "=");
    AppendElements(array.bytes(), spec, 64, FloatCase::kLower, text);
    return text;
  }

 private:
  Session& session_;
  Ref<hal::Fence> last_;
  HostValue value_;
  absl::StatusOr<Invoker> function_;  // the last one
};

TEST(Start, ChainsOfEveryRelease) {
  // 16 calls that double ones give 2^16 in every element.
  constexpr char kDoubled[] = "4xf32=65536 65536 65536 65536";
  constexpr char kOnceLess[] = "4xf32=32768 32768 32768 32768";
  const struct {
    const char* variant;
    std::vector<const char*> functions;  // the last one is repeated
    const char* want;
  } kRows[] = {
      {".async", {"double"}, kDoubled},
      {".async", {"scale"}, kDoubled},
      {".async", {"plain"}, kDoubled},
      {".async", {"scale", "double", "plain"}, kDoubled},
      // The result depends on data, and is the argument that is passed here.
      {".async", {"scale", "scale", "leading", "scale"}, kOnceLess},
      // Synchronous functions are complete when they return.
      {"", {"double"}, kDoubled},
      {"", {"leading", "scale"}, kOnceLess},
  };
  for (const char* release : tests::kReleases) {
    for (const auto& row : kRows) {
      SCOPED_TRACE(absl::StrCat(release, " row ", &row - kRows));
      const auto session = tests::OpenSession(
          absl::StrCat(release, "/raw_results", row.variant, ".vmfb"));
      Chain chain(*session);
      for (size_t i = 0; i < kCalls; ++i) {
        const char* const name =
            row.functions[std::min(i, row.functions.size() - 1)];
        ASSERT_EQ(StatusText(chain.Submit(name)), "OK");
      }
      ASSERT_EQ(StatusText(chain.Wait()), "OK");
      EXPECT_EQ(chain.Text(), row.want);
    }
  }
}

// All calls are submitted before the first one can start.
TEST(Start, SubmitsWhatCannotRunYet) {
  for (const char* name : {"double", "scale", "plain"}) {
    const auto session = tests::OpenSession("3.13/raw_results.async.vmfb");
    const Ref<hal::Fence> start = Unreached(*session);
    Chain chain(*session, start);
    for (int i = 0; i < kCalls; ++i) {
      ASSERT_EQ(StatusText(chain.Submit(name)), "OK");
      EXPECT_FALSE(chain.IsReached());
    }
    ASSERT_EQ(StatusText(start->Signal()), "OK");
    EXPECT_TRUE(chain.IsReached());
    EXPECT_EQ(chain.Text(), "4xf32=65536 65536 65536 65536");
  }
}

// A result that depends on data blocks Start, and so does a synchronous
// function.
TEST(Start, WaitsForData) {
  const struct {
    const char* variant;
    const char* function;
  } kRows[] = {{".async", "leading"}, {"", "scale"}};
  for (const auto& row : kRows) {
    const auto session = tests::OpenSession(
        absl::StrCat("3.13/raw_results", row.variant, ".vmfb"));
    const Ref<hal::Fence> start = Unreached(*session);
    Chain chain(*session, start);
    bool is_signalled = false;
    std::thread starter([&] {
      absl::SleepFor(absl::Milliseconds(20));
      is_signalled = true;
      start->Signal().IgnoreError();
    });
    const absl::Status status = chain.Submit(row.function);
    EXPECT_TRUE(is_signalled);
    starter.join();
    EXPECT_EQ(StatusText(status), "OK");
    EXPECT_TRUE(chain.IsReached());
  }
}

// Failures before and between calls are reported at the end.
TEST(Start, FailuresReachTheEnd) {
  const auto session = tests::OpenSession("3.13/raw_results.async.vmfb");
  const struct {
    bool is_abandoned;
    const char* want;
  } kRows[] = {
      {false, "DATA_LOSS: The input is lost."},
      {true, "CANCELLED: The semaphore was released before it reached "},
  };
  for (const auto& row : kRows) {
    Ref<hal::Fence> fence = Unreached(*session);
    Chain chain(*session, fence);
    for (int i = 0; i < kCalls; ++i) {
      ASSERT_EQ(StatusText(chain.Submit("scale")), "OK");
    }
    if (!row.is_abandoned)
      fence->Fail(absl::DataLossError("The input is lost."));
    fence = nullptr;
    const std::string got = StatusText(chain.Wait());
    EXPECT_TRUE(absl::StartsWith(got, row.want)) << got;
  }
}

TEST(Start, AFailingAllocatorReachesTheEnd) {
  const auto session = tests::OpenSession("3.13/raw_allocators.async.vmfb");
  Chain chain(*session, nullptr, 1);
  ASSERT_EQ(StatusText(chain.Submit("small")), "OK");
  const absl::Status failed = chain.Submit("fails");
  EXPECT_TRUE(absl::StrContains(failed.message(), "there is no room"));
  EXPECT_EQ(chain.Wait(), failed);
}

}  // namespace
}  // namespace eyrie::abi
