// Writes events, and ends a recording while threads are writing.
//
// A thread sets its busy flag and then loads the recorder. Stop clears the
// recorder and then loads the flags. Both are sequentially consistent, so
// either the thread finds no recorder, or Stop finds the thread busy and waits
// for it.
#include "base/trace.h"

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <thread>

#include "absl/strings/str_cat.h"
#include "base/trace_recorder.h"

namespace eyrie::trace {

// The state of a thread that has written an event.
struct ThreadSlot {
  ThreadSlot();
  ~ThreadSlot();

  std::atomic<bool> busy{false};
  uint64_t serial = 0;  // of the recording that owns `log`
  ThreadLog* log = nullptr;
};

namespace {

constexpr const char* kNames[] = {
#define EYRIE_TRACE_NAME(name, text) text,
#include "base/trace_names.def"
#undef EYRIE_TRACE_NAME
};

// One for the process. Never destroyed, since threads may outlive main.
struct Registry {
  std::atomic<Recorder*> active{nullptr};
  std::atomic<uint64_t> next_serial{1};
  std::atomic<uint64_t> next_flow{1};
  std::mutex mutex;  // guards `slots`
  std::vector<ThreadSlot*> slots;
};

constinit thread_local bool thread_ends = false;
constinit thread_local ThreadSlot* thread_slot = nullptr;
constinit thread_local const char* thread_text = nullptr;
constinit thread_local int thread_number = 0;

Registry& TheRegistry();

// The child has no recording, and one thread.
void GoOnInChild() {
  Registry& registry = TheRegistry();
  registry.active.store(nullptr);
  internal::g_recording.store(0);
  registry.slots.clear();
  if (thread_slot != nullptr) registry.slots.push_back(thread_slot);
  registry.mutex.unlock();
}

Registry& TheRegistry() {
  static Registry* const registry = [] {
    pthread_atfork([] { TheRegistry().mutex.lock(); },
                   [] { TheRegistry().mutex.unlock(); }, GoOnInChild);
    return new Registry();
  }();
  return *registry;
}

ThreadSlot& TheSlot() {
  thread_local ThreadSlot slot;
  return slot;
}

std::string ThreadName(int64_t id) {
  if (thread_text != nullptr) return absl::StrCat(thread_text, thread_number);
  if (id == getpid()) return "main";
  return absl::StrCat("thread ", id);
}

}  // namespace

ThreadSlot::ThreadSlot() {
  Registry& registry = TheRegistry();
  const std::lock_guard<std::mutex> lock(registry.mutex);
  registry.slots.push_back(this);
  thread_slot = this;
}

ThreadSlot::~ThreadSlot() {
  thread_ends = true;
  thread_slot = nullptr;
  Registry& registry = TheRegistry();
  const std::lock_guard<std::mutex> lock(registry.mutex);
  std::erase(registry.slots, this);
}

int64_t Now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

void SetThreadName(const char* text, int number) {
  thread_text = text;
  thread_number = number;
}

// Gives a thread access to the active recorder, which cannot stop until the
// writer is destroyed.
class Writer {
 public:
  Writer() {
    if (thread_ends) return;  // the slot is destroyed
    slot_ = &TheSlot();
    slot_->busy.store(true);
    recorder_ = TheRegistry().active.load();
    if (recorder_ == nullptr) return;
    if (slot_->serial != recorder_->serial_) {
      slot_->log = recorder_->Attach();
      slot_->serial = recorder_->serial_;
    }
  }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;
  ~Writer() {
    if (slot_ != nullptr) slot_->busy.store(false, std::memory_order_release);
  }

  explicit operator bool() const { return recorder_ != nullptr; }
  bool records(uint32_t what) const {
    return recorder_ != nullptr && (recorder_->options_.what & what) != 0;
  }
  uint64_t serial() const { return recorder_->serial_; }

  NameId Intern(absl::string_view name) { return recorder_->Intern(name); }
  NameId Intern(NameCache& cache, MakeName name) {
    return recorder_->Intern(cache, name);
  }

  void Add(const Event& event) { AddTo(*slot_->log, event); }
  void AddSums(NameId name, const DispatchSpan::Workgroups& run, int64_t ns) {
    AddSumsTo(*slot_->log, name, run, ns);
  }
  Recorder& recorder() { return *recorder_; }

  // No other thread may write to `log` at the same time.
  void AddTo(ThreadLog& log, const Event& event) {
    if (log.size % ThreadLog::kChunkEvents == 0 && !recorder_->Extend(log))
        [[unlikely]] {
      ++log.dropped;
      return;
    }
    log.at(log.size) = event;
    ++log.size;
  }

