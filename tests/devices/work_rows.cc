// Device operations and a call's work budget: their cost, and their errors when
// the budget is spent or the call is cancelled. Large operations run in pieces.
#include <algorithm>
#include <cstring>
#include <functional>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "base/memory_meter.h"
#include "base/work_budget.h"
#include "gtest/gtest.h"
#include "hal/device.h"
#include "hal/file.h"
#include "hal/paid_transfer.h"
#include "tests/devices/each_device.h"
#include "tests/support/device_helpers.h"
#include "tests/support/status_text.h"

namespace eyrie::hal {
namespace {

using DeviceWork = EachDevice;
INSTANTIATE_TEST_SUITE_P(Devices, DeviceWork,
                         ::testing::ValuesIn(DeviceMakers()), NameOfDevice);

constexpr uint64_t kBytes = uint64_t{64} << 10;
constexpr int64_t kUnits = kBytes / kBytesPerUnit;
constexpr int64_t kPlenty = 1000000;

// Operands of the operations: two buffers and a file.
struct Objects {
  explicit Objects(hal::Device& device)
      : source(NewBuffer(device, kBytes)),
        target(NewBuffer(device, kBytes)),
        file(MakeRef<File>(std::span(bytes),
                           memory_access::kRead | memory_access::kWrite,
                           Ref<RefObject>())) {}

