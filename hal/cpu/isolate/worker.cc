#include "hal/cpu/isolate/worker.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <functional>
#include <iterator>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "base/signal_name.h"
#include "base/status_macros.h"
#include "hal/cpu/isolate/worker_image.h"

namespace eyrie::hal::cpu::isolate {
namespace {

constexpr uint64_t kGiB = uint64_t{1} << 30;
constexpr uint64_t kCodeSize = kGiB;
constexpr uint64_t kStackSize = uint64_t{8} << 20;  // a thread's usual size
constexpr uint32_t kSpins = 2000;                   // 30 to 100 microseconds
constexpr int kAttempts = 10;                       // at different addresses
constexpr absl::Duration kStartTime = absl::Seconds(10);

void WakeAll(const std::atomic<uint32_t>& word) {
  syscall(SYS_futex, &word, FUTEX_WAKE, INT32_MAX, nullptr, nullptr, 0);
}

void SleepOn(const std::atomic<uint32_t>& word, uint32_t value,
             absl::Duration most) {
  const timespec time = absl::ToTimespec(most);
  syscall(SYS_futex, &word, FUTEX_WAIT, value, &time, nullptr, 0);
}

// The size of the data area: more than the machine has, because blocks leave
// gaps, and less than the process may have.
uint64_t DataSize() {
  const auto memory = static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) *
                      static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  rlimit limit = {};
  const uint64_t space =
      getrlimit(RLIMIT_AS, &limit) == 0 ? limit.rlim_cur / 4 : ~uint64_t{0};
  return std::min(2 * memory, space) / kPage * kPage;
}

// Returns an address far from those that the system chooses, so that the worker
// does not learn them.
uint64_t RandomAddress() {
  // Stacks are near the end of the address space, which has 47 bits or more, or
  // 38 or 39 on some boards.
  const auto stack = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  const uint64_t unit = stack >> 46 != 0 ? uint64_t{1} << 40 : kGiB;
  const uint64_t first = 16 * unit, range = 48 * unit;
  uint64_t bits = 0;
  if (getrandom(&bits, sizeof(bits), GRND_NONBLOCK) != sizeof(bits)) return 0;
  return first + bits % range / kGiB * kGiB;
}

// The number of processors on which this thread may run; 0: unknown.
uint32_t ProcessorsHere() {
  cpu_set_t set;
  CPU_ZERO(&set);
  return sched_getaffinity(0, sizeof(set), &set) == 0
             ? static_cast<uint32_t>(CPU_COUNT(&set))
             : 0;
}

uint32_t SpinsHere() { return ProcessorsHere() == 1 ? 0 : kSpins; }

absl::StatusOr<Descriptor> CreateProgram() {
  constexpr unsigned kExecutable = 0x10;  // MFD_EXEC, of Linux 6.3 and later
  int file = memfd_create("eyrie-worker", MFD_CLOEXEC | kExecutable);
  if (file < 0) file = memfd_create("eyrie-worker", MFD_CLOEXEC);
  Descriptor program = WithHighNumber(file);
  const std::span<const uint8_t> image = WorkerImage();
  if (!program.is_open() || WriteAll(program.get(), image) != image.size()) {
    return absl::UnavailableError(absl::StrCat(
        "The system does not create the file of an isolated worker: ",
        std::strerror(errno), "."));
  }
  return program;
}

// Waits until the process ends. Returns 0, or -1 if the system does not say
// how.
int WaitForEnd(int process, siginfo_t& info) {
  while (true) {
    const int waited =
        waitid(P_PIDFD, static_cast<id_t>(process), &info, WEXITED);
    if (waited == 0 || errno != EINTR) return waited;
  }
}

const char* TextOf(Step step) {
  constexpr const char* kTexts[] = {"begin",
                                    "run",
                                    "share control",
                                    "share code",
                                    "share data",
                                    "make stacks",
                                    "close files",
                                    "handle signals",
                                    "start threads",
                                    "set limits",
                                    "filter its system calls",
                                    "be ready"};
  const auto index = static_cast<size_t>(step);
  return index < std::size(kTexts) ? kTexts[index] : "begin";
}

std::string SignalText(uint32_t signal) {
  const char* const name = SignalName(static_cast<int>(signal));
  return name == nullptr ? absl::StrCat("signal ", signal) : name;
}

// Describes the end of a process, from a siginfo_t. A code of 0 means that the
// system does not say how it ended.
std::string ProcessEndText(int code, int status) {
  if (code == CLD_KILLED || code == CLD_DUMPED) {
    return SignalText(static_cast<uint32_t>(status));
  }
  if (code == CLD_EXITED) return absl::StrCat("it exited with code ", status);
  return "the system does not say how it ended";
}

// `code` is the executable that ran, if that is known.
std::string PlaceText(uint64_t place, const CodeRange& code) {
  const bool is_inside = place >= code.begin && place < code.end;
  return absl::StrCat(" by the instruction at address 0x",
                      absl::Hex(is_inside ? place - code.bias : place),
                      is_inside ? " of the executable" : "");
}

// The worker's signal, from its own report.
std::string FaultText(uint32_t signal, const LaneOutput& output,
                      const CodeRange& code) {
  const std::string place = PlaceText(output.place.load(), code);
  if (signal == SIGSYS) {
    return absl::StrCat("SIGSYS: the system call ", output.system_call.load(),
                        place, ", and no system call is permitted");
  }
  return absl::StrCat(SignalText(signal), " at address 0x",
                      absl::Hex(output.address.load()), place);
}

}  // namespace

