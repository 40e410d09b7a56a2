#include "tools/batch.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "abi/call/invoker.h"
#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/descriptor.h"
#include "base/json.h"
#include "base/mapped_file.h"
#include "base/status_macros.h"
#include "base/system_error.h"
#include "base/thread.h"
#include "tools/batch_source.h"
#include "tools/command.h"
#include "tools/interrupt.h"
#include "tools/json_flags.h"
#include "tools/load_flags.h"
#include "tools/progress_line.h"
#include "tools/result_flags.h"
#include "tools/usage_error.h"

namespace eyrie::tools {
namespace {

constexpr int64_t kMaxBatchJobs = 1000;

constexpr Flag kBatchFlags[] = {
    Heading("Many calls"),
    {"batch", FlagKind::kString, "",
     "Calls the function once for each input and prints a line of JSON for\n"
     "each: {\"index\": 0, \"result\": ...} or {\"index\": 0, \"error\": "
     "\"...\"}.\n"
     "  inputs.jsonl     each line is a JSON array, as for --args, or a JSON\n"
     "                   object, as for --kwargs\n"
     "  -                the same from standard input\n"
     "  folder           each file *.json is such a text, each *.npy and "
     "*.npz\n"
     "                   has the arguments as arrays"},
    {"batch_jobs", FlagKind::kInt, "1",
     "Number of calls of --batch that run at the same time, each in its own\n"
     "context."},
    {"batch_output", FlagKind::kString, "",
     "Appends the lines of --batch to a file. If it has n lines already, the\n"
     "first n inputs are skipped, so that an interrupted run can go on. A "
     "file\n"
     "with other text is refused. '-' is standard output."},
};

constexpr absl::string_view kResult = ", \"result\": ";
constexpr absl::string_view kError = ", \"error\": ";

// Returns how the line of a call begins.
std::string LineBegin(uint64_t index) {
  return absl::StrCat("{\"index\": ", index);
}

// Reports whether a line is that of a failed call. Quotes in a file's name have
// a backslash before them.
bool IsFailure(absl::string_view line) {
  return line.find(kError) < line.find(kResult);
}

// The lines of the results: stdout, or a file that earlier lines stay in.
class ResultLines {
 public:
  // INVALID_ARGUMENT: the file has lines that are no results.
  absl::Status Open(const std::string& path);
  absl::Status Write(const std::string& line);
  // The number of lines that the file had, and how many of them are errors.
  uint64_t earlier() const { return earlier_; }
  uint64_t failed() const { return failed_; }

 private:
  // Counts the lines, and returns the number of bytes of the complete ones.
  absl::StatusOr<size_t> ReadEarlier(absl::string_view text);

  std::string path_;  // "" is stdout
  Descriptor file_;
  uint64_t earlier_ = 0;
  uint64_t failed_ = 0;
};

absl::StatusOr<size_t> ResultLines::ReadEarlier(absl::string_view text) {
  size_t complete = 0;
  while (complete < text.size()) {
    const absl::string_view rest = text.substr(complete);
    const size_t end = rest.find('\n');
    const absl::string_view line = rest.substr(0, end);
    const std::string begin = LineBegin(earlier_);
    // The last line may be incomplete.
    const size_t compared =
        end == rest.npos ? std::min(line.size(), begin.size()) : begin.size();
    if (line.substr(0, compared) != begin.substr(0, compared)) {
      return absl::InvalidArgumentError(absl::StrCat(
          "Line ", earlier_ + 1, " of --batch_output='", path_,
          "' does not begin with ", begin, ": it is not a file of results."));
    }
    if (end == rest.npos) break;
    ++earlier_;
    if (IsFailure(line)) ++failed_;
    complete += end + 1;
  }
  return complete;
}

absl::Status ResultLines::Open(const std::string& path) {
  path_ = path == "-" ? "" : path;
  if (path_.empty()) return absl::OkStatus();
  // A pipe that this process could read would never be closed for its writers.
  struct stat found = {};
  const bool is_stream =
      stat(path.c_str(), &found) == 0 && !S_ISREG(found.st_mode);
  const int access = is_stream ? O_WRONLY : O_RDWR | O_CREAT;
  file_.reset(open(path.c_str(), access | O_APPEND | O_CLOEXEC, 0666));
  if (!file_.is_open()) return SystemError("open", path, errno);
  if (is_stream) return absl::OkStatus();
  ASSIGN_OR_RETURN(const auto file, MappedFile::ReadAll(file_.get(), path));
  const auto bytes = file->bytes();
  ASSIGN_OR_RETURN(
      const size_t complete,
      ReadEarlier({reinterpret_cast<const char*>(bytes.data()), bytes.size()}));
  // A run that was killed may have left the beginning of a line.
  if (complete < bytes.size() &&
      ftruncate(file_.get(), static_cast<off_t>(complete)) != 0) {
    return SystemError("truncate", path, errno);
  }
  return absl::OkStatus();
}

absl::Status ResultLines::Write(const std::string& line) {
  if (path_.empty()) return WriteStdout(line);
  const FileSizeSignalBlock block;
  if (WriteAll(file_.get(), {reinterpret_cast<const uint8_t*>(line.data()),
                             line.size()}) == line.size()) {
    return absl::OkStatus();
  }
  return SystemError("write", path_, errno);
}

// The threads that call, and what they share.
class Batch {
 public:
  using NewSession =
      std::function<absl::StatusOr<std::unique_ptr<abi::Session>>()>;

