// A signal handler that calls the function of the current InterruptWatch.
#include "tools/interrupt.h"

#include <unistd.h>

#include <atomic>
#include <thread>
#include <utility>

namespace eyrie::tools {
namespace {

std::atomic<const std::function<void()>*> called = nullptr;
std::atomic<int> handlers = 0;  // running now
static_assert(std::atomic<int>::is_always_lock_free);

// The first interrupt takes the function, so that the next one finds none.
void Handle(int) {
  handlers.fetch_add(1);
  const std::function<void()>* const call = called.exchange(nullptr);
  if (call == nullptr) InterruptWatch::Exit();
  (*call)();
  handlers.fetch_sub(1);
}

}  // namespace

void InterruptWatch::Exit() { _exit(kExitCode); }

InterruptWatch::InterruptWatch(std::function<void()> interrupted)
    : interrupted_(std::move(interrupted)) {
  called = &interrupted_;
  struct sigaction action = {};
  action.sa_handler = &Handle;
  action.sa_flags = SA_RESTART;
  sigaction(SIGINT, &action, &before_);
}

void InterruptWatch::Rearm() { called = &interrupted_; }

InterruptWatch::~InterruptWatch() {
  sigaction(SIGINT, &before_, nullptr);
  // The handler may still run on another thread.
  while (handlers.load() != 0) std::this_thread::yield();
  called = nullptr;
}

}  // namespace eyrie::tools
