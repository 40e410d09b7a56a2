// Tests collectives between ranks that are threads: results of every kind, and
// how failures reach other ranks.
#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gtest/gtest.h"
#include "hal/collectives/channel.h"
#include "hal/collectives/messenger_provider.h"
#include "tests/support/rank_hub.h"
#include "tests/support/status_text.h"
#include "tests/support/thread_limit.h"

namespace eyrie::hal {
namespace {

constexpr int kRanks = 4;

absl::Status GoOn() { return absl::OkStatus(); }

struct Job {
  CollectiveKind kind;
  uint32_t param;
  std::vector<int32_t> send;
  size_t receive;  // elements
  uint64_t count;
  size_t in_place = SIZE_MAX;  // where `send` lies in the receive range
};

CollectiveOp OpOf(CollectiveKind kind) {
  return {
      kind,
      Reduces(kind) ? CollectiveReduction::kSum : CollectiveReduction::kNone,
      CollectiveType::kSint32};
}

// Starts a job; Wait returns the received elements, or the failure.
class JobRun : public RefObject {
 public:
  static constexpr RefType kType{"test.run"};
  JobRun() : RefObject(kType) {}

  void Start(Channel& channel, const Job& job) {
    send_ = job.send;
    receive_.assign(job.receive, -1);
    const int32_t* send = send_.data();
    if (job.in_place != SIZE_MAX) {
      std::copy(send_.begin(), send_.end(), receive_.begin() + job.in_place);
      send = receive_.data() + job.in_place;
    }
    const auto plan = PlanCollective(
        OpOf(job.kind),
        {job.param, job.count, 4 * send_.size(), 4 * receive_.size()},
        channel.rank(), channel.count());
    if (!plan.ok()) return End(StatusText(plan));
    channel.Start(
        *plan,
        {{reinterpret_cast<const uint8_t*>(send), plan->send_bytes},
         {reinterpret_cast<uint8_t*>(receive_.data()), plan->receive_bytes}},
        Ref<JobRun>::Share(this), [this](const absl::Status& status) {
          End(status.ok() ? absl::StrJoin(receive_, " ") : StatusText(status));
        });
  }
  std::string Wait() {
    std::unique_lock<std::mutex> lock(mutex_);
    ends_.wait(lock, [this] { return over_; });
    return text_;
  }
  bool is_over() {
    std::lock_guard<std::mutex> lock(mutex_);
    return over_;
  }

 private:
  void End(std::string text) {
    std::lock_guard<std::mutex> lock(mutex_);
    text_ = std::move(text);
    over_ = true;
    ends_.notify_all();
  }

