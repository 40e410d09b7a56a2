// A recording: what all threads note between its start and its stop, and what
// becomes of it: a file for trace viewers, and sums by kernel.
//
// A child of fork() is not recorded, unless it starts a recording of its own.
// A thread notes events in chunks, which it takes under a lock; when the bound
// is reached, what comes later is counted instead. A thread that writes says
// so, and Stop waits for it: nothing is written to a recording that is over.
// Tested by trace_test.cc.
#ifndef EYRIE_BASE_TRACE_RECORDER_H_
#define EYRIE_BASE_TRACE_RECORDER_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/fork_mark.h"
#include "base/hash_map.h"
#include "base/trace.h"

namespace eyrie::trace {

struct RecorderOptions {
  uint32_t what = kEvents | kDispatches;
  uint64_t max_bytes = uint64_t{256} << 20;  // of events and names
};

// The sums of one kernel, over all threads.
struct DispatchTotals {
  std::string name;
  uint64_t count = 0;  // dispatches with workgroups
  uint64_t workgroups = 0;
  double ns = 0;  // of all threads together
};

// One event as it is noted.
struct Event {
  enum class Kind : uint8_t {
    kBegin,
    kEnd,
    kInstant,
    kCounter,
    kFlowFrom,
    kFlowTo,
  };
  int64_t ns;  // of the steady clock
  NameId name;
  Kind kind;
  Category category;
  uint16_t third;  // of a dispatch: workgroups in z
  // Bytes, a value, a flow. Of a dispatch's begin workgroups in x and y; of
  // its end the first workgroup and, in `more`, the one behind the last.
  uint64_t value;
  uint64_t more;
};
static_assert(sizeof(Event) == 32);

// What one thread has noted.
struct ThreadLog {
  static constexpr size_t kChunkEvents = 128;  // a page of memory

  Event& at(size_t index) const {
    return chunks[index / kChunkEvents][index % kChunkEvents];
  }

  int64_t thread_id = 0;  // the system's
  std::string thread_name;
  std::vector<std::unique_ptr<Event[]>> chunks;
  size_t size = 0;       // events
  uint64_t dropped = 0;  // events
  bool full = false;     // no more chunks
  struct Sums {
    uint64_t count = 0;
    uint64_t workgroups = 0;
    int64_t ns = 0;
  };
  std::vector<Sums> sums;  // by name
};

class Recorder {
 public:
  // Takes pieces of a text in turn; an error ends the writing.
  using Sink = absl::FunctionRef<absl::Status(absl::string_view piece)>;

  // Becomes the process's active recorder. FAILED_PRECONDITION: there is one.
  static absl::StatusOr<std::unique_ptr<Recorder>> Start(
      const RecorderOptions& options);
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;
  ~Recorder() { Stop(); }

  // Ends the recording; again, nothing. Waits for threads that write an event.
  void Stop();

  // All below: after Stop, one thread at a time.

  // Events in the JSON of Chrome's trace viewer, each thread's by time.
  absl::Status WriteJson(Sink sink) const;
  // Sums by kernel, the longest first.
  std::vector<DispatchTotals> Dispatches() const;
  // Events that found no room.
  uint64_t dropped() const;
  // Nanoseconds between start and stop.
  int64_t duration_ns() const { return stop_ns_ - start_ns_; }

 private:
  friend class Writer;
  friend class JsonWriter;
  friend void AddDeviceDispatch(absl::string_view line, NameCache& cache,
                                MakeName name,
                                const uint32_t (&workgroup_count)[3],
                                int64_t begin_ns, int64_t end_ns);

  explicit Recorder(const RecorderOptions& options);

  // The number of a name, cut at kMaxName bytes; kOther if there is no room.
  NameId Intern(absl::string_view name);
  NameId Intern(NameCache& cache, MakeName name);
  // The log of the calling thread.
  ThreadLog* Attach();
  // The log of a device's line.
  ThreadLog* AttachDevice(absl::string_view line);
  // One more chunk; false if the bound is reached.
  bool Extend(ThreadLog& log);
  // Counts against the bound; false if it is reached. With mutex_ held.
  bool Take(uint64_t bytes);

  static constexpr size_t kMaxName = 256;

  const ForkMark mark_;
  const RecorderOptions options_;
  const uint64_t serial_;  // of this process's recordings, from 1
  const int64_t start_ns_;
  int64_t stop_ns_ = 0;
  bool stopped_ = false;
  std::mutex device_mutex_;  // held by who writes to a device's log
  std::mutex mutex_;         // guards all below while it is active
  uint64_t bytes_ = 0;
  std::deque<ThreadLog> logs_;
  std::deque<std::string> names_;
  HashMap<absl::string_view, NameId> ids_;  // views of names_
};

}  // namespace eyrie::trace

#endif  // EYRIE_BASE_TRACE_RECORDER_H_
