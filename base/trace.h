// Records spans, counters and flows of a process. While a recorder is active,
// each thread writes its events to its own memory.
//
//   const trace::Span span(trace::Category::kWait, trace::Name::kWait);
//
// Without a recorder, a site costs one relaxed load and a branch, and allocates
// nothing. With one, it reads the clock and writes 32 bytes. It locks only for
// a thread's first event, a new chunk of memory or a new name.
// Thread-safe. A process has at most one active recorder: docs/tracing.md.
// Tested by trace_test.cc.
#ifndef EYRIE_BASE_TRACE_H_
#define EYRIE_BASE_TRACE_H_

#include <atomic>
#include <cstdint>

#include "absl/strings/string_view.h"
#include "base/trace_types.h"  // for callers

namespace eyrie::trace {

namespace internal {
inline constinit std::atomic<uint32_t> g_recording{0};
}  // namespace internal

inline bool IsRecording(uint32_t what) {
  return (internal::g_recording.load(std::memory_order_relaxed) & what) != 0;
}

// Names the calling thread: "task 1". The text must outlive the thread.
void SetThreadName(const char* text, int number);

// Without a recorder, these do nothing; test IsRecording(kEvents) first to save
// the call. Each Begin needs an End on the same thread. Spans nest.
void Begin(Category category, Name name, uint64_t bytes = 0);
void Begin(Category category, absl::string_view name);
void Begin(Category category, NameCache& cache, MakeName name);
void End();
// Records one moment, with a number of bytes.
void Instant(Category category, Name name, uint64_t bytes);
// Records the new value of a counter.
void Counter(Name name, uint64_t value);
// Records an arrow from the current span to a later one. Pass the result of
// FlowFrom to FlowTo. If nothing is recorded, it is 0, which FlowTo ignores.
uint64_t FlowFrom(Name name);
void FlowTo(Name name, uint64_t flow);

// Returns the steady clock's nanoseconds, the time of all events.
int64_t Now();

// Records a dispatch that a device ran, after its end: a span on the device's
// own `line`, counted in the kernel's sums. Spans of a line do not overlap. One
// that began before the previous one ended is shortened.
void AddDeviceDispatch(absl::string_view line, NameCache& cache, MakeName name,
                       const uint32_t (&workgroup_count)[3], int64_t begin_ns,
                       int64_t end_ns);

// Records a span from its construction to its destruction.
class Span {
 public:
  Span(Category category, Name name, uint64_t bytes = 0) {
    if (IsRecording(kEvents)) [[unlikely]]
      Start([&] { Begin(category, name, bytes); });
  }
  Span(Category category, absl::string_view name) {
    if (IsRecording(kEvents)) [[unlikely]]
      Start([&] { Begin(category, name); });
  }
  Span(const Span&) = delete;
  Span& operator=(const Span&) = delete;
  ~Span() {
    if (begun_) [[unlikely]]
      End();
  }

 private:
  template <typename F>
  void Start(const F& begin) {
    begin();
    begun_ = true;
  }

  bool begun_ = false;
};

// Records that this thread runs the workgroups from `begin` up to `end`,
// without `end`, of a dispatch of `count` workgroups: a span from construction
// to destruction, counted in the kernel's sums. Create it only if anything is
// recorded.
class DispatchSpan {
 public:
  struct Workgroups {
    uint32_t count[3];
    uint64_t begin;
    uint64_t end;
  };
  DispatchSpan(NameCache& cache, MakeName name, const Workgroups& workgroups);
  DispatchSpan(const DispatchSpan&) = delete;
  DispatchSpan& operator=(const DispatchSpan&) = delete;
  ~DispatchSpan();

 private:
  const Workgroups workgroups_;
  uint64_t serial_ = 0;  // of the recording; 0: nothing is recorded
  NameId name_ = 0;
  int64_t begin_ns_ = 0;
};

}  // namespace eyrie::trace

#endif  // EYRIE_BASE_TRACE_H_