  Batch(const Arguments& arguments, abi::NarrowFloats floats,
        std::atomic<bool>& interrupted, BatchSource source,
        NewSession new_session)
      : arguments_(arguments),
        floats_(floats),
        interrupted_(interrupted),
        new_session_(std::move(new_session)),
        jobs_(static_cast<size_t>(arguments.GetInt("batch_jobs"))),
        source_(std::move(source)) {}

  absl::StatusOr<bool> Run();

 private:
  struct Job {
    std::unique_ptr<abi::Session> session;
    std::optional<abi::Callable> function;
    std::atomic<abi::Session*> called = nullptr;  // for Interrupt()
  };
  struct Task {
    uint64_t index = 0;
    BatchInput input;
  };

  // Gives a job without a context a new one.
  absl::Status Renew(Job& job);
  // Ends the context of a failed call, which may not be called again.
  void Retire(Job& job);
  // Cancels all calls. Async-signal-safe.
  void Interrupt();
  absl::Status SkipEarlier();
  absl::Status Work();
  void Call(Job& job);
  // Returns the next input, or nullopt if there are no more.
  std::optional<Task> Next();
  absl::StatusOr<std::vector<vm::Value>> ReadArguments(const Job& job,
                                                       const BatchInput& input);
  absl::StatusOr<std::string> ResultOf(Job& job, const BatchInput& input);
  // Waits for the lines of earlier calls, then writes one. Returns false if the
  // batch has ended.
  bool WriteInOrder(const Task& task,
                    const absl::StatusOr<std::string>& result);
  void Stop(const absl::Status& status);
  std::string Progress() const;

  const Arguments& arguments_;
  const abi::NarrowFloats floats_;
  std::atomic<bool>& interrupted_;
  const NewSession new_session_;
  std::vector<Job> jobs_;
  std::atomic<int> interrupts_ = 0;  // that run now

  std::atomic<bool> is_reading_ = false;  // an input, perhaps of a terminal
  std::mutex reading_;                    // guards the next two
  BatchSource source_;
  uint64_t next_ = 0;

