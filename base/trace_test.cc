// The JSON of recordings: nesting, escapes, threads, limits.
#include "base/trace.h"

#include <gtest/gtest.h>

#include <atomic>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "base/json.h"
#include "base/trace_recorder.h"

namespace eyrie::trace {
namespace {

std::unique_ptr<Recorder> StartRecorder(const RecorderOptions& options = {}) {
  auto recorder = Recorder::Start(options);
  EXPECT_TRUE(recorder.ok()) << recorder.status();
  return *std::move(recorder);
}

// Stops the recorder and returns its JSON, parsed.
Json Written(Recorder& recorder) {
  recorder.Stop();
  std::string text;
  const absl::Status status = recorder.WriteJson([&](absl::string_view piece) {
    text.append(piece.data(), piece.size());
    return absl::OkStatus();
  });
  EXPECT_TRUE(status.ok()) << status;
  auto json = ParseJson(text);
  EXPECT_TRUE(json.ok()) << json.status() << "\n" << text;
  return *std::move(json);
}

double Number(const Json& event, absl::string_view key) {
  const Json* found = event.Find(key);
  if (found == nullptr) return -1;
  return found->is(Json::Kind::kInt) ? static_cast<double>(found->integer)
                                     : found->number;
}

std::string Text(const Json& event, absl::string_view key) {
  const Json* found = event.Find(key);
  return found == nullptr ? "" : found->text;
}

// Returns a line "X call f" for each event, indented by its depth.
std::string Outline(const Json& json) {
  std::string outline;
  std::vector<double> ends;
  double tid = 0;
  for (const Json& event : json.Find("traceEvents")->items) {
    if (Text(event, "ph") == "M") continue;
    const double begin = Number(event, "ts");
    if (Number(event, "tid") != tid) ends.clear();
    tid = Number(event, "tid");
    while (!ends.empty() && ends.back() < begin) ends.pop_back();
    absl::StrAppend(&outline, std::string(ends.size(), ' '), Text(event, "ph"),
                    " ", Text(event, "cat"), " ", Text(event, "name"), "\n");
    if (Text(event, "ph") == "X") ends.push_back(begin + Number(event, "dur"));
  }
  return outline;
}

// Waits, so that no two events have the same time.
void Tick() { std::this_thread::sleep_for(std::chrono::microseconds(2)); }

TEST(TraceTest, NothingIsRecordedWithoutARecorder) {
  EXPECT_FALSE(IsRecording(kEvents | kDispatches));
  {
    const Span span(Category::kCall, "before");
  }
  EXPECT_EQ(FlowFrom(Name::kExecute), 0u);
  const auto recorder = StartRecorder();
  EXPECT_TRUE(IsRecording(kEvents));
  EXPECT_TRUE(IsRecording(kDispatches));
  EXPECT_EQ(Outline(Written(*recorder)), "");
  EXPECT_FALSE(IsRecording(kEvents | kDispatches));
}

TEST(TraceTest, SpansNest) {
  const auto recorder = StartRecorder();
  NameCache name;
  for (int i = 0; i < 2; ++i) {
    const Span outer(Category::kCall, "outer");
    Tick();
    Begin(Category::kFunction, name, [] { return std::string("inner"); });
    Tick();
    Instant(Category::kMemory, Name::kAllocate, 64);
    Counter(Name::kDeviceMemory, 64);
    Tick();
    End();
    Tick();
    const uint64_t flow = FlowFrom(Name::kExecute);
    EXPECT_NE(flow, 0u);
    FlowTo(Name::kExecute, flow);
    Tick();
  }
  const std::string once =
      "X call outer\n"
      " X function inner\n"
      "  i memory allocate\n"
      "  C memory device memory\n"
      " s queue execute\n"
      " f queue execute\n";
  EXPECT_EQ(Outline(Written(*recorder)), once + once);
}

TEST(TraceTest, SpansOfWhichAHalfIsMissing) {
  auto recorder = StartRecorder();
  Begin(Category::kCall, Name::kCopy);
  recorder->Stop();
  recorder = StartRecorder();
  Begin(Category::kCall, Name::kFill);
  Tick();
  End();
  End();  // its begin is in the first recording
  Tick();
  Begin(Category::kWait, Name::kWait);  // has no end
  const Json json = Written(*recorder);
  EXPECT_EQ(Outline(json), "X call fill\nX wait wait\n");
  const Json& last = json.Find("traceEvents")->items.back();
  EXPECT_NEAR(Number(last, "ts") + Number(last, "dur"),
              static_cast<double>(recorder->duration_ns()) / 1000, 0.01);
}

TEST(TraceTest, NamesAreEscapedAndBounded) {
  const struct {
    std::string name;
    std::string want;
  } kRows[] = {
      {"plain", "plain"},
      {"", ""},
      {"quote\" and \\", "quote\" and \\"},
      {"\x1b[31m\n\t", "?[31m??"},
      {std::string("nul\0s", 5), "nul?s"},
      {"not \xff utf-8", "not ? utf-8"},
      {"\xc3\xa4", "\xc3\xa4"},
      {"</script>", "</script>"},
      {std::string(1000, 'x'), std::string(256, 'x')},
      // Cut within a UTF-8 sequence.
      {std::string(255, 'x') + "\xc3\xa4", std::string(255, 'x') + "?"},
  };
  const auto recorder = StartRecorder();
  for (const auto& row : kRows) {
    const Span span(Category::kCall, row.name);
  }
  const Json json = Written(*recorder);
  const std::vector<Json>& events = json.Find("traceEvents")->items;
  ASSERT_EQ(events.size(), std::size(kRows) + 2);  // two are metadata
  for (size_t i = 0; i < std::size(kRows); ++i) {
    EXPECT_EQ(Text(events[i + 2], "name"), kRows[i].want) << "row " << i;
  }
}

TEST(TraceTest, ACacheServesSeveralRecordings) {
  NameCache cache;
  int made = 0;
  const auto name = [&] { return absl::StrCat("name ", ++made); };
  for (int i = 1; i <= 2; ++i) {
    const auto recorder = StartRecorder();
    {
      const Span other(Category::kCall, absl::StrCat("other ", i));
    }
    for (int j = 0; j < 3; ++j) {
      Begin(Category::kFunction, cache, name);
      End();
    }
    EXPECT_EQ(made, i);
    const Json json = Written(*recorder);
    EXPECT_EQ(Text(json.Find("traceEvents")->items.back(), "name"),
              absl::StrCat("name ", i));
  }
}

TEST(TraceTest, OneRecorderAtATime) {
  auto first = StartRecorder();
  const auto second = Recorder::Start({});
  EXPECT_EQ(second.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_TRUE(IsRecording(kEvents));
  first.reset();
  EXPECT_TRUE(Recorder::Start({}).ok());
  EXPECT_FALSE(IsRecording(kEvents));
}

TEST(TraceTest, TheBoundDropsWhatComesLast) {
  constexpr uint64_t kChunk = sizeof(Event) * ThreadLog::kChunkEvents;
  const struct {
    uint64_t max_bytes;
    size_t kept;  // of 3000 spans
  } kRows[] = {{0, 0},
               {kChunk - 1, 0},
               {kChunk, 64},
               {65536, 1024},
               {kChunk * 48, 3000}};
  for (const auto& row : kRows) {
    const auto recorder = StartRecorder({.max_bytes = row.max_bytes});
    for (int i = 0; i < 3000; ++i) {
      const Span span(Category::kTransfer, Name::kFill);
    }
    {
      const Span span(Category::kCall, "a name");
    }
    const Json json = Written(*recorder);
    EXPECT_EQ(recorder->dropped(),
              row.kept == 3000 ? 0 : 2 * (3001 - row.kept));
    EXPECT_EQ(Number(*json.Find("otherData"), "dropped"), recorder->dropped());
    EXPECT_EQ(json.Find("traceEvents")->items.size(),
              2 + row.kept + (row.kept == 3000 ? 1 : 0));
  }
}

TEST(TraceTest, TheOuterSpanOfADroppedOneIsKept) {
  constexpr uint64_t kChunk = sizeof(Event) * ThreadLog::kChunkEvents;
  const auto recorder = StartRecorder({.max_bytes = kChunk});
  {
    const Span outer(Category::kCall, Name::kRunCommands);
    for (int i = 0; i < 3000; ++i) {
      const Span span(Category::kTransfer, Name::kFill);
    }
  }
  const Json json = Written(*recorder);
  const Json& outer = json.Find("traceEvents")->items[2];
  EXPECT_EQ(Text(outer, "name"), "run commands");
  EXPECT_NEAR(Number(outer, "ts") + Number(outer, "dur"),
              static_cast<double>(recorder->duration_ns()) / 1000, 0.01);
}

TEST(TraceTest, ASinkThatFailsEndsTheWriting) {
  const auto recorder = StartRecorder();
  for (int i = 0; i < 5000; ++i) {
    const Span span(Category::kTransfer, Name::kFill);
  }
  recorder->Stop();
  int pieces = 0;
  const absl::Status status = recorder->WriteJson([&](absl::string_view) {
    ++pieces;
    return absl::InternalError("full");
  });
  EXPECT_EQ(status, absl::InternalError("full"));
  EXPECT_EQ(pieces, 1);
}

TEST(TraceTest, DispatchesAreSummedByName) {
  const struct {
    const char* name;
    uint64_t begin;
    uint64_t end;
  } kRuns[] = {{"a", 0, 4}, {"a", 4, 6}, {"b", 0, 1}, {"a", 0, 6}};
  for (const uint32_t what : {kEvents, kDispatches, kEvents | kDispatches}) {
    const auto recorder = StartRecorder({.what = what});
    NameCache caches[2];
    for (const auto& run : kRuns) {
      const DispatchSpan span(caches[run.name[0] - 'a'],
                              [&] { return std::string(run.name); },
                              {{3, 2, 1}, run.begin, run.end});
      Tick();
    }
    const Json json = Written(*recorder);
    std::set<std::string> rows;
    double longest = std::numeric_limits<double>::infinity();
    for (const DispatchTotals& row : recorder->Dispatches()) {
      EXPECT_GE(row.ns, 2000 * static_cast<double>(row.count));
      EXPECT_LE(row.ns, std::exchange(longest, row.ns));
      rows.insert(absl::StrCat(row.name, " ", row.count, " ", row.workgroups));
    }
    EXPECT_EQ(absl::StrJoin(rows, ";"),
              (what & kDispatches) != 0 ? "a 2 12;b 1 1" : "");
    EXPECT_EQ(Outline(json), (what & kEvents) != 0
                                 ? "X dispatch a\nX dispatch a\nX dispatch b\n"
                                   "X dispatch a\n"
                                 : "");
    if ((what & kEvents) == 0) continue;
    const Json& args = *json.Find("traceEvents")->items[3].Find("args");
    EXPECT_EQ(args.Find("workgroups")->items.size(), 3u);
    EXPECT_EQ(args.Find("workgroups")->items[1].integer, 2);
    EXPECT_EQ(Number(args, "begin"), 4);
    EXPECT_EQ(Number(args, "end"), 6);
  }
}

TEST(TraceTest, DispatchesOfDevicesHaveALineOfTheirOwn) {
  const auto recorder = StartRecorder({.what = kEvents | kDispatches});
  NameCache cache;
  const int64_t now = Now();
  const struct {
    const char* line;
    int64_t begin;
    int64_t end;
  } kRuns[] = {{"gpu 0", 1000, 3000},
               {"gpu 1", 0, 500},
               {"gpu 0", 2000, 5000},   // begins before the previous one ended
               {"gpu 0", 4000, 4500}};  // and ends before that, too
  for (const auto& run : kRuns) {
    AddDeviceDispatch(
        run.line, cache, [] { return std::string("k"); }, {2, 3, 1},
        now + run.begin, now + run.end);
  }
  const Json json = Written(*recorder);
  EXPECT_EQ(Outline(json),
            "X dispatch k\nX dispatch k\nX dispatch k\nX dispatch k\n");
  std::map<int64_t, double> sums;
  for (const Json& event : json.Find("traceEvents")->items) {
    const Json* const duration = event.Find("dur");
    if (duration == nullptr) continue;
    sums[event.Find("tid")->integer] += Number(event, "dur");
  }
  ASSERT_EQ(sums.size(), 2u);
  EXPECT_NEAR(sums.begin()->second, 3.999, 1e-9);  // us, without overlaps
  EXPECT_DOUBLE_EQ(sums.rbegin()->second, 0.5);
  const std::vector<DispatchTotals> rows = recorder->Dispatches();
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].count, 4u);
  EXPECT_EQ(rows[0].workgroups, 24u);
  EXPECT_DOUBLE_EQ(rows[0].ns, 2000 + 500 + 3000 + 500);
}

// Threads start, write and end while recordings begin and end.
TEST(TraceTest, ThreadsWriteWhileRecordingsEnd) {
  constexpr int kThreads = 4;
  std::atomic<bool> over{false};
  NameCache shared;
  const auto work = [&](int index) {
    SetThreadName("worker ", index);
    while (!over.load()) {
      const Span outer(Category::kCall, absl::StrCat("thread ", index));
      const DispatchSpan span(shared, [] { return std::string("kernel"); },
                              {{1, 1, 1}, 0, 1});
      std::thread([&] {
        const Span brief(Category::kWait, Name::kWait);
      }).join();
    }
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) threads.emplace_back(work, i);
  for (int round = 0; round < 20; ++round) {
    const auto recorder = StartRecorder({.max_bytes = 8 << 20});
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    const Json json = Written(*recorder);
    std::map<double, double> last;  // by thread
    for (const Json& event : json.Find("traceEvents")->items) {
      if (Text(event, "ph") != "X") continue;
      double& before = last[Number(event, "tid")];
      EXPECT_LE(before, Number(event, "ts"));
      before = Number(event, "ts");
    }
  }
  over = true;
  for (std::thread& thread : threads) thread.join();
}

TEST(TraceTest, ThreadsHaveNames) {
  const auto recorder = StartRecorder();
  {
    const Span span(Category::kCall, Name::kWait);
  }
  std::thread([] {
    SetThreadName("task ", 3);
    const Span span(Category::kCall, Name::kWait);
  }).join();
  std::thread([] { const Span span(Category::kCall, Name::kWait); }).join();
  std::multiset<std::string> names;
  const Json json = Written(*recorder);
  for (const Json& event : json.Find("traceEvents")->items) {
    if (Text(event, "name") == "thread_name") {
      names.insert(Text(*event.Find("args"), "name").substr(0, 7));
    }
  }
  EXPECT_EQ(names, (std::multiset<std::string>{"main", "task 3", "thread "}));
}

}  // namespace
}  // namespace eyrie::trace
