// Tests operations on several devices: shared and copied buffers, fences of
// other devices, affinities. Includes devices that share no memory.
#include "hal/device_group.h"

#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/deadline.h"
#include "base/memory_meter.h"
#include "base/ref.h"
#include "gtest/gtest.h"
#include "tests/support/apart_device.h"
#include "tests/support/cpu_device.h"
#include "tests/support/status_text.h"

namespace eyrie::hal {
namespace {

using cpu::kDeviceKinds;
using tests::CreateApartDevice;
using tests::Sight;

constexpr uint64_t kBytes = 1024;

Ref<Device> Apart(int kind = 0, Sight sight = Sight::kAll) {
  return CreateApartDevice(cpu::NewDevice(kDeviceKinds[kind]), sight);
}

Ref<Fence> NewFence(Device& device) {
  return Fence::ForPoint(*device.CreateSemaphore(0), 1);
}

// Buffers of 256 words that the host fills and reads through the device.
Ref<Buffer> Filled(Device& device, uint32_t word) {
  Ref<Buffer> buffer = *device.allocator().Allocate({}, kBytes);
  const Ref<Fence> done = NewFence(device);
  const std::span<const uint8_t> pattern(
      reinterpret_cast<const uint8_t*>(&word), sizeof(word));
  EXPECT_TRUE(device
                  .QueueFill({nullptr, done.get()},
                             {buffer, 0, 0, kWholeBuffer}, pattern)
                  .ok());
  EXPECT_TRUE(done->Wait(Deadline::Never()).ok());
  return buffer;
}

// Returns the words as text, with runs of equal ones: "7*2 9*254".
std::string Contents(Device& device, const Ref<Buffer>& buffer) {
  BufferParams params;
  params.type |= memory_type::kHostVisible;
  params.usage |= buffer_usage::kMapping;
  const uint64_t size = buffer->byte_length();
  const Ref<Buffer> seen = *device.allocator().Allocate(params, size);
  const Ref<Fence> done = NewFence(device);
  EXPECT_TRUE(device
                  .QueueCopy({nullptr, done.get()}, {buffer, 0, 0, size},
                             {seen, 0, 0, size})
                  .ok());
  EXPECT_TRUE(done->Wait(Deadline::Never()).ok());
  std::vector<uint32_t> words(size / 4);
  EXPECT_TRUE(
      seen->Read(0, {reinterpret_cast<uint8_t*>(words.data()), size}).ok());
  std::string text;
  for (size_t i = 0, run = 0; i < words.size(); ++i) {
    ++run;
    if (i + 1 < words.size() && words[i + 1] == words[i]) continue;
    absl::StrAppend(&text, text.empty() ? "" : " ", words[i], "*", run);
    run = 0;
  }
  return text;
}

std::string Ended(const Ref<Fence>& fence) {
  return StatusText(fence->Wait(Deadline::After(absl::Seconds(20))));
}

// Pairs of devices of each kind that share no memory.
struct Pair {
  const char* name;
  int first;
  int second;
  Sight sight;
};
const Pair kPairs[] = {
    {"syncSync", 0, 0, Sight::kAll},     {"syncTask", 0, 2, Sight::kAll},
    {"taskSync", 3, 0, Sight::kAll},     {"hiddenSync", 0, 0, Sight::kAsked},
    {"hiddenTask", 3, 4, Sight::kAsked},
};

class Apart2 : public ::testing::TestWithParam<Pair> {
 protected:
  const Ref<Device> a_ = Apart(GetParam().first, GetParam().sight);
  const Ref<Device> b_ = Apart(GetParam().second, GetParam().sight);
  const DeviceGroup group_{{a_, b_}};
};

INSTANTIATE_TEST_SUITE_P(Pairs, Apart2, ::testing::ValuesIn(kPairs),
                         [](const auto& pair) {
                           return std::string(pair.param.name);
                         });

TEST(DeviceGroup, KnowsWhoSharesMemory) {
  const Ref<Device> sync = cpu::NewDevice(kDeviceKinds[0]);
  const Ref<Device> task = cpu::NewDevice(kDeviceKinds[2]);
  const Ref<Device> apart = Apart();
  const Ref<Device> hidden = Apart(0, Sight::kAsked);
  const struct {
    std::vector<Ref<Device>> devices;
    bool shares;
    size_t selected;
  } kCases[] = {
      {{sync}, true, 0},
      {{apart}, true, 0},
      {{sync, task}, true, 0},
      {{sync, sync}, true, 0},
      {{apart, apart}, true, 0},
      {{sync, apart}, false, 1},
      {{sync, hidden}, false, 0},
      {{apart, sync}, false, 0},
      {{apart, Apart()}, false, 0},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(&c - kCases);
    const DeviceGroup group(c.devices);
    EXPECT_EQ(group.shares_memory(), c.shares);
    std::vector<Device*> among;
    for (const Ref<Device>& device : c.devices) among.push_back(device.get());
    EXPECT_EQ(group.Select(among, {}), c.selected);
  }
  // Select prefers a device whose memory the others can use.
  const DeviceGroup mixed({hidden, sync, task});
  Device* const among[] = {hidden.get(), sync.get()};
  BufferParams params;
  EXPECT_EQ(mixed.Select(among, params), 0u);
  Device* const hosts[] = {sync.get(), task.get()};
  EXPECT_EQ(mixed.Select(hosts, params), 0u);
}

TEST_P(Apart2, CopiesBetween) {
  const Ref<Buffer> from = Filled(*a_, 7);
  const struct {
    uint64_t source_offset;
    uint64_t target_offset;
    uint64_t length;
    const char* want;  // of the target
    const char* ends;  // the code
  } kCases[] = {
      {0, 0, kBytes, "7*256", "OK"},
      {0, 8, 4, "9*2 7*1 9*253", "OK"},
      {1020, 0, kWholeBuffer, "9*256", "INVALID_ARGUMENT"},
      {0, 1020, kWholeBuffer, "9*256", "INVALID_ARGUMENT"},
      {0, 0, 0, "9*256", "OK"},
      {0, 1000, 28, "9*256", "OUT_OF_RANGE"},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(&c - kCases);
    const Ref<Buffer> to = Filled(*b_, 9);
    const Ref<Fence> done = NewFence(*b_);
    const absl::Status status = group_.QueueCopy(
        *b_, {nullptr, done.get()}, {from, 0, c.source_offset, c.length},
        {to, 0, c.target_offset, c.length});
    const std::string ended = Ended(done);
    EXPECT_EQ(ended.substr(0, ended.find(':')), c.ends) << ended;
    EXPECT_EQ(status.ok(), std::string(c.ends) == "OK");
    EXPECT_EQ(Contents(*b_, to), c.want);
  }
}

// Commands of one device on buffers of both, bound and recorded, including two
// ranges of one buffer.
TEST_P(Apart2, RunsCommandsOnCopies) {
  const Ref<Buffer> own = Filled(*b_, 1);
  const Ref<Buffer> bound = Filled(*a_, 2);
  const Ref<Buffer> direct = Filled(*a_, 3);
  const Ref<Buffer> part = *Buffer::Subspan(direct, 300, 100);
  auto commands =
      *b_->CreateCommandBuffer(command_buffer_mode::kOneShot, kAnyQueue, 2);
  const uint32_t five = 5;
  const std::span<const uint8_t> pattern(
      reinterpret_cast<const uint8_t*>(&five), sizeof(five));
  // 4 bytes of a buffer here, then of both there, then within one of those.
  ASSERT_TRUE(commands->Fill({own, 0, 0, 4}, pattern).ok());
  ASSERT_TRUE(commands->ExecutionBarrier(0, 0).ok());
  ASSERT_TRUE(commands->Copy({own, 0, 0, 8}, {nullptr, 1, 0, 8}).ok());
  ASSERT_TRUE(commands->Copy({own, 0, 0, 4}, {part, 0, 4, 4}).ok());
  ASSERT_TRUE(commands->ExecutionBarrier(0, 0).ok());
  ASSERT_TRUE(commands->Copy({direct, 0, 300, 8}, {direct, 0, 1016, 8}).ok());
  ASSERT_TRUE(commands->Copy({nullptr, 1, 4, 4}, {own, 0, 1020, 4}).ok());
  ASSERT_TRUE(commands->Finalize().ok());
  const BufferBinding table[] = {{}, {bound.get(), 512, 64}};
  for (int run = 0; run < 2; ++run) {
    const Ref<Fence> done = NewFence(*b_);
    EXPECT_TRUE(
        group_.QueueExecute(*b_, {nullptr, done.get()}, commands, table).ok());
    EXPECT_EQ(Ended(done), "OK");
    EXPECT_EQ(Contents(*b_, own), "5*1 1*255");
    EXPECT_EQ(Contents(*a_, bound), "2*128 5*1 1*1 2*126");
    EXPECT_EQ(Contents(*a_, direct), "3*76 5*1 3*178 5*1");
  }
}

TEST_P(Apart2, RefusesCommandsAsADeviceDoes) {
  auto commands =
      *b_->CreateCommandBuffer(command_buffer_mode::kOneShot, kAnyQueue, 1);
  const uint8_t zero[] = {0};
  ASSERT_TRUE(commands->Fill({nullptr, 0, 0, 64}, zero).ok());
  const Ref<Fence> early = NewFence(*b_);
  EXPECT_FALSE(
      group_.QueueExecute(*b_, {nullptr, early.get()}, commands, {}).ok());
  EXPECT_EQ(Ended(early),
            "FAILED_PRECONDITION: The command buffer is still being recorded.");
  ASSERT_TRUE(commands->Finalize().ok());
  const Ref<Buffer> filled = Filled(*a_, 1);
  const BufferBinding table[] = {{filled.get(), 1000, kWholeBuffer}};
  const Ref<Fence> done = NewFence(*b_);
  const absl::Status status =
      group_.QueueExecute(*b_, {nullptr, done.get()}, commands, table);
  EXPECT_EQ(status.code(), absl::StatusCode::kOutOfRange) << status;
  EXPECT_EQ(Ended(done), StatusText(status));
}

// Each operation waits for the previous one, on the other device; the first one
// waits for the host.
TEST_P(Apart2, WaitsForEachOther) {
  const Ref<Buffer> on_a = Filled(*a_, 1);
  const Ref<Buffer> on_b = Filled(*b_, 2);
  const Ref<Fence> start = NewFence(*b_);
  const Ref<Fence> moved = NewFence(*a_);
  const Ref<Fence> back = NewFence(*b_);
  const Ref<Fence> over = NewFence(*a_);
  const BufferRef a = {on_a, 0, 0, kBytes};
  const BufferRef b = {on_b, 0, 0, kBytes};
  const uint8_t six[] = {6, 0, 0, 0};
  // Queued in reverse order.
  EXPECT_TRUE(a_->QueueBarrier({back.get(), over.get()}).ok());
  EXPECT_TRUE(group_.QueueCopy(*a_, {moved.get(), back.get()}, b, a).ok());
  EXPECT_TRUE(b_->QueueFill({start.get(), moved.get()}, b, six).ok());
  EXPECT_EQ(*over->Query(), false);
  std::thread host([&] { EXPECT_TRUE(start->Signal().ok()); });
  EXPECT_EQ(Ended(over), "OK");
  host.join();
  EXPECT_EQ(Contents(*a_, on_a), "6*256");
}

// A failure passes through three queues to all waiters, early and late ones.
TEST_P(Apart2, FailuresTravel) {
  const Ref<Buffer> on_a = Filled(*a_, 1);
  const Ref<Buffer> on_b = Filled(*b_, 2);
  const Ref<Fence> start = NewFence(*a_);
  const Ref<Fence> first = NewFence(*b_);
  const Ref<Fence> second = NewFence(*a_);
  const Ref<Fence> third = NewFence(*b_);
  EXPECT_TRUE(b_->QueueBarrier({start.get(), first.get()}).ok());
  EXPECT_TRUE(group_
                  .QueueCopy(*a_, {first.get(), second.get()},
                             {on_b, 0, 0, kBytes}, {on_a, 0, 0, kBytes})
                  .ok());
  EXPECT_TRUE(b_->QueueBarrier({second.get(), third.get()}).ok());
  const std::string want = "DATA_LOSS: The sensor is broken.";
  std::string called;
  third->OnReached(
      [&](const absl::Status& status) { called = StatusText(status); });
  std::string waited;
  std::thread waiter([&] { waited = Ended(third); });
  start->Fail(absl::DataLossError("The sensor is broken."));
  waiter.join();
  EXPECT_EQ(waited, want);
  EXPECT_EQ(called, want);
  for (const Ref<Fence>& fence : {start, first, second, third}) {
    EXPECT_EQ(Ended(fence), want);
  }
  // Later waits fail, too; their targets are unchanged.
  const Ref<Fence> later = NewFence(*a_);
  a_->QueueBarrier({third.get(), later.get()}).IgnoreError();
  EXPECT_EQ(Ended(later), want);
  EXPECT_EQ(Contents(*a_, on_a), "1*256");
}

TEST_P(Apart2, WhatWaitsEndsWithItsOwner) {
  const int owner = 0;
  const Ref<Fence> start = NewFence(*a_);
  const Ref<Fence> over = NewFence(*a_);
  QueueFences fences = {start.get(), over.get()};
  fences.owner = &owner;
  EXPECT_TRUE(group_
                  .QueueCopy(*b_, fences, {Filled(*a_, 1), 0, 0, kBytes},
                             {Filled(*b_, 2), 0, 0, kBytes})
                  .ok());
  EXPECT_EQ(StatusText(over->Wait(Deadline::After(absl::Milliseconds(20))))
                .substr(0, 17),
            "DEADLINE_EXCEEDED");
  a_->CancelQueued(&owner);
  b_->CancelQueued(&owner);
  EXPECT_EQ(Ended(over),
            "CANCELLED: The context was released while the operation was "
            "waiting.");
  EXPECT_TRUE(start->Signal().ok());  // comes too late
}

TEST_P(Apart2, OperationsGoWhereTheBufferIs) {
  const Ref<Buffer> buffer = Filled(*a_, 1);
  QueueFences fences;
  fences.affinity = 2;
  auto at = group_.Reaching(*b_, *buffer, fences);
  ASSERT_TRUE(at.ok());
  EXPECT_EQ(*at, a_.get());
  EXPECT_EQ(fences.affinity, kAnyQueue);
  const Ref<Device> stranger = Apart();
  const Ref<Fence> done = NewFence(*a_);
  fences.signal = done.get();
  EXPECT_FALSE(group_.Reaching(*b_, *Filled(*stranger, 1), fences).ok());
  EXPECT_TRUE(absl::StartsWith(Ended(done),
                               "INVALID_ARGUMENT: None of the program's 2 "
                               "devices can use a buffer in memory that is "))
      << Ended(done);
}

TEST_P(Apart2, ChargesForCopies) {
  const auto meter = std::make_shared<MemoryMeter>(kBytes / 2);
  const Ref<Fence> done = NewFence(*b_);
  QueueFences fences = {nullptr, done.get()};
  fences.memory = &meter;
  auto commands =
      *b_->CreateCommandBuffer(command_buffer_mode::kOneShot, kAnyQueue, 1);
  const uint8_t zero[] = {0};
  ASSERT_TRUE(commands->Fill({nullptr, 0, 0, kBytes}, zero).ok());
  ASSERT_TRUE(commands->Finalize().ok());
  const Ref<Buffer> filled = Filled(*a_, 1);
  const BufferBinding table[] = {{filled.get(), 0, kBytes}};
  const absl::Status status = group_.QueueExecute(*b_, fences, commands, table);
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(Ended(done), StatusText(status));
  EXPECT_EQ(meter->in_use(), 0u);
}

TEST(DeviceGroup, AffinitiesNameQueues) {
  const Ref<Device> apart = Apart();
  const struct {
    QueueAffinity affinity;
    const char* want;
  } kCases[] = {
      {0, "OK"},
      {1, "OK"},
      {2, "OK"},
      {3, "OK"},
      {kAnyQueue, "OK"},
      {4,
       "INVALID_ARGUMENT: The queue affinity (0x4) exceeds the 2 queues of the "
       "device local-sync."},
      {kAnyQueue - 1,
       "INVALID_ARGUMENT: The queue affinity (0xfffffffffffffffe) exceeds the "
       "2 queues of the device local-sync."},
  };
  for (const auto& c : kCases) {
    const Ref<Fence> done = NewFence(*apart);
    QueueFences fences = {nullptr, done.get()};
    fences.affinity = c.affinity;
    EXPECT_EQ(StatusText(apart->QueueBarrier(fences)), c.want);
    EXPECT_EQ(Ended(done), c.want);
  }
  // A CPU device has the maximum number of queues.
  QueueFences fences;
  fences.affinity = QueueAffinity{1} << 63;
  EXPECT_TRUE(cpu::NewDevice()->QueueBarrier(fences).ok());
}

}  // namespace
}  // namespace eyrie::hal