class Worker::PeerOf final : public Lane::Peer {
 public:
  explicit PeerOf(Worker& worker) : worker_(worker) {}
  bool IsDead() const override { return worker_.IsDead(); }
  bool HasSpareProcessors() const override {
    // Each user of a lane needs a second one, for the worker's thread.
    return 2 * worker_.users_.load(std::memory_order_relaxed) <= processors_;
  }
  void Wake(const std::atomic<uint32_t>& word) override { WakeAll(word); }
  void Sleep(const std::atomic<uint32_t>& word, uint32_t value,
             absl::Duration most) override {
    SleepOn(word, value, most);
  }
  void Kill(Reason reason) override { worker_.Kill(reason); }

 private:
  Worker& worker_;
  const uint32_t processors_ = ProcessorsHere();
};

struct Worker::LaneEntry {
  LaneEntry(LaneInput& input, const LaneOutput& output, Lane::Peer& peer)
      : output(output), lane(input, output, peer, SpinsHere()) {}
  const LaneOutput& output;
  std::timed_mutex mutex;  // guards the lane
  Lane lane;
};

Worker::Worker() : peer_(std::make_unique<PeerOf>(*this)) {}

Worker::~Worker() {
  // In a forked child, the process and the thread are the parent's.
  if (mark_.IsForked()) {
    thread_.Forget();
    return;
  }
  Kill(Reason::kClosed);
  thread_.Join();
}

Progress& Worker::progress() const {
  const auto lanes = static_cast<uint32_t>(lanes_.size());
  return *reinterpret_cast<Progress*>(control_->data() + ProgressOffset(lanes));
}

absl::Status Worker::ShareMemory(uint32_t lanes) {
  const uint64_t address = RandomAddress();
  const auto at = [&](uint64_t offset) {
    return address == 0 ? 0 : address + offset;
  };
  ASSIGN_OR_RETURN(
      control_, SharedHeap::Create("eyrie-control", at(0), ControlSize(lanes)));
  ASSIGN_OR_RETURN(code_,
                   SharedHeap::Create("eyrie-code", at(kGiB), kCodeSize));
  ASSIGN_OR_RETURN(data_,
                   SharedHeap::Create("eyrie-data", at(3 * kGiB), DataSize()));
  RETURN_IF_ERROR(control_->UseWhole());
  uint8_t* const base = control_->data();
  for (uint32_t i = 0; i < lanes; ++i) {
    lanes_.push_back(std::make_unique<LaneEntry>(
        *reinterpret_cast<LaneInput*>(base + InputOffset(i)),
        *reinterpret_cast<LaneOutput*>(base + OutputOffset(lanes, i)), *peer_));
  }
  Setup setup = {};
  setup.version = kVersion;
  setup.lanes = lanes;
  setup.spins = SpinsHere();
  setup.control = reinterpret_cast<uintptr_t>(base);
  setup.input_size = ProgressOffset(lanes);
  setup.control_size = ControlSize(lanes);
  setup.code = reinterpret_cast<uintptr_t>(code_->data());
  setup.code_size = code_->size();
  setup.data = reinterpret_cast<uintptr_t>(data_->data());
  setup.data_size = data_->size();
  setup.stack_size = kStackSize;
  std::memcpy(base, &setup, sizeof(setup));
  return absl::OkStatus();
}

