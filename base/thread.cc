#include "base/thread.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/signal_block.h"

namespace eyrie {
namespace {

using Run = std::function<void()>;

void* Main(void* run) {
  const std::unique_ptr<Run> owned(static_cast<Run*>(run));
  (*owned)();
  return nullptr;
}

// Rounds up to whole pages, and to the least size that the system accepts.
size_t StackBytes(size_t wanted) {
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  const auto least = static_cast<size_t>(PTHREAD_STACK_MIN);
  return (std::max(wanted, least) + page - 1) / page * page;
}

// Returns an errno.
int Create(pthread_t& id, size_t stack_bytes, Run* run) {
  pthread_attr_t attributes;
  const int error = pthread_attr_init(&attributes);
  if (error != 0) return error;
  if (stack_bytes != 0) {
    pthread_attr_setstacksize(&attributes, StackBytes(stack_bytes));
  }
  const SignalBlock no_signals;
  const int started = pthread_create(&id, &attributes, Main, run);
  pthread_attr_destroy(&attributes);
  return started;
}

}  // namespace

absl::StatusOr<Thread> Thread::Start(absl::string_view purpose,
                                     std::function<void()> run,
                                     size_t stack_bytes) {
  auto owned = std::make_unique<Run>(std::move(run));
  pthread_t id;
  int error = Create(id, stack_bytes, owned.get());
  // A small stack may be too small for the thread-local variables of large
  // libraries.
  if (error == EINVAL && stack_bytes != 0) error = Create(id, 0, owned.get());
  if (error != 0) {
    return absl::ResourceExhaustedError(
        absl::StrCat("Cannot start a thread for ", purpose, ": ",
                     std::strerror(error), "."));
  }
  static_cast<void>(owned.release());  // the thread owns it
  return Thread(id);
}

void Thread::Join() {
  if (IsCurrent()) return Detach();
  if (!id_.has_value()) return;
  const pthread_t id = *id_;
  id_.reset();
  pthread_join(id, nullptr);
}

void Thread::Detach() {
  if (!id_.has_value()) return;
  const pthread_t id = *id_;
  id_.reset();
  pthread_detach(id);
}

}  // namespace eyrie
