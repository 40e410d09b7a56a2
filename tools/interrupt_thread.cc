// All threads block SIGINT; one thread reads it from a signalfd, and waits for
// the destructor at the same time.
#include "tools/interrupt_thread.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <utility>

#include "tools/interrupt.h"

namespace eyrie::tools {
namespace {

sigset_t Interrupts() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  return set;
}

}  // namespace

InterruptThread::InterruptThread(std::function<void()> interrupted) {
  const sigset_t set = Interrupts();
  signals_ = signalfd(-1, &set, SFD_CLOEXEC);
  end_ = eventfd(0, EFD_CLOEXEC);
  if (signals_ < 0 || end_ < 0) return;  // SIGINT still ends the process
  sigset_t before;
  pthread_sigmask(SIG_BLOCK, &set, &before);
  was_blocked_ = sigismember(&before, SIGINT) == 1;
  auto thread = Thread::Start(
      "interrupts", [this, call = std::move(interrupted)] { Run(call); });
  if (thread.ok()) {
    thread_ = *std::move(thread);
  } else {
    Unblock();  // an interrupt ends the process
  }
}

InterruptThread::~InterruptThread() {
  if (thread_.is_started()) {
    eventfd_write(end_, 1);
    thread_.Join();
    Unblock();
  }
  if (signals_ >= 0) close(signals_);
  if (end_ >= 0) close(end_);
}

void InterruptThread::Unblock() const {
  const sigset_t set = Interrupts();
  if (!was_blocked_) pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

void InterruptThread::Run(const std::function<void()>& interrupted) const {
  bool first = true;
  while (true) {
    pollfd files[] = {{signals_, POLLIN, 0}, {end_, POLLIN, 0}};
    if (poll(files, 2, -1) < 0) continue;  // some other signal
    if (files[1].revents != 0) return;
    signalfd_siginfo info;
    if (read(signals_, &info, sizeof(info)) != sizeof(info)) continue;
    if (!std::exchange(first, false)) InterruptWatch::Exit();
    interrupted();
  }
}

}  // namespace eyrie::tools