absl::Status Worker::Spawn(int program) {
  const Descriptor host =
      WithHighNumber(static_cast<int>(syscall(SYS_pidfd_open, getpid(), 0)));
  if (!host.is_open()) {
    return absl::UnavailableError(
        absl::StrCat("The system does not describe this process to an isolated "
                     "worker: ",
                     std::strerror(errno), "."));
  }
  ASSIGN_OR_RETURN(end_pipe_, EndPipe::Create());
  ASSIGN_OR_RETURN(Spawned spawned,
                   SpawnWorker({program, control_->file(), code_->file(),
                                data_->file(), host.get()}));
  process_ = std::move(spawned.process);
  absl::Status bound = end_pipe_.Bind(spawned.id, process_.get());
  if (bound.ok()) return absl::OkStatus();
  Kill(Reason::kClosed);
  siginfo_t info = {};
  WaitForEnd(process_.get(), info);
  process_.reset();
  return bound;
}

void Worker::Watch(int program, std::function<void(absl::Status)> started) {
  absl::Status spawned = Spawn(program);
  const bool is_running = spawned.ok();
  const int process = process_.get();
  started(std::move(spawned));
  if (!is_running) return;
  siginfo_t info = {};
  const int waited = WaitForEnd(process, info);
  // If the program ignores SIGCHLD or waits for all its children, the system
  // only says that the process has ended.
  if (waited == 0) {
    end_code_ = info.si_code;
    end_status_ = info.si_status;
  }
  is_dead_.store(true, std::memory_order_release);
  for (const auto& entry : lanes_) WakeAll(entry->output.done);
  WakeAll(progress().step);
}

absl::Status Worker::StartProcess() {
  ASSIGN_OR_RETURN(const Descriptor program, CreateProgram());
  std::mutex mutex;
  std::condition_variable changed;
  std::optional<absl::Status> result;
  ASSIGN_OR_RETURN(thread_,
                   Thread::Start(
                       "an isolated worker",
                       [&, file = program.get()] {
                         Watch(file, [&](absl::Status status) {
                           const std::lock_guard<std::mutex> lock(mutex);
                           result = std::move(status);
                           changed.notify_one();
                         });
                       },
                       /*stack_bytes=*/64 * 1024));
  std::unique_lock<std::mutex> lock(mutex);
  WaitUntil(changed, lock, Deadline::Never(),
            [&] { return result.has_value(); });
  return *result;
}

absl::Status Worker::StartFailure() const {
  const auto step = static_cast<Step>(progress().step.load());
  const uint32_t error = progress().error.load();
  if (error == EEXIST || end_status_ == kNoPlaceForOutput) {
    return absl::AlreadyExistsError(
        "An isolated worker has something at the addresses of its host.");
  }
  return absl::UnavailableError(absl::StrCat(
      "An isolated worker cannot ", TextOf(step), " on this system: ",
      error != 0 ? std::strerror(static_cast<int>(error))
                 : ProcessEndText(end_code_, end_status_).c_str(),
      "."));
}

absl::Status Worker::WaitUntilReady() {
  const Deadline deadline = Deadline::After(kStartTime);
  while (true) {
    const bool is_dead = IsDead();
    const uint32_t step = progress().step.load();
    if (static_cast<Step>(step) == Step::kReady) return absl::OkStatus();
    if (is_dead) return StartFailure();
    if (deadline.HasPassed()) {
      return absl::UnavailableError(
          absl::StrCat("An isolated worker does not start within ",
                       absl::FormatDuration(kStartTime), "."));
    }
    SleepOn(progress().step, step, Lane::kLook);
  }
}