  static void AddSumsTo(ThreadLog& log, NameId name,
                        const DispatchSpan::Workgroups& run, int64_t ns) {
    std::vector<ThreadLog::Sums>& sums = log.sums;
    if (sums.size() <= name) sums.resize(size_t{name} + 1);
    // Only the thread that runs the first workgroup counts the dispatch.
    sums[name].count += run.begin == 0 ? 1 : 0;
    sums[name].workgroups += run.end - run.begin;
    sums[name].ns += ns;
  }

 private:
  ThreadSlot* slot_ = nullptr;
  Recorder* recorder_ = nullptr;
};

namespace {

Event DispatchBegin(int64_t ns, NameId name,
                    const DispatchSpan::Workgroups& run) {
  const uint32_t(&count)[3] = run.count;
  const auto third = static_cast<uint16_t>(
      std::min<uint32_t>(count[2], std::numeric_limits<uint16_t>::max()));
  return {ns,
          name,
          Event::Kind::kBegin,
          Category::kDispatch,
          third,
          count[0] | uint64_t{count[1]} << 32,
          0};
}

Event DispatchEnd(int64_t ns, NameId name,
                  const DispatchSpan::Workgroups& run) {
  return {ns,        name,   Event::Kind::kEnd, Category::kDispatch, 0,
          run.begin, run.end};
}

void Note(Event::Kind kind, Category category, Name name, uint64_t value) {
  Writer writer;
  if (!writer.records(kEvents)) return;
  writer.Add({Now(), static_cast<NameId>(name), kind, category, 0, value, 0});
}

}  // namespace

void Begin(Category category, Name name, uint64_t bytes) {
  Note(Event::Kind::kBegin, category, name, bytes);
}

void Begin(Category category, absl::string_view name) {
  Writer writer;
  if (!writer.records(kEvents)) return;
  const NameId id = writer.Intern(name);
  writer.Add({Now(), id, Event::Kind::kBegin, category, 0, 0, 0});
}

void Begin(Category category, NameCache& cache, MakeName name) {
  Writer writer;
  if (!writer.records(kEvents)) return;
  const NameId id = writer.Intern(cache, name);
  writer.Add({Now(), id, Event::Kind::kBegin, category, 0, 0, 0});
}

void End() { Note(Event::Kind::kEnd, Category::kCall, Name::kOther, 0); }

void Instant(Category category, Name name, uint64_t bytes) {
  Note(Event::Kind::kInstant, category, name, bytes);
}

void Counter(Name name, uint64_t value) {
  Note(Event::Kind::kCounter, Category::kMemory, name, value);
}

uint64_t FlowFrom(Name name) {
  if (!IsRecording(kEvents)) return 0;
  const uint64_t flow =
      TheRegistry().next_flow.fetch_add(1, std::memory_order_relaxed);
  Note(Event::Kind::kFlowFrom, Category::kQueue, name, flow);
  return flow;
}

void FlowTo(Name name, uint64_t flow) {
  if (flow != 0) Note(Event::Kind::kFlowTo, Category::kQueue, name, flow);
}

DispatchSpan::DispatchSpan(NameCache& cache, MakeName name,
                           const Workgroups& workgroups)
    : workgroups_(workgroups) {
  Writer writer;
  if (!writer) return;
  serial_ = writer.serial();
  name_ = writer.Intern(cache, name);
  begin_ns_ = Now();
  if (!writer.records(kEvents)) return;
  writer.Add(DispatchBegin(begin_ns_, name_, workgroups_));
}

DispatchSpan::~DispatchSpan() {
  if (serial_ == 0) return;
  const int64_t now = Now();
  Writer writer;
  if (!writer || writer.serial() != serial_) return;
  if (writer.records(kEvents)) {
    writer.Add(DispatchEnd(now, name_, workgroups_));
  }
  if (writer.records(kDispatches)) {
    writer.AddSums(name_, workgroups_, now - begin_ns_);
  }
}

void AddDeviceDispatch(absl::string_view line, NameCache& cache, MakeName name,
                       const uint32_t (&workgroup_count)[3], int64_t begin_ns,
                       int64_t end_ns) {
  Writer writer;
  if (!writer) return;
  const NameId id = writer.Intern(cache, name);
  const uint32_t(&count)[3] = workgroup_count;
  const DispatchSpan::Workgroups all = {
      {count[0], count[1], count[2]},
      0,
      uint64_t{count[0]} * count[1] * count[2]};
  Recorder& recorder = writer.recorder();
  const std::lock_guard<std::mutex> lock(recorder.device_mutex_);
  ThreadLog& log = *recorder.AttachDevice(line);
  if (writer.records(kDispatches)) {
    Writer::AddSumsTo(log, id, all, end_ns - begin_ns);
  }
  if (!writer.records(kEvents)) return;
  begin_ns = std::max(begin_ns, recorder.start_ns_);
  if (log.size != 0) begin_ns = std::max(begin_ns, log.at(log.size - 1).ns + 1);
  end_ns = std::max(begin_ns, end_ns);
  writer.AddTo(log, DispatchBegin(begin_ns, id, all));
  writer.AddTo(log, DispatchEnd(end_ns, id, all));
}

Recorder::Recorder(const RecorderOptions& options)
    : options_(options),
      serial_(TheRegistry().next_serial.fetch_add(1)),
      start_ns_(Now()) {
  for (const char* name : kNames) {
    ids_.emplace(names_.emplace_back(name), ids_.size());
  }
}

absl::StatusOr<std::unique_ptr<Recorder>> Recorder::Start(
    const RecorderOptions& options) {
  std::unique_ptr<Recorder> recorder(new Recorder(options));
  Recorder* none = nullptr;
  if (!TheRegistry().active.compare_exchange_strong(none, recorder.get())) {
    recorder->stopped_ = true;
    return absl::FailedPreconditionError(
        "A trace is being recorded already; a process records one at a time.");
  }
  internal::g_recording.store(options.what);
  return recorder;
}

void Recorder::Stop() {
  if (stopped_) return;
  stopped_ = true;
  if (mark_.IsForked()) {  // in a child, the recording ended with the fork
    stop_ns_ = Now();
    return;
  }
  internal::g_recording.store(0);
  Registry& registry = TheRegistry();
  {
    // While the lock is held, no slot is added or removed.
    const std::lock_guard<std::mutex> lock(registry.mutex);
    registry.active.store(nullptr);
    for (const ThreadSlot* slot : registry.slots) {
      while (slot->busy.load()) std::this_thread::yield();
    }
  }
  stop_ns_ = Now();
}

bool Recorder::Take(uint64_t bytes) {
  if (bytes > options_.max_bytes - std::min(bytes_, options_.max_bytes)) {
    return false;
  }
  bytes_ += bytes;
  return true;
}

NameId Recorder::Intern(absl::string_view name) {
  name = name.substr(0, kMaxName);
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = ids_.find(name);
  if (found != ids_.end()) return found->second;
  constexpr uint64_t kBeside = 128;  // bytes for a name's entries in containers
  if (!Take(name.size() + kBeside)) return static_cast<NameId>(Name::kOther);
  const auto id = static_cast<NameId>(ids_.size());
  ids_.emplace(names_.emplace_back(name), id);
  return id;
}

NameId Recorder::Intern(NameCache& cache, MakeName name) {
  const uint64_t known = cache.known_.load(std::memory_order_relaxed);
  if (known >> 32 == (serial_ & 0xFFFFFFFF)) {
    return static_cast<NameId>(known);
  }
  const NameId id = Intern(name());
  cache.known_.store(serial_ << 32 | id, std::memory_order_relaxed);
  return id;
}

ThreadLog* Recorder::Attach() {
  const auto id = static_cast<int64_t>(syscall(SYS_gettid));
  const std::lock_guard<std::mutex> lock(mutex_);
  ThreadLog& log = logs_.emplace_back();
  log.thread_id = id;
  log.thread_name = ThreadName(id);
  return &log;
}

ThreadLog* Recorder::AttachDevice(absl::string_view line) {
  // Not a thread: above all thread numbers of the system.
  constexpr int64_t kFirstId = int64_t{1} << 30;
  const std::lock_guard<std::mutex> lock(mutex_);
  for (ThreadLog& log : logs_) {
    if (log.thread_id >= kFirstId && line == log.thread_name) return &log;
  }
  ThreadLog& log = logs_.emplace_back();
  log.thread_id = kFirstId + static_cast<int64_t>(logs_.size());
  log.thread_name = std::string(line);
  return &log;
}

bool Recorder::Extend(ThreadLog& log) {
  if (log.full) return false;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    log.full = !Take(sizeof(Event) * ThreadLog::kChunkEvents);
  }
  if (log.full) return false;
  // Not initialized, so that pages use memory only when events are written.
  log.chunks.emplace_back(new Event[ThreadLog::kChunkEvents]);
  return true;
}

std::vector<DispatchTotals> Recorder::Dispatches() const {
  std::vector<DispatchTotals> rows(names_.size());
  for (const ThreadLog& log : logs_) {
    for (size_t i = 0; i < log.sums.size(); ++i) {
      rows[i].count += log.sums[i].count;
      rows[i].workgroups += log.sums[i].workgroups;
      rows[i].ns += static_cast<double>(log.sums[i].ns);
    }
  }
  for (size_t i = 0; i < rows.size(); ++i) rows[i].name = names_[i];
  std::erase_if(rows,
                [](const DispatchTotals& row) { return row.workgroups == 0; });
  std::stable_sort(rows.begin(), rows.end(),
                   [](const DispatchTotals& a, const DispatchTotals& b) {
                     return a.ns > b.ns;
                   });
  return rows;
}

uint64_t Recorder::dropped() const {
  uint64_t dropped = 0;
  for (const ThreadLog& log : logs_) dropped += log.dropped;
  return dropped;
}

}  // namespace eyrie::trace
