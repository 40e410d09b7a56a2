// Tests chains of calls: how often they wait, results and failures.
#include "abi/call/pipeline.h"

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "abi/tensor/tensor.h"
#include "abi/tensor/tensor_text.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "gtest/gtest.h"
#include "tests/support/releases.h"
#include "tests/support/sessions.h"
#include "tests/support/status_text.h"

namespace eyrie::abi::v0 {
namespace {

constexpr int kCalls = 16;

// Returns a tensor of four ones.
vm::Value Ones(Session& session) {
  hal::TensorType spec;
  spec.element = hal::ElementType::kFloat32;
  spec.shape = {4};
  const std::vector<float> ones(4, 1.0f);
  return vm::Value(Ref<RefObject>(
      *CopyTensor(*session.devices()[0], spec,
                  {reinterpret_cast<const uint8_t*>(ones.data()), 16})));
}

std::string Text(const vm::Value& value) {
  auto* view = RefCast<hal::BufferView>(value.ref());
  std::string text = absl::StrCat(view->ShapeAndType(), "=");
  AppendElements(*BytesOf(*view), SpecOf(*view), 64, FloatCase::kLower, text);
  return text;
}

// Returns a fence that is not signalled.
Ref<hal::Fence> Unreached(Session& session) {
  return hal::Fence::ForPoint(*session.devices()[0]->CreateSemaphore(0), 1);
}

TEST(Pipeline, CountsWaits) {
  // 16 calls that double ones give 2^16 in every element.
  constexpr char kDoubled[] = "4xf32=65536 65536 65536 65536";
  const struct {
    const char* variant;
    std::vector<const char*> functions;  // the last one is repeated
    uint64_t waits, made, allocated, fetched;
    const char* want;
  } kRows[] = {
      {".async", {"double"}, 1, 16, 0, 0, kDoubled},
      {".async", {"scale"}, 1, 0, 16, 0, kDoubled},
      {".async", {"plain"}, 1, 0, 0, 0, kDoubled},
      {".async", {"scale", "double", "plain"}, 1, 1, 1, 0, kDoubled},
      // The result depends on data, and is the argument that is passed here.
      {".async",
       {"scale", "scale", "scale", "scale", "scale", "scale", "scale",
        "leading", "scale"},
       2,
       0,
       15,
       1,
       "4xf32=32768 32768 32768 32768"},
      // Synchronous functions are complete when they return.
      {"", {"double"}, 0, 16, 0, 0, kDoubled},
      {"", {"leading", "scale"}, 0, 0, 15, 1, "4xf32=32768 32768 32768 32768"},
  };
  for (const char* release : tests::kReleases) {
    for (const auto& row : kRows) {
      SCOPED_TRACE(absl::StrCat(release, " row ", &row - kRows));
      const auto session = tests::OpenSession(
          absl::StrCat(release, "/raw_results", row.variant, ".vmfb"));
      Pipeline pipeline(*session);
      std::vector<vm::Value> values = {Ones(*session)};
      std::vector<Callable> functions;
      for (const char* name : row.functions) {
        functions.push_back(*session->Lookup(name));
      }
      for (size_t i = 0; i < kCalls; ++i) {
        Callable& function = functions[std::min(i, functions.size() - 1)];
        ASSERT_EQ(StatusText(pipeline.Submit(function, values, values)), "OK");
      }
      ASSERT_EQ(StatusText(pipeline.Wait()), "OK");
      EXPECT_EQ(pipeline.fence(), nullptr);
      const Pipeline::Statistics& statistics = pipeline.statistics();
      EXPECT_EQ(statistics.calls, uint64_t{kCalls});
      EXPECT_EQ(statistics.waits, row.waits);
      EXPECT_EQ(statistics.made, row.made);
      EXPECT_EQ(statistics.allocated, row.allocated);
      EXPECT_EQ(statistics.fetched, row.fetched);
      EXPECT_EQ(Text(values[0]), row.want);
    }
  }
}

// All calls are submitted before the first one can start.
TEST(Pipeline, SubmitsWhatCannotRunYet) {
  for (const char* name : {"double", "scale", "plain"}) {
    const auto session = tests::OpenSession("3.13/raw_results.async.vmfb");
    Callable function = *session->Lookup(name);
    const Ref<hal::Fence> start = Unreached(*session);
    Pipeline pipeline(*session);
    pipeline.After(start);
    std::vector<vm::Value> values = {Ones(*session)};
    for (int i = 0; i < kCalls; ++i) {
      ASSERT_EQ(StatusText(pipeline.Submit(function, values, values)), "OK");
      EXPECT_FALSE(*pipeline.fence()->Query());
    }
    EXPECT_EQ(pipeline.statistics().waits, 0u);
    ASSERT_EQ(StatusText(start->Signal()), "OK");
    EXPECT_TRUE(*pipeline.fence()->Query());
    ASSERT_EQ(StatusText(pipeline.Wait()), "OK");
    EXPECT_EQ(pipeline.statistics().waits, 1u);
    EXPECT_EQ(Text(values[0]), "4xf32=65536 65536 65536 65536");
  }
}

// A result that depends on data blocks Submit.
TEST(Pipeline, WaitsForData) {
  const auto session = tests::OpenSession("3.13/raw_results.async.vmfb");
  Callable scale = *session->Lookup("scale");
  Callable leading = *session->Lookup("leading");
  const Ref<hal::Fence> start = Unreached(*session);
  Pipeline pipeline(*session);
  pipeline.After(start);
  std::vector<vm::Value> values = {Ones(*session)};
  ASSERT_EQ(StatusText(pipeline.Submit(scale, values, values)), "OK");
  std::thread starter([start] {
    absl::SleepFor(absl::Milliseconds(20));
    start->Signal().IgnoreError();
  });
  const absl::Status status = pipeline.Submit(leading, values, values);
  starter.join();
  ASSERT_EQ(StatusText(status), "OK");
  EXPECT_EQ(Text(values[0]), "4xf32=2 2 2 2");
  EXPECT_EQ(pipeline.statistics().waits, 1u);
  ASSERT_EQ(StatusText(pipeline.Wait()), "OK");
  EXPECT_EQ(pipeline.statistics().waits, 1u);
}

// Failures before, during and between calls are reported at the end.
TEST(Pipeline, FailuresReachTheEnd) {
  const auto session = tests::OpenSession("3.13/raw_results.async.vmfb");
  Callable scale = *session->Lookup("scale");
  enum Failing { kStart, kMiddle, kArgument, kAbandoned };
  const struct {
    Failing failing;
    const char* want;
  } kRows[] = {
      {kStart, "DATA_LOSS: The input is lost."},
      {kMiddle, "DATA_LOSS: The input is lost."},
      {kArgument,
       "INVALID_ARGUMENT: Function 'scale' takes 2 arguments (input0: ?xf32, "
       "input1: ?xf32), or without storage 1 (Buffer<float32[?]>) -> "
       "(Buffer<float32[?]>); 0 are given."},
      {kAbandoned,
       "CANCELLED: The semaphore was released before it reached 1."},
  };
  for (const auto& row : kRows) {
    SCOPED_TRACE(absl::StrCat("row ", &row - kRows));
    Pipeline pipeline(*session);
    std::vector<vm::Value> values = {Ones(*session)};
    Ref<hal::Fence> fence = Unreached(*session);
    for (int i = 0; i < kCalls; ++i) {
      if (i == (row.failing == kMiddle ? kCalls / 2 : 0)) pipeline.After(fence);
      if (row.failing == kArgument && i == kCalls / 2) {
        EXPECT_EQ(StatusText(pipeline.Submit(scale, {}, values)), row.want);
        // The failure remains.
        EXPECT_EQ(StatusText(pipeline.Submit(scale, values, values)), row.want);
        break;
      }
      ASSERT_EQ(StatusText(pipeline.Submit(scale, values, values)), "OK");
    }
    if (row.failing == kAbandoned) {
      fence = nullptr;
    } else {
      fence->Fail(absl::DataLossError("The input is lost."));
    }
    EXPECT_EQ(StatusText(pipeline.Wait()), row.want);
    EXPECT_EQ(StatusText(pipeline.Wait()), row.want);
    EXPECT_EQ(StatusText(pipeline.Submit(scale, values, values)), row.want);
  }
}

TEST(Pipeline, AFailingAllocatorReachesTheEnd) {
  const auto session = tests::OpenSession("3.13/raw_allocators.async.vmfb");
  Callable small = *session->Lookup("small");
  Callable fails = *session->Lookup("fails");
  Pipeline pipeline(*session);
  std::vector<vm::Value> values = {Ones(*session)};
  const auto one = hal::BufferView::Create(
      static_cast<hal::BufferView*>(values[0].ref())->buffer(),
      std::vector<int64_t>{1}, hal::ElementType::kFloat32);
  values = {vm::Value(Ref<RefObject>(*one))};
  ASSERT_EQ(StatusText(pipeline.Submit(small, values, values)), "OK");
  const absl::Status failed = pipeline.Submit(fails, values, values);
  EXPECT_TRUE(absl::StrContains(failed.message(), "there is no room"));
  EXPECT_EQ(pipeline.Wait(), failed);
}

// A wait for a fence that no one can signal is an error, not a deadlock.
TEST(Pipeline, AFenceThatNobodyHolds) {
  const auto session = tests::OpenSession("3.13/raw_results.async.vmfb");
  Pipeline pipeline(*session);
  EXPECT_EQ(StatusText(pipeline.Wait()), "OK");
  EXPECT_EQ(pipeline.statistics().waits, 0u);
  pipeline.After(Unreached(*session));
  EXPECT_EQ(pipeline.Wait().code(), absl::StatusCode::kFailedPrecondition);
}

// A synchronous function after calls that are not complete.
TEST(Pipeline, SynchronousFunctionsWait) {
  const auto session = tests::OpenSession("3.13/raw_results.vmfb");
  Callable scale = *session->Lookup("scale");
  const Ref<hal::Fence> start = Unreached(*session);
  Pipeline pipeline(*session);
  pipeline.After(start);
  std::vector<vm::Value> values = {Ones(*session)};
  std::thread starter([start] {
    absl::SleepFor(absl::Milliseconds(20));
    start->Signal().IgnoreError();
  });
  const absl::Status status = pipeline.Submit(scale, values, values);
  starter.join();
  ASSERT_EQ(StatusText(status), "OK");
  EXPECT_EQ(pipeline.statistics().waits, 1u);
  EXPECT_EQ(Text(values[0]), "4xf32=2 2 2 2");
}

}  // namespace
}  // namespace eyrie::abi::v0
