// Tests commands with collectives on CPU devices, one device per rank: order,
// independence, failures, and cancellation of waiting runs.
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "base/deadline.h"
#include "gtest/gtest.h"
#include "hal/collectives/channel.h"
#include "tests/support/cpu_device.h"
#include "tests/support/fake_executable.h"
#include "tests/support/rank_hub.h"
#include "tests/support/status_text.h"

namespace eyrie::hal::cpu {
namespace {

constexpr CollectiveOp kSum = {CollectiveKind::kAllReduce,
                               CollectiveReduction::kSum,
                               CollectiveType::kUint32};

absl::Status GoOn() { return absl::OkStatus(); }

int FailKernel(const Environment*, const DispatchState*,
               const WorkgroupState*) {
  return 9;
}

Ref<Executable> Kernels() {
  return CreateFakeExecutable(
      {{"double", 0, 1, DoubleKernel}, {"fail", 0, 1, FailKernel}});
}

// One rank: a device, a channel of all ranks, and a timeline.
class Rank {
 public:
  Rank(RankHub& hub, int rank, const DeviceKind& kind)
      : device_(NewDevice(kind)),
        provider_(hub.Provider(rank)),
        channel_(*provider_->Create({}, GoOn)),
        done_(*device_->CreateSemaphore(0)) {}

  hal::Device& device() { return *device_; }
  ChannelProvider& provider() { return *provider_; }
  Channel& channel() { return *channel_; }
  Semaphore& done() { return *done_; }
  // Drops the reference to the device.
  void DropDevice() { device_ = nullptr; }

  Ref<hal::Buffer> Words(std::vector<uint32_t> words) {
    Ref<hal::Buffer> buffer = NewBuffer(*device_, 4 * words.size());
    SetWords(*buffer, std::move(words));
    return buffer;
  }
  Ref<CommandBuffer> NewCommands() {
    return *device_->CreateCommandBuffer(0, kAnyQueue, 4);
  }
  // Records the sum over all ranks.
  void Sum(CommandBuffer& commands, const BufferRef& from, const BufferRef& to,
           uint64_t count) {
    EXPECT_EQ(
        StatusText(commands.Collective(channel_, kSum, 0, from, to, count)),
        "OK");
  }
  void Run(CommandBuffer& commands, uint32_t ordinal,
           const Ref<hal::Buffer>& words) {
    EXPECT_TRUE(
        commands
            .Dispatch(Kernels(), ordinal,
                      {static_cast<uint32_t>(words->byte_length() / 4), 1, 1},
                      {}, std::vector<BufferRef>{Whole(words)})
            .ok());
  }
  void Barrier(CommandBuffer& commands) {
    EXPECT_TRUE(commands.ExecutionBarrier(0, 0).ok());
  }
  void Copy(CommandBuffer& commands, const Ref<hal::Buffer>& from,
            const Ref<hal::Buffer>& to) {
    EXPECT_TRUE(commands.Copy(Whole(from), Whole(to)).ok());
  }
  // Queues the commands, which signal the timeline to 1.
  std::string Submit(const Ref<CommandBuffer>& commands,
                     const std::vector<BufferBinding>& table = {},
                     Fence* wait = nullptr, const void* owner = nullptr) {
    EXPECT_TRUE(commands->Finalize().ok());
    const Ref<Fence> signal = Fence::ForPoint(done_, 1);
    QueueFences fences;
    fences.wait = wait;
    fences.signal = signal.get();
    fences.owner = owner;
    return StatusText(device_->QueueExecute(fences, commands, table));
  }

