// Records the events of all threads between its start and its stop. Writes them
// to a file for trace viewers, and sums up the dispatches of each kernel.
//
// A child of fork() is not recorded, unless it starts its own recording. A
// thread writes events to chunks, which it allocates under a lock. After the
// memory limit is reached, events are only counted. Stop waits for threads that
// are writing an event, so nothing is written to a stopped recording.
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
#include "base/trace_types.h"

namespace eyrie::trace {

struct RecorderOptions {
  uint32_t what = kEvents | kDispatches;     // bits
  uint64_t max_bytes = uint64_t{256} << 20;  // of events and names
};

// The sums of one kernel over all threads.
struct DispatchTotals {
  std::string name;
  uint64_t count = 0;  // dispatches with workgroups
  uint64_t workgroups = 0;
  double ns = 0;  // nanoseconds, added up over threads
};

// One recorded event.
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
  uint16_t third;  // of a dispatch: workgroups in z, at most 65535
  // Bytes, a counter's value, or a flow's number. In a dispatch's begin, the
  // workgroups in x and y. In its end, the first workgroup; `more` is then one
  // past the last.
  uint64_t value;
  uint64_t more;
};
static_assert(sizeof(Event) == 32);

// The events of one thread or of a device's line.
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
  bool full = false;     // gets no more chunks
  struct Sums {
    uint64_t count = 0;
    uint64_t workgroups = 0;
    int64_t ns = 0;
  };
  std::vector<Sums> sums;  // indexed by NameId
};

// Thread-compatible; any thread may record events meanwhile.
class Recorder {
 public:
  // Receives a text piece by piece. An error ends the writing.
  using Sink = absl::FunctionRef<absl::Status(absl::string_view piece)>;

  // Creates a recorder and makes it the process's active one.
  // FAILED_PRECONDITION: another recorder is active.
  static absl::StatusOr<std::unique_ptr<Recorder>> Start(
      const RecorderOptions& options);
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;
  ~Recorder() { Stop(); }

  // Ends the recording, unless it has ended. Waits for threads that are writing
  // an event.
  void Stop();

  // The functions below must be called after Stop.

  // Writes all events in the JSON format of Chrome's trace viewer, thread by
  // thread, in the order of time. Returns the first error of `sink`.
  absl::Status WriteJson(Sink sink) const;
  // Returns the sums of each kernel, in descending order of time.
  std::vector<DispatchTotals> Dispatches() const;
  // Returns the number of events dropped after max_bytes was reached.
  uint64_t dropped() const;
  // Returns the nanoseconds between start and stop.
  int64_t duration_ns() const { return stop_ns_ - start_ns_; }

 private:
  friend class Writer;
  friend class JsonWriter;
  friend void AddDeviceDispatch(absl::string_view line, NameCache& cache,
                                MakeName name,
                                const uint32_t (&workgroup_count)[3],
                                int64_t begin_ns, int64_t end_ns);

  explicit Recorder(const RecorderOptions& options);

  // Returns the number of a name, which is cut at kMaxName bytes, or kOther if
  // the memory limit is reached.
  NameId Intern(absl::string_view name);
  NameId Intern(NameCache& cache, MakeName name);
  // Creates a log for the calling thread.
  ThreadLog* Attach();
  // Returns the log of a device's line; creates it if it does not exist.
  ThreadLog* AttachDevice(absl::string_view line);
  // Adds a chunk. Returns false if the memory limit is reached.
  bool Extend(ThreadLog& log);
  // Counts bytes. Returns false if they exceed the memory limit. mutex_ must be
  // held.
  bool Take(uint64_t bytes);

  static constexpr size_t kMaxName = 256;

  const ForkMark mark_;
  const RecorderOptions options_;
  const uint64_t serial_;  // of this process's recordings, from 1
  const int64_t start_ns_;
  int64_t stop_ns_ = 0;
  bool stopped_ = false;
  std::mutex device_mutex_;  // held while a device's log is written
  std::mutex mutex_;         // guards all below while it is active
  uint64_t bytes_ = 0;
  std::deque<ThreadLog> logs_;
  std::deque<std::string> names_;
  HashMap<absl::string_view, NameId> ids_;  // views of names_
};

}  // namespace eyrie::trace

#endif  // EYRIE_BASE_TRACE_RECORDER_H_