absl::StatusOr<std::shared_ptr<Worker>> Worker::Start(uint32_t lanes) {
  if (WorkerImage().empty()) {
    return absl::UnimplementedError(
        "This build has no isolated workers; they exist for x86-64 and "
        "AArch64.");
  }
  absl::Status status;
  for (int i = 0; i < kAttempts; ++i) {
    const std::shared_ptr<Worker> worker(new Worker());
    status = worker->TryToStart(std::clamp(lanes, uint32_t{1}, kMaxLanes));
    if (status.ok()) return worker;
    if (!absl::IsAlreadyExists(status)) break;
  }
  return status;
}

absl::Status Worker::TryToStart(uint32_t lanes) {
  RETURN_IF_ERROR(ShareMemory(lanes));
  RETURN_IF_ERROR(StartProcess());
  return WaitUntilReady();
}

void Worker::Kill(Reason reason) {
  uint32_t none = 0;
  reason_.compare_exchange_strong(none, static_cast<uint32_t>(reason));
  if (!process_.is_open()) return;
  end_pipe_.Use();
  // This also ends a worker that another process has stopped.
  syscall(SYS_pidfd_send_signal, process_.get(), SIGKILL, nullptr, 0);
}

absl::StatusOr<Worker::Lease> Worker::TakeLane(const WorkBudget* work,
                                               Deadline deadline) {
  RETURN_IF_ERROR(mark_.Check("The isolated worker"));
  if (IsDead()) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const std::string loss =
        loss_.empty()
            ? absl::StrCat("It ended: ", EndText(lanes_.front()->output, {}),
                           ".")
            : loss_;
    return absl::FailedPreconditionError(
        absl::StrCat("The device's isolated worker has ended, so the device "
                     "runs no kernels; open it again. ",
                     loss));
  }
  Lease lease;
  absl::Duration wait;  // none, in the first round
  while (true) {
    for (const auto& entry : lanes_) {
      lease.lock_ = std::unique_lock<std::timed_mutex>(
          entry->mutex, absl::ToChronoNanoseconds(wait));
      lease.lane_ = &entry->lane;
      if (!lease.lock_.owns_lock()) continue;
      ++users_;
      lease.counted_.reset(&users_);
      return lease;
    }
    if (work != nullptr && work->stopped()) return work->StopReason();
    if (deadline.HasPassed()) {
      return absl::DeadlineExceededError(absl::StrCat(
          "All ", lanes_.size(), " threads of the isolated worker are busy."));
    }
    wait = Lane::kLook / static_cast<int64_t>(lanes_.size());
  }
}

const LaneOutput& Worker::Guilty(const LaneOutput& output) const {
  if (output.signal.load() != 0) return output;
  for (const auto& entry : lanes_) {
    if (entry->output.signal.load() != 0) return entry->output;
  }
  return output;
}

std::string Worker::EndText(const LaneOutput& own,
                            const CodeRange& code) const {
  if (reason_.load() == static_cast<uint32_t>(Reason::kCorrupt)) {
    return "it was ended because it wrote an impossible state";
  }
  if (reason_.load() == static_cast<uint32_t>(Reason::kDeadline)) {
    return "it was ended because it took too long";
  }
  const LaneOutput& output = Guilty(own);
  const uint32_t signal = output.signal.load();
  const bool is_handled = signal == SIGSEGV || signal == SIGBUS ||
                          signal == SIGILL || signal == SIGFPE ||
                          signal == SIGTRAP || signal == SIGSYS;
  if (is_handled && end_code_ != CLD_KILLED) {
    const bool is_own = &output == &own;
    return absl::StrCat(is_own ? "" : "another kernel raised ",
                        FaultText(signal, output, is_own ? code : CodeRange()));
  }
  return ProcessEndText(end_code_, end_status_);
}

absl::Status Worker::LossOf(const Lane& lane, const Lane::Label& label) {
  const auto entry =
      std::find_if(lanes_.begin(), lanes_.end(),
                   [&](const auto& each) { return &each->lane == &lane; });
  std::string message =
      absl::StrCat("The isolated worker ended while ", label.ToString(),
                   " ran: ", EndText((*entry)->output, label.code), ".");
  const std::lock_guard<std::mutex> lock(mutex_);
  if (loss_.empty()) loss_ = message;
  return absl::InternalError(message);
}

}  // namespace eyrie::hal::cpu::isolate