  std::mutex writing_;  // guards what follows
  std::condition_variable turn_;
  ResultLines lines_;
  absl::Status status_;
  bool stopped_ = false;
  std::atomic<uint64_t> written_ = 0;  // calls, those of earlier runs included
  std::atomic<uint64_t> failed_ = 0;
};

void Batch::Stop(const absl::Status& status) {
  const std::lock_guard lock(writing_);
  if (status_.ok()) status_ = status;
  stopped_ = true;
  turn_.notify_all();
}

std::optional<Batch::Task> Batch::Next() {
  const std::lock_guard lock(reading_);
  is_reading_ = true;
  const absl::Cleanup read([this] { is_reading_ = false; });
  if (interrupted_) return std::nullopt;
  Task task;
  const absl::StatusOr<bool> found = source_.Next(task.input);
  if (!found.ok() && !interrupted_) Stop(found.status());
  if (!found.ok() || !*found) return std::nullopt;
  task.index = next_++;
  return task;
}

absl::StatusOr<std::vector<vm::Value>> Batch::ReadArguments(
    const Job& job, const BatchInput& input) {
  const abi::Callable& function = *job.function;
  const Ref<hal::Device>& device = job.session->devices()[0];
  if (input.path.empty()) {
    return ReadJsonArguments(arguments_, input.json, function, device);
  }
  abi::ValueReader reader(device, "--batch", floats_, function.memory());
  ASSIGN_OR_RETURN(std::vector<abi::ParsedValue> parsed,
                   reader.Read(std::vector<std::string>{"*" + input.path},
                               abi::ArgumentSlots(function)));
  return abi::Invoker::EncodeRegisters(function, device,
                                       abi::ValuesOf(std::move(parsed)));
}

absl::Status Batch::Renew(Job& job) {
  ASSIGN_OR_RETURN(job.session, new_session_());
  ASSIGN_OR_RETURN(job.function,
                   job.session->Lookup(arguments_.GetString("function")));
  job.called = job.session.get();
  return absl::OkStatus();
}

void Batch::Retire(Job& job) {
  job.called = nullptr;
  // An interrupt that runs now may still use the context.
  while (interrupts_ != 0) std::this_thread::yield();
  job.function.reset();
  job.session.reset();
}

void Batch::Interrupt() {
  ++interrupts_;
  interrupted_ = true;
  for (const Job& job : jobs_) {
    if (abi::Session* const session = job.called) session->Cancel();
  }
  --interrupts_;
  if (is_reading_) InterruptWatch::Exit();  // reads are not interrupted
}

absl::StatusOr<std::string> Batch::ResultOf(Job& job, const BatchInput& input) {
  if (job.session == nullptr) RETURN_IF_ERROR(Renew(job));
  absl::StatusOr<std::vector<vm::Value>> results;
  {
    ASSIGN_OR_RETURN(const std::vector<vm::Value> values,
                     ReadArguments(job, input));
    results = job.function->Call(values);
  }
  if (!results.ok()) {
    Retire(job);
    return results.status();
  }
  std::string text;
  RETURN_IF_ERROR(WriteResultsJson(arguments_, *std::move(results),
                                   *job.function, job.session->devices()[0],
                                   [&text](absl::string_view piece) {
                                     absl::StrAppend(&text, piece);
                                     return absl::OkStatus();
                                   }));
  return text;
}

bool Batch::WriteInOrder(const Task& task,
                         const absl::StatusOr<std::string>& result) {
  std::string line = LineBegin(task.index);
  if (!task.input.name.empty()) {
    line += ", \"file\": ";
    AppendJsonString(task.input.name, line);
  }
  if (result.ok()) {
    absl::StrAppend(&line, kResult, *result);
  } else {
    absl::StrAppend(&line, kError);
    AppendJsonString(
        absl::StrCat(absl::StatusCodeToString(result.status().code()), ": ",
                     result.status().message()),
        line);
  }
  line += "}\n";
  std::unique_lock lock(writing_);
  turn_.wait(lock, [&] { return stopped_ || written_ == task.index; });
  if (stopped_) return false;
  if (const absl::Status status = lines_.Write(line); !status.ok()) {
    status_ = status;
    stopped_ = true;
  }
  ++written_;
  if (!result.ok()) ++failed_;
  turn_.notify_all();
  return !stopped_;
}

void Batch::Call(Job& job) {
  while (const std::optional<Task> task = Next()) {
    const absl::StatusOr<std::string> result = ResultOf(job, task->input);
    // An interrupted call is repeated when the batch goes on.
    if (interrupted_ || !WriteInOrder(*task, result)) break;
  }
  if (interrupted_) Stop(absl::CancelledError("The batch was interrupted."));
}

absl::Status Batch::SkipEarlier() {
  RETURN_IF_ERROR(lines_.Open(arguments_.GetString("batch_output")));
  if (lines_.earlier() == 0) return absl::OkStatus();
  failed_ = lines_.failed();
  PrintNote(absl::StrCat(
      "'", arguments_.GetString("batch_output"), "' has ", lines_.earlier(),
      " lines",
      failed_ == 0 ? ""
                   : absl::StrCat(", ", lines_.failed(), " of them errors"),
      "; as many inputs are skipped."));
  BatchInput skipped;
  while (next_ < lines_.earlier()) {
    ASSIGN_OR_RETURN(const bool found, source_.Next(skipped));
    if (!found) {
      return absl::InvalidArgumentError(
          absl::StrCat("--batch_output has more lines (", lines_.earlier(),
                       ") than --batch has inputs (", next_,
                       "): they are results of other inputs."));
    }
    ++next_;
  }
  written_ = next_;
  return absl::OkStatus();
}

std::string Batch::Progress() const {
  const std::string of = source_.file_count() == 0
                             ? ""
                             : absl::StrCat(" of ", source_.file_count());
  return absl::StrCat("call ", written_.load(), of, ", ", failed_.load(),
                      " failed");
}

absl::Status Batch::Work() {
  std::optional<ProgressLine> line;
  // Lines on the same terminal show the progress themselves.
  if (isatty(STDOUT_FILENO) == 0 ||
      !arguments_.GetString("batch_output").empty())
    line.emplace([this] { return Progress(); });
  std::vector<Thread> threads;
  for (size_t i = 1; i < jobs_.size(); ++i) {
    auto thread = Thread::Start("calls", [this, i] { Call(jobs_[i]); });
    if (!thread.ok()) {
      Stop(thread.status());
      break;
    }
    threads.push_back(*std::move(thread));
  }
  Call(jobs_[0]);
  threads.clear();  // waits for them
  return status_;
}

absl::StatusOr<bool> Batch::Run() {
  std::atomic<bool> running = false;
  const InterruptWatch watch([this, &running] {
    if (!running) InterruptWatch::Exit();
    Interrupt();
  });
  for (Job& job : jobs_) RETURN_IF_ERROR(Renew(job));
  RETURN_IF_ERROR(SkipEarlier());
  running = true;
  RETURN_IF_ERROR(Work());
  return failed_ == 0;
}

}  // namespace

std::span<const Flag> BatchFlags() { return kBatchFlags; }

absl::Status CheckBatch(const Arguments& arguments) {
  if (!arguments.IsSet("batch")) {
    for (const char* flag : {"batch_jobs", "batch_output"}) {
      if (arguments.IsSet(flag)) {
        return UsageError(absl::StrCat("--", flag, " needs --batch."));
      }
    }
    return absl::OkStatus();
  }
  std::vector<const char*> others = {"input", "args", "kwargs", "seed",
                                     "collectives"};
  for (const Flag& flag : ResultFlags()) {
    if (flag.kind != FlagKind::kHeading) others.push_back(flag.name);
  }
  for (const char* flag : others) {
    if (arguments.IsSet(flag)) {
      return UsageError(
          absl::StrCat("--", flag, " cannot be combined with --batch."));
    }
  }
  if (arguments.GetString("batch").empty()) {
    return UsageError(
        "--batch= names no inputs; expected a file of JSON lines, a folder or "
        "'-'.");
  }
  const int64_t jobs = arguments.GetInt("batch_jobs");
  if (jobs >= 1 && jobs <= kMaxBatchJobs) return absl::OkStatus();
  return UsageError(absl::StrCat("--batch_jobs=", jobs,
                                 " is not between 1 and ", kMaxBatchJobs, "."));
}

absl::StatusOr<bool> RunBatch(const Arguments& arguments,
                              const std::vector<abi::Program>& programs,
                              const std::vector<Ref<hal::Device>>& devices,
                              const abi::SessionOptions& options,
                              abi::NarrowFloats floats,
                              std::atomic<bool>& interrupted) {
  ASSIGN_OR_RETURN(BatchSource source,
                   BatchSource::Open(arguments.GetString("batch")));
  // A fault of an isolated kernel fails all calls on its device, for good. So
  // each context has devices of its own.
  const bool is_isolated = arguments.GetBool("isolate");
  std::atomic<bool> is_first = true;
  Batch batch(arguments, floats, interrupted, std::move(source),
              [&]() -> absl::StatusOr<std::unique_ptr<abi::Session>> {
                if (!is_isolated || is_first.exchange(false)) {
                  return abi::Session::Create(programs, devices, options);
                }
                ASSIGN_OR_RETURN(const auto own, OpenDevices(arguments));
                return abi::Session::Create(programs, own, options);
              });
  return batch.Run();
}

}  // namespace eyrie::tools