  std::vector<uint8_t> bytes = std::vector<uint8_t>(kBytes, 7);
  Ref<hal::Buffer> source, target;
  Ref<File> file;
};

using Operation =
    std::function<absl::Status(hal::Device&, QueueFences, Objects&)>;

// Runs two fills with a barrier between them.
absl::Status RunRecorded(hal::Device& device, const QueueFences& fences,
                         Objects& on) {
  const Ref<CommandBuffer> commands =
      *device.CreateCommandBuffer(0, kAnyQueue, 1);
  const BufferRef slot = {Ref<hal::Buffer>(), 0, 0, kBytes};
  EXPECT_TRUE(commands->Fill(slot, BytesOf(3u)).ok());
  EXPECT_TRUE(commands->ExecutionBarrier(0, 0).ok());
  EXPECT_TRUE(commands->Fill(slot, BytesOf(4u)).ok());
  EXPECT_TRUE(commands->Finalize().ok());
  const BufferBinding table[] = {{on.target.get(), 0, kWholeBuffer}};
  return device.QueueExecute(fences, commands, table);
}

const struct {
  const char* name;
  Operation run;
  int64_t units;  // expected cost
} kOperations[] = {
    {"fill",
     [](hal::Device& device, const QueueFences& fences, Objects& on) {
       return device.QueueFill(fences, Whole(on.target), BytesOf(5u));
     },
     kUnits + 1},
    {"update",
     [](hal::Device& device, const QueueFences& fences, Objects& on) {
       return device.QueueUpdate(fences, on.bytes, Whole(on.target));
     },
     kUnits + 1},
    {"copy",
     [](hal::Device& device, const QueueFences& fences, Objects& on) {
       return device.QueueCopy(fences, Whole(on.source), Whole(on.target));
     },
     kUnits + 1},
    {"read",
     [](hal::Device& device, const QueueFences& fences, Objects& on) {
       return device.QueueRead(fences, on.file, 0, {on.target, 0, 0, kBytes});
     },
     kUnits},
    {"write",
     [](hal::Device& device, const QueueFences& fences, Objects& on) {
       return device.QueueWrite(fences, {on.source, 0, 0, kBytes}, on.file, 0);
     },
     kUnits},
    {"commands", RunRecorded, 2 * kUnits + 3},
};

// Returns the status code of an operation with a budget. If `deferred`, the
// operation starts when the fence is signalled, after the caller has released
// the budget.
std::string Outcome(hal::Device& device, const Operation& run,
                    std::shared_ptr<WorkBudget> work, bool deferred) {
  Objects objects(device);
  auto memory = std::make_shared<MemoryMeter>(uint64_t{1} << 20);
  const Ref<Semaphore> begin = *device.CreateSemaphore(0);
  const Ref<Semaphore> end = *device.CreateSemaphore(0);
  const Ref<Fence> wait = Fence::ForPoint(begin, 1);
  const Ref<Fence> signal = Fence::ForPoint(end, 1);
  const QueueFences fences = {deferred ? wait.get() : nullptr, signal.get(),
                              &memory, &work};
  const absl::Status status = run(device, fences, objects);
  if (deferred) {
    EXPECT_TRUE(status.ok()) << status;
    work.reset();
    EXPECT_TRUE(begin->Signal(1).ok());
  }
  std::string outcome = StateAt(*end, 1);
  EXPECT_EQ(memory->in_use(), 0u);
  if (!status.ok()) {
    EXPECT_EQ(outcome, StatusText(status));
  }
  // Only the status code.
  return outcome.substr(0, outcome.find(':'));
}

TEST_P(DeviceWork, IsPaidFor) {
  for (const auto& c : kOperations) {
    for (const bool deferred : {false, true}) {
      SCOPED_TRACE(absl::StrCat(c.name, deferred ? ", deferred" : ""));
      const auto work = std::make_shared<WorkBudget>();
      EXPECT_EQ(Outcome(*device_, c.run, work, deferred), "1");
      work->Refill(kPlenty);
      EXPECT_EQ(Outcome(*device_, c.run, work, deferred), "1");
      EXPECT_EQ(work->Take(kPlenty), kPlenty - c.units);
      work->Refill(c.units);
      EXPECT_EQ(Outcome(*device_, c.run, work, deferred), "1");
      work->Refill(c.units - 1);
      EXPECT_EQ(Outcome(*device_, c.run, work, deferred), "RESOURCE_EXHAUSTED");
      work->Refill(0);
      EXPECT_EQ(Outcome(*device_, c.run, work, deferred), "RESOURCE_EXHAUSTED");
    }
  }
}

TEST_P(DeviceWork, EndsWithTheCall) {
  for (const auto& c : kOperations) {
    for (const bool deferred : {false, true}) {
      SCOPED_TRACE(absl::StrCat(c.name, deferred ? ", deferred" : ""));
      const auto late = std::make_shared<WorkBudget>(absl::Seconds(2));
      late->Stop(absl::StatusCode::kDeadlineExceeded);
      EXPECT_EQ(Outcome(*device_, c.run, late, deferred), "DEADLINE_EXCEEDED");
      const auto cancelled = std::make_shared<WorkBudget>();
      cancelled->Stop(absl::StatusCode::kCancelled);
      EXPECT_EQ(Outcome(*device_, c.run, cancelled, deferred), "CANCELLED");
    }
  }
}

TEST_P(DeviceWork, SaysWhatAndHowFar) {
  Objects objects(*device_);
  const auto work = std::make_shared<WorkBudget>();
  work->Refill(20);
  EXPECT_EQ(StatusText(device_->QueueRead({nullptr, nullptr, nullptr, &work},
                                          objects.file, 0,
                                          {objects.target, 0, 0, kBytes})),
            "RESOURCE_EXHAUSTED: The device's work for the call takes more "
            "than 20 units of fuel, its limit. (read of 65536 bytes, 0 of them "
            "done)");
}

// Moves `kMoved` words within a buffer of 40 MiB, by `distance` words. The
// device copies it in three pieces.
std::string MoveWithin(hal::Device& device, int64_t distance) {
  constexpr size_t kWords = size_t{10} << 20;
  constexpr size_t kMoved = kWords - 2000;
  const Ref<hal::Buffer> buffer = NewBuffer(device, kWords * 4);
  std::vector<uint32_t> words(kWords);
  std::iota(words.begin(), words.end(), 0);
  SetWords(*buffer, words);
  const size_t from = 1000;
  const size_t to = static_cast<size_t>(int64_t{from} + distance);
  const Ref<CommandBuffer> commands =
      *device.CreateCommandBuffer(0, kAnyQueue, 2);
  // Bindings may overlap, because recording cannot detect it.
  EXPECT_TRUE(commands
                  ->Copy({Ref<hal::Buffer>(), 0, 0, kMoved * 4},
                         {Ref<hal::Buffer>(), 1, 0, kMoved * 4})
                  .ok());
  EXPECT_TRUE(commands->Finalize().ok());
  const BufferBinding table[] = {{buffer.get(), from * 4, kMoved * 4},
                                 {buffer.get(), to * 4, kMoved * 4}};
  const absl::Status status = Execute(device, commands, table);
  if (!status.ok()) return StatusText(status);
  std::vector<uint32_t> got(kWords);
  EXPECT_TRUE(buffer
                  ->Read(0, {reinterpret_cast<uint8_t*>(got.data()),
                             got.size() * sizeof(uint32_t)})
                  .ok());
  std::memmove(&words[to], &words[from], kMoved * sizeof(uint32_t));
  if (std::memcmp(got.data(), words.data(), kWords * sizeof(uint32_t)) == 0) {
    return "right";
  }
  const auto [is, want] =
      std::mismatch(got.begin(), got.end(), words.begin(), words.end());
  return absl::StrCat(is - got.begin(), ": ", *is, ", not ", *want);
}

TEST_P(DeviceWork, PiecesOfAnOverlappingCopyMakeTheWhole) {
  for (const int64_t distance : {-1000, -1, 0, 1, 999}) {
    EXPECT_EQ(MoveWithin(*device_, distance), "right") << distance;
  }
}

}  // namespace
}  // namespace eyrie::hal