  std::vector<int32_t> send_;
  std::vector<int32_t> receive_;
  std::mutex mutex_;  // guards all below
  std::condition_variable ends_;
  bool over_ = false;
  std::string text_;
};

std::string RunJob(Channel& channel, const Job& job) {
  const Ref<JobRun> run = MakeRef<JobRun>();
  run->Start(channel, job);
  return run->Wait();
}

// Elements 10 * rank + 0, 1, 2 …
std::vector<int32_t> Elements(int rank, size_t count) {
  std::vector<int32_t> elements(count);
  for (size_t i = 0; i < count; ++i) {
    elements[i] = 10 * rank + static_cast<int32_t>(i);
  }
  return elements;
}

using Kind = CollectiveKind;

const struct KindCase {
  const char* name;
  Job (*job)(int rank);
  const char* want[kRanks];
} kKindCases[] = {
    {"all-gather",
     [](int rank) { return Job{Kind::kAllGather, 0, Elements(rank, 1), 4, 1}; },
     {"0 10 20 30", "0 10 20 30", "0 10 20 30", "0 10 20 30"}},
    {"all-gather in place, of all elements",
     [](int rank) {
       return Job{Kind::kAllGather,         0, Elements(rank, 1), 4, 4,
                  static_cast<size_t>(rank)};
     },
     {"0 10 20 30", "0 10 20 30", "0 10 20 30", "0 10 20 30"}},
    {"all-gather over itself",
     [](int rank) {
       return Job{Kind::kAllGather, 0, Elements(rank, 1), 4, 1, 2};
     },
     {"0 10 20 30", "0 10 20 30", "0 10 20 30", "0 10 20 30"}},
    {"all-reduce",
     [](int rank) { return Job{Kind::kAllReduce, 0, Elements(rank, 5), 5, 5}; },
     {"60 64 68 72 76", "60 64 68 72 76", "60 64 68 72 76", "60 64 68 72 76"}},
    {"all-reduce of less than a rank each, in place",
     [](int rank) {
       return Job{Kind::kAllReduce, 0, Elements(rank, 2), 2, 2, 0};
     },
     {"60 64", "60 64", "60 64", "60 64"}},
    {"all-reduce of nothing",
     [](int) { return Job{Kind::kAllReduce, 0, {}, 1, 0}; },
     {"-1", "-1", "-1", "-1"}},
    {"all-to-all",
     [](int rank) { return Job{Kind::kAllToAll, 0, Elements(rank, 4), 4, 4}; },
     {"0 10 20 30", "1 11 21 31", "2 12 22 32", "3 13 23 33"}},
    {"all-to-all in place",
     [](int rank) {
       return Job{Kind::kAllToAll, 0, Elements(rank, 4), 4, 4, 0};
     },
     {"0 10 20 30", "1 11 21 31", "2 12 22 32", "3 13 23 33"}},
    {"broadcast",
     [](int rank) { return Job{Kind::kBroadcast, 2, Elements(rank, 2), 2, 2}; },
     {"20 21", "20 21", "20 21", "20 21"}},
    {"broadcast over itself",
     [](int rank) {
       return Job{Kind::kBroadcast, 2, Elements(rank, 2), 3, 2, 1};
     },
     {"20 21 1", "20 21 11", "20 21 21", "20 21 31"}},
    {"reduce",
     [](int rank) { return Job{Kind::kReduce, 1, Elements(rank, 6), 6, 6}; },
     {"-1 -1 -1 -1 -1 -1", "60 64 68 72 76 80", "-1 -1 -1 -1 -1 -1",
      "-1 -1 -1 -1 -1 -1"}},
    {"reduce-scatter",
     [](int rank) {
       return Job{Kind::kReduceScatter, 0, Elements(rank, 8), 2, 2};
     },
     {"60 64", "68 72", "76 80", "84 88"}},
    {"send and receive",
     [](int rank) {
       return rank % 2 == 0 ? Job{Kind::kSend, rank + 1u, {rank}, 1, 1}
                            : Job{Kind::kReceive, rank - 1u, {}, 1, 1};
     },
     {"-1", "0", "-1", "2"}},
    {"a ring",
     [](int rank) {
       const uint32_t to = (rank + 1) % kRanks;
       const uint32_t from = (rank + kRanks - 1) % kRanks;
       return Job{Kind::kSendReceive, from << 16 | to, {rank}, 1, 1, 0};
     },
     {"3", "0", "1", "2"}},
    {"a line, and one to itself",
     [](int rank) {
       const uint32_t to = rank == 3 ? 3 : rank == 2 ? 0xFFFF : rank + 1u;
       const uint32_t from = rank == 3 ? 3 : rank == 0 ? 0xFFFF : rank - 1u;
       return Job{Kind::kSendReceive, from << 16 | to, {rank}, 1, 1};
     },
     {"0", "0", "1", "3"}},
    {"pairs that swap",
     [](int rank) {
       const uint32_t peer = static_cast<uint32_t>(rank ^ 1);
       return Job{Kind::kSendReceive, peer << 16 | peer, {rank}, 1, 1};
     },
     {"1", "0", "3", "2"}},
    {"different counts",
     [](int rank) {
       const size_t count = rank == 2 ? 3 : 2;
       return Job{Kind::kAllReduce, 0, Elements(rank, count), count, count};
     },
     {"INVALID_ARGUMENT: Rank 2 runs all-reduce sum of i32 x 3 where rank 0 "
      "runs all-reduce sum of i32 x 2.",
      "INVALID_ARGUMENT: Rank 2 runs all-reduce sum of i32 x 3 where rank 0 "
      "runs all-reduce sum of i32 x 2.",
      "INVALID_ARGUMENT: Rank 2 runs all-reduce sum of i32 x 3 where rank 0 "
      "runs all-reduce sum of i32 x 2.",
      "INVALID_ARGUMENT: Rank 2 runs all-reduce sum of i32 x 3 where rank 0 "
      "runs all-reduce sum of i32 x 2."}},
};

TEST(Messenger, EveryKind) {
  for (const KindCase& c : kKindCases) {
    SCOPED_TRACE(c.name);
    const auto hub = std::make_shared<RankHub>(kRanks);
    std::string got[kRanks];
    RunRanks(kRanks, [&](int rank) {
      const auto provider = hub->Provider(rank);
      const Ref<Channel> channel = *provider->Create({}, GoOn);
      EXPECT_EQ(channel->rank(), rank);
      EXPECT_EQ(channel->count(), kRanks);
      got[rank] = RunJob(*channel, c.job(rank));
      if (got[rank].find(':') == std::string::npos) {
        EXPECT_EQ(StatusText(provider->Close()), "OK");
      }
    });
    for (int rank = 0; rank < kRanks; ++rank) {
      EXPECT_EQ(got[rank], c.want[rank]) << "rank " << rank;
    }
  }
}

// Cases for any channel of one rank.
const struct AloneCase {
  const char* name;
  Job job;
  const char* want;
} kAloneCases[] = {
    {"all-gather", {Kind::kAllGather, 0, {1, 2}, 2, 2}, "1 2"},
    {"all-gather in place", {Kind::kAllGather, 0, {1, 2}, 2, 2, 0}, "1 2"},
    {"all-reduce", {Kind::kAllReduce, 0, {1, 2}, 2, 2}, "1 2"},
    {"all-reduce over itself", {Kind::kAllReduce, 0, {1, 2}, 3, 2, 1}, "1 2 2"},
    {"all-reduce of nothing", {Kind::kAllReduce, 0, {}, 1, 0}, "-1"},
    {"all-to-all", {Kind::kAllToAll, 0, {1, 2}, 2, 2}, "1 2"},
    {"broadcast", {Kind::kBroadcast, 0, {1, 2}, 2, 2}, "1 2"},
    {"broadcast that is not received", {Kind::kBroadcast, 0, {1}, 0, 1}, ""},
    {"broadcast of no rank",
     {Kind::kBroadcast, 1, {1}, 1, 1},
     "INVALID_ARGUMENT: The root (rank 1) is past the channel's last rank (0). "
     "(broadcast of i32)"},
    {"reduce", {Kind::kReduce, 0, {1, 2}, 2, 2}, "1 2"},
    {"reduce-scatter", {Kind::kReduceScatter, 0, {1, 2}, 2, 2}, "1 2"},
    {"send",
     {Kind::kSend, 0, {1}, 0, 1},
     "INVALID_ARGUMENT: Rank 0 would only send to itself, or only receive from "
     "itself. (send "
     "of i32)"},
    {"receive",
     {Kind::kReceive, 0, {}, 1, 1},
     "INVALID_ARGUMENT: Rank 0 would only send to itself, or only receive from "
     "itself. "
     "(receive of i32)"},
    {"send and receive", {Kind::kSendReceive, 0, {1, 2}, 2, 2}, "1 2"},
    {"send and receive of nobody",
     {Kind::kSendReceive, 0xFFFFFFFF, {1, 2}, 2, 2},
     "0 0"},
};

// Runs the cases on channels of one rank in a process among `ranks`; each must
// end before Start returns.
TEST(Messenger, EveryKindAlone) {
  for (const int ranks : {1, 2, kRanks}) {
    const auto hub = std::make_shared<RankHub>(ranks);
    RunRanks(ranks, [&](int rank) {
      SCOPED_TRACE(absl::StrCat("rank ", rank, " of ", ranks));
      const auto provider = hub->Provider(rank);
      const Ref<Channel> all = *provider->Create({}, GoOn);
      const Ref<Channel> alone = *all->Split(rank, 0, GoOn);
      std::vector<Ref<Channel>> channels = {alone, *alone->Split(3, 0, GoOn)};
      if (ranks == 1) {
        channels.push_back(all);
        channels.push_back(*provider->Create({"name", -1, -1}, GoOn));
      }
      for (const Ref<Channel>& channel : channels) {
        EXPECT_EQ(channel->count(), 1);
        for (const AloneCase& c : kAloneCases) {
          SCOPED_TRACE(c.name);
          const Ref<JobRun> run = MakeRef<JobRun>();
          run->Start(*channel, c.job);
          EXPECT_TRUE(run->is_over());
          EXPECT_EQ(run->Wait(), c.want);
        }
      }
      // Fails permanently; no other rank is told.
      alone->Fail(absl::DataLossError("The kernel is ill."));
      EXPECT_EQ(RunJob(*alone, {Kind::kAllReduce, 0, {1}, 1, 1}),
                "DATA_LOSS: The kernel is ill.");
      EXPECT_EQ(RunJob(*channels[1], {Kind::kAllReduce, 0, {1}, 1, 1}), "1");
      EXPECT_EQ(RunJob(*all, {Kind::kAllReduce, 0, {1}, 1, 1}),
                absl::StrCat(ranks));
      EXPECT_EQ(StatusText(provider->Close()), "OK");
    });
    EXPECT_EQ(hub->in_flight(), 0u);
  }
}

// Mismatched point-to-point operations of two ranks.
TEST(Messenger, PeersThatDisagree) {
  const auto hub = std::make_shared<RankHub>(2);
  std::string got[2];
  RunRanks(2, [&](int rank) {
    const auto provider = hub->Provider(rank);
    const Ref<Channel> channel = *provider->Create({}, GoOn);
    got[rank] = RunJob(*channel, rank == 0 ? Job{Kind::kSend, 1, {1, 2}, 0, 2}
                                           : Job{Kind::kReceive, 0, {}, 3, 3});
    EXPECT_EQ(StatusText(provider->Close()), got[rank]);
  });
  EXPECT_EQ(got[0],
            "INVALID_ARGUMENT: Rank 1 runs receive of i32 x 3 where rank 0 "
            "runs send of i32 x 2.");
  EXPECT_EQ(got[1],
            "INVALID_ARGUMENT: Rank 0 runs send of i32 x 2 where rank 1 runs "
            "receive of i32 x 3.");
}

// Many operations at once, in the same order on every rank; some are long.
TEST(Messenger, ManyInFlight) {
  const auto hub = std::make_shared<RankHub>(kRanks);
  RunRanks(kRanks, [&](int rank) {
    const auto provider = hub->Provider(rank);
    const Ref<Channel> channel = *provider->Create({}, GoOn);
    std::vector<Ref<JobRun>> runs;
    for (int i = 0; i < 50; ++i) {
      const uint32_t to = static_cast<uint32_t>((rank + 1) % kRanks);
      const uint32_t from = static_cast<uint32_t>((rank + 3) % kRanks);
      const std::vector<int32_t> value = {1000 * rank + i};
      runs.push_back(MakeRef<JobRun>());
      runs.back()->Start(*channel, {Kind::kAllReduce, 0, value, 1, 1});
      runs.push_back(MakeRef<JobRun>());
      runs.back()->Start(*channel, {Kind::kSend, to, value, 0, 1});
      runs.push_back(MakeRef<JobRun>());
      runs.back()->Start(*channel, {Kind::kReceive, from, {}, 1, 1});
    }
    const int before = (rank + 3) % kRanks;
    for (int i = 0; i < 50; ++i) {
      const Ref<JobRun>* const three = &runs[size_t{3} * i];
      EXPECT_EQ(three[0]->Wait(), absl::StrCat(6000 + 4 * i));
      EXPECT_EQ(three[1]->Wait(), "");
      EXPECT_EQ(three[2]->Wait(), absl::StrCat(1000 * before + i));
    }
    EXPECT_EQ(StatusText(provider->Close()), "OK");
  });
  EXPECT_EQ(hub->in_flight(), 0u);
}

TEST(Messenger, Splits) {
  const auto hub = std::make_shared<RankHub>(kRanks);
  std::string got[kRanks];
  RunRanks(kRanks, [&](int rank) {
    const auto provider = hub->Provider(rank);
    const Ref<Channel> all = *provider->Create({}, GoOn);
    const Ref<Channel> named = *provider->Create({"name", rank, 4}, GoOn);
    EXPECT_EQ(named, *provider->Create({"name", -1, -1}, GoOn));
    // Two halves, the second in reverse order; then a single rank.
    const Ref<Channel> half =
        *all->Split(rank / 2, rank < 2 ? rank : -rank, GoOn);
    const Ref<Channel> alone = *half->Split(rank == 2 ? 7 : -1, 0, GoOn);
    const auto sum = [&](Channel& channel) {
      return RunJob(channel, {Kind::kAllReduce, 0, {rank}, 1, 1});
    };
    const auto gather = [&](Channel& channel) {
      return RunJob(channel, {Kind::kAllGather, 0, {rank}, 2, 1});
    };
    got[rank] = absl::StrCat(half->rank(), "/", half->count(), " ",
                             gather(*half), ", ", sum(*all), " ", sum(*named));
    if (alone) absl::StrAppend(&got[rank], " ", sum(*alone));
    EXPECT_EQ(StatusText(provider->Create({"", 1, 3}, GoOn)),
              absl::StrCat("INVALID_ARGUMENT: A channel with rank 1 and 3 "
                           "ranks was requested; this process is rank ",
                           rank, " of 4."));
    EXPECT_EQ(StatusText(provider->Close()), "OK");
  });
  EXPECT_EQ(got[0], "0/2 0 1, 6 6");
  EXPECT_EQ(got[1], "1/2 0 1, 6 6");
  EXPECT_EQ(got[2], "1/2 3 2, 6 6 2");
  EXPECT_EQ(got[3], "0/2 3 2, 6 6");
}

// A rank that fails tells the others after its running operations have ended.
TEST(Messenger, FailuresTravel) {
  const auto hub = std::make_shared<RankHub>(kRanks);
  std::string got[kRanks];
  std::string later[kRanks];
  RunRanks(kRanks, [&](int rank) {
    const auto provider = hub->Provider(rank);
    const Ref<Channel> channel = *provider->Create({}, GoOn);
    const Job job = {Kind::kAllReduce, 0, {rank}, 1, 1};
    EXPECT_EQ(RunJob(*channel, job), "6");
    if (rank == 2) channel->Fail(absl::DataLossError("The kernel is ill."));
    got[rank] = RunJob(*channel, job);
    later[rank] = RunJob(*channel, {Kind::kSend, (rank + 1u) % 4, {1}, 0, 1});
    EXPECT_EQ(StatusText(provider->Close()), got[rank]);
  });
  for (int rank = 0; rank < kRanks; ++rank) {
    EXPECT_EQ(got[rank],
              rank == 2 ? "DATA_LOSS: The kernel is ill."
                        : "DATA_LOSS: Rank 2 gave up before all-reduce sum of "
                          "i32 x 1: The kernel is ill.");
    EXPECT_EQ(later[rank], got[rank]);
  }
}

// When a rank ends, operations that wait for it fail, point-to-point too.
TEST(Messenger, RanksThatEnd) {
  const auto hub = std::make_shared<RankHub>(2);
  std::string got;
  RunRanks(2, [&](int rank) {
    const auto provider = hub->Provider(rank);
    if (rank == 1) return;
    const Ref<Channel> channel = *provider->Create({}, GoOn);
    got = RunJob(*channel, {Kind::kReceive, 1, {}, 1, 1});
  });
  EXPECT_EQ(got,
            "CANCELLED: Rank 1 gave up before receive of i32 x 1: The rank has "
            "ended.");
}

TEST(Messenger, BrokenLines) {
  const auto hub = std::make_shared<RankHub>(2);
  hub->Break(0);
  const auto provider = hub->Provider(0);
  const Ref<Channel> channel = *provider->Create({}, GoOn);
  const char* const want = "DATA_LOSS: The line of rank 0 is broken.";
  EXPECT_EQ(RunJob(*channel, {Kind::kBroadcast, 0, {1}, 1, 1}), want);
  EXPECT_EQ(StatusText(channel->Split(0, 0, GoOn)), want);
}

// A rank that waits for others can stop.
TEST(Messenger, StopsAndFailsHere) {
  const auto hub = std::make_shared<RankHub>(2);
  const auto provider = hub->Provider(0);
  const Ref<Channel> channel = *provider->Create({}, GoOn);
  const Ref<JobRun> run = MakeRef<JobRun>();
  run->Start(*channel, {Kind::kAllReduce, 0, {1}, 1, 1});
  EXPECT_FALSE(run->is_over());
  int asked = 0;
  EXPECT_EQ(StatusText(channel->Split(
                0, 0,
                [&] {
                  return ++asked < 3 ? absl::OkStatus()
                                     : absl::DeadlineExceededError("too late");
                })),
            "DEADLINE_EXCEEDED: too late");
  EXPECT_EQ(run->Wait(), "DEADLINE_EXCEEDED: too late");
}

TEST(Messenger, TransportsThatDoNotStart) {
  {
    const tests::ThreadLimit none(0);
    EXPECT_EQ(StatusText(CreateMessengerProvider(
                  []() -> absl::StatusOr<std::unique_ptr<Transport>> {
                    return absl::InternalError("It is not called.");
                  })),
              "RESOURCE_EXHAUSTED: Cannot start a thread for messages between "
              "ranks: Resource temporarily unavailable.");
  }
  EXPECT_EQ(StatusText(CreateMessengerProvider([] {
              return absl::StatusOr<std::unique_ptr<Transport>>(
                  absl::UnavailableError("no network"));
            })),
            "UNAVAILABLE: no network");
}

}  // namespace
}  // namespace eyrie::hal