 private:
  Ref<hal::Device> device_;
  std::shared_ptr<ChannelProvider> provider_;
  Ref<Channel> channel_;
  Ref<Semaphore> done_;
};

// Waits up to a minute until the first word is `value`.
bool Becomes(hal::Buffer& buffer, uint32_t value) {
  const auto* word = reinterpret_cast<const uint32_t*>(buffer.host_data());
  const Deadline until = Deadline::After(absl::Minutes(1));
  while (!until.HasPassed()) {
    if (__atomic_load_n(word, __ATOMIC_ACQUIRE) == value) return true;
    absl::SleepFor(absl::Milliseconds(1));
  }
  return false;
}

class RankRunTest : public EachDevice {
 protected:
  std::shared_ptr<RankHub> hub_ = std::make_shared<RankHub>(2);
};

INSTANTIATE_TEST_SUITE_P(Devices, RankRunTest, AllDeviceKinds(), NameOfKind);

// Commands next to a collective run while it waits for other ranks. Commands
// after a barrier or a fence do not.
TEST_P(RankRunTest, OthersGoOn) {
  Rank first(*hub_, 0, GetParam());
  const Ref<hal::Buffer> from = first.Words({1, 2});
  const Ref<hal::Buffer> sum = first.Words({0, 0});
  const Ref<hal::Buffer> copy = first.Words({7, 7});
  const Ref<hal::Buffer> beside = first.Words({5});
  const Ref<CommandBuffer> commands = first.NewCommands();
  first.Sum(*commands, Whole(from), Whole(sum), 2);
  first.Run(*commands, 0, beside);
  first.Barrier(*commands);
  first.Copy(*commands, sum, copy);
  EXPECT_EQ(first.Submit(commands), "OK");
  EXPECT_TRUE(Becomes(*beside, 10));
  const Ref<Semaphore> other_done = *first.device().CreateSemaphore(0);
  const Ref<Fence> other = Fence::ForPoint(other_done, 1);
  const uint32_t three = 3;
  EXPECT_TRUE(
      first.device()
          .QueueFill({nullptr, other.get()}, Whole(beside), BytesOf(three))
          .ok());
  EXPECT_EQ(StateAt(*other_done, 1), "1");
  EXPECT_EQ(State(first.done()), "0");
  EXPECT_EQ(Words(*copy), "7 7");

  Rank second(*hub_, 1, GetParam());
  const Ref<hal::Buffer> theirs = second.Words({10, 20});
  const Ref<CommandBuffer> reply = second.NewCommands();
  second.Sum(*reply, Whole(theirs), Whole(theirs), 2);
  EXPECT_EQ(second.Submit(reply), "OK");
  EXPECT_EQ(StateAt(second.done(), 1), "1");
  EXPECT_EQ(StateAt(first.done(), 1), "1");
  EXPECT_EQ(Words(*copy), "11 22");
  EXPECT_EQ(Words(*theirs), "11 22");
}

// Rounds of kernels and collectives, with binding slots, after a fence.
TEST_P(RankRunTest, KeepsTheOrder) {
  std::string got[2];
  RunRanks(2, [&](int index) {
    Rank rank(*hub_, index, GetParam());
    const Ref<hal::Buffer> words =
        rank.Words(std::vector<uint32_t>(3000, index + 1u));
    const Ref<CommandBuffer> commands = rank.NewCommands();
    for (int i = 0; i < 5; ++i) {
      rank.Run(*commands, 0, words);
      rank.Barrier(*commands);
      rank.Sum(*commands, {nullptr, 2, 0, kWholeBuffer},
               {nullptr, 2, 0, kWholeBuffer}, 3000);
      rank.Barrier(*commands);
    }
    const Ref<Semaphore> begin = *rank.device().CreateSemaphore(0);
    const Ref<Fence> wait = Fence::ForPoint(begin, 1);
    EXPECT_EQ(rank.Submit(commands, {{}, {}, {words.get(), 0, kWholeBuffer}},
                          wait.get()),
              "OK");
    EXPECT_EQ(State(rank.done()), "0");
    EXPECT_TRUE(begin->Signal(1).ok());
    EXPECT_EQ(StateAt(rank.done(), 1), "1");
    got[index] = Words(*words);
    EXPECT_EQ(StatusText(rank.provider().Close()), "OK");
  });
  // The first sum is 2 + 4; each later one is four times as large.
  const std::string word = absl::StrCat(6 * 256);
  for (const std::string& text : got) {
    EXPECT_EQ(text.substr(0, 10), absl::StrCat(word, " ", word, " "));
    EXPECT_EQ(text.size(), 3000 * 5 - 1);
  }
}

// A collective on a channel of one rank waits for no other rank. It is complete
// when QueueExecute returns, alone and next to collectives that wait.
TEST_P(RankRunTest, OneRankEndsAtOnce) {
  for (const int ranks : {1, 2}) {
    const auto hub = std::make_shared<RankHub>(ranks);
    RunRanks(ranks, [&](int index) {
      SCOPED_TRACE(absl::StrCat("rank ", index, " of ", ranks));
      Rank rank(*hub, index, GetParam());
      const Ref<Channel> alone = *rank.channel().Split(index, 0, GoOn);
      for (uint32_t round = 0; round < 50; ++round) {
        const Ref<hal::Buffer> from = rank.Words({round, 7});
        const Ref<hal::Buffer> to = rank.Words({0, 0});
        const Ref<CommandBuffer> commands = rank.NewCommands();
        EXPECT_EQ(StatusText(commands->Collective(alone, kSum, 0, Whole(from),
                                                  Whole(to), 2)),
                  "OK");
        EXPECT_TRUE(commands->Finalize().ok());
        EXPECT_EQ(StatusText(rank.device().QueueExecute({}, commands, {})),
                  "OK");
        EXPECT_EQ(Words(*to), absl::StrCat(round, " 7"));
      }
      const Ref<hal::Buffer> own = rank.Words({1, 2});
      const Ref<hal::Buffer> same = rank.Words({0, 0});
      const Ref<hal::Buffer> sum = rank.Words({0, 0});
      const Ref<CommandBuffer> both = rank.NewCommands();
      EXPECT_EQ(StatusText(both->Collective(alone, kSum, 0, Whole(own),
                                            Whole(same), 2)),
                "OK");
      rank.Barrier(*both);
      rank.Sum(*both, Whole(same), Whole(sum), 2);
      EXPECT_EQ(rank.Submit(both), "OK");
      EXPECT_EQ(StateAt(rank.done(), 1), "1");
      EXPECT_EQ(Words(*same), "1 2");
      EXPECT_EQ(Words(*sum), absl::StrCat(ranks, " ", 2 * ranks));
      EXPECT_EQ(StatusText(rank.provider().Close()), "OK");
    });
  }
}

// If a kernel of one rank fails, the ranks that wait for it fail, too.
TEST_P(RankRunTest, FailuresReachTheOthers) {
  std::string got[2];
  RunRanks(2, [&](int index) {
    Rank rank(*hub_, index, GetParam());
    const Ref<hal::Buffer> words = rank.Words({1, 2, 3});
    const Ref<CommandBuffer> commands = rank.NewCommands();
    rank.Run(*commands, static_cast<uint32_t>(index), words);
    rank.Barrier(*commands);
    rank.Sum(*commands, Whole(words), Whole(words), 3);
    rank.Submit(commands);
    got[index] = StateAt(rank.done(), 1);
  });
  EXPECT_EQ(got[1].substr(0, 9), "INTERNAL:") << got[1];
  EXPECT_EQ(got[0].substr(0, 64),
            "INTERNAL: Rank 1 gave up before all-reduce sum of u32 x 3: " +
                got[1].substr(10, 5));
}

TEST_P(RankRunTest, WaitsEndWithTheirOwner) {
  Rank rank(*hub_, 0, GetParam());
  const int owner = 0;
  const int other = 0;
  const Ref<hal::Buffer> words = rank.Words({1});
  const Ref<CommandBuffer> commands = rank.NewCommands();
  rank.Sum(*commands, Whole(words), Whole(words), 1);
  EXPECT_EQ(rank.Submit(commands, {}, nullptr, &owner), "OK");
  rank.device().CancelQueued(&other);
  EXPECT_EQ(State(rank.done()), "0");
  rank.device().CancelQueued(&owner);
  EXPECT_EQ(State(rank.done()),
            "CANCELLED: The context was released while its collectives were "
            "running.");
}

TEST_P(RankRunTest, WaitsEndWithTheDevice) {
  Rank rank(*hub_, 0, GetParam());
  const Ref<hal::Buffer> words = rank.Words({1});
  Ref<CommandBuffer> commands = rank.NewCommands();
  rank.Sum(*commands, Whole(words), Whole(words), 1);
  EXPECT_EQ(rank.Submit(commands), "OK");
  commands = nullptr;
  rank.DropDevice();
  EXPECT_EQ(StateAt(rank.done(), 1),
            "CANCELLED: The device was released while its collectives were "
            "running.");
}

}  // namespace
}  // namespace eyrie::hal::cpu
