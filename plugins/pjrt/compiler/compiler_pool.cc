#include "plugins/pjrt/compiler/compiler_pool.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/deadline.h"
#include "base/status_macros.h"
#include "base/system_error.h"
#include "plugins/pjrt/compiler/find_compiler.h"

namespace eyrie::pjrt {
namespace {

// A process is replaced after it: the compiler's memory grows slowly.
constexpr int kMaxPrograms = 200;
constexpr uint64_t kMaxResidentBytes = uint64_t{2} << 30;
constexpr int kMaxDefaultWorkers = 4;

int MostWorkers(int given) {
  if (given > 0) return given;
  return std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 1,
                    kMaxDefaultWorkers);
}

bool IsUsedUp(const CompilerProcess& process) {
  return process.programs() >= kMaxPrograms ||
         process.ResidentBytes() > kMaxResidentBytes;
}

}  // namespace

CompilerPool::CompilerPool(CompilerOptions options)
    : options_(std::move(options)), most_(MostWorkers(options_.workers)) {}

std::unique_ptr<CompilerPool> CompilerPool::Create(CompilerOptions options) {
  return std::unique_ptr<CompilerPool>(new CompilerPool(std::move(options)));
}

CompilerPool::~CompilerPool() {
  // All at once, then waits for each.
  for (const Process& process : idle_) process->Kill();
}

absl::StatusOr<std::string> CompilerPool::Library() {
  RETURN_IF_ERROR(mark_.Check("The compiler"));
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (library_.has_value()) return *library_;
  }
  // Not under the lock, since it may run Python.
  ASSIGN_OR_RETURN(std::string library, FindCompiler(options_.library));
  const std::lock_guard<std::mutex> lock(mutex_);
  library_ = library;
  return library;
}

absl::StatusOr<std::string> CompilerPool::Identity() {
  ASSIGN_OR_RETURN(const std::string library, Library());
  char* const real = realpath(library.c_str(), nullptr);
  const std::string path = real == nullptr ? library : real;
  std::free(real);
  struct stat found = {};
  if (stat(path.c_str(), &found) != 0) {
    return SystemError("read", path, errno);
  }
  return absl::StrCat(path, " ", found.st_size, " ", found.st_mtim.tv_sec, ".",
                      found.st_mtim.tv_nsec);
}

void CompilerPool::Warm(int count) {
  const absl::StatusOr<std::string> library = Library();
  while (library.ok()) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      const int idle = static_cast<int>(idle_.size());
      if (idle >= count || idle + running_ >= most_) return;
      ++running_;
    }
    absl::StatusOr<Process> process = CompilerProcess::Start(*library);
    const bool is_started = process.ok();
    Return(is_started ? *std::move(process) : nullptr);
    if (!is_started) return;
  }
}

CompilerPool::Process CompilerPool::Take() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (true) {
    Wait(changed_, lock, [&] { return !idle_.empty() || running_ < most_; });
    ++running_;
    if (idle_.empty()) return nullptr;
    Process process = std::move(idle_.back());
    idle_.pop_back();
    if (process->IsAlive()) return process;
    // Its destructor does not wait long: it has ended.
    --running_;
  }
}

void CompilerPool::Return(Process process) {
  const bool is_kept =
      process != nullptr && process->IsAlive() && !IsUsedUp(*process);
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    --running_;
    if (is_kept) idle_.push_back(std::move(process));
    changed_.notify_one();
  }
}

absl::StatusOr<CompiledProgram> CompilerPool::Compile(
    const CompileRequest& request) {
  ASSIGN_OR_RETURN(const std::string library, Library());
  Process process = Take();
  if (process == nullptr) {
    absl::StatusOr<Process> started = CompilerProcess::Start(library);
    if (!started.ok()) {
      Return(nullptr);
      return started.status();
    }
    process = *std::move(started);
  }
  absl::StatusOr<CompiledProgram> program =
      process->Compile(request, {options_.timeout, nullptr});
  const bool is_used_up = process->IsAlive() && IsUsedUp(*process);
  Return(std::move(process));
  // The next program finds a process that has started.
  if (is_used_up) Warm(1);
  return program;
}

}  // namespace eyrie::pjrt
