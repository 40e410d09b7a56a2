#include "tools/progress_line.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <utility>

#include "base/plain_text.h"

namespace eyrie::tools {
namespace {

constexpr std::chrono::milliseconds kFirst(500);
constexpr std::chrono::milliseconds kInterval(200);
constexpr char kWipe[] = "\r\x1b[K";

// Returns the terminal's columns minus one, because the last may wrap.
size_t Columns() {
  winsize size;
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col < 2) {
    return 79;
  }
  return size.ws_col - size_t{1};
}

}  // namespace

ProgressLine::ProgressLine(std::function<std::string()> text)
    : text_(std::move(text)) {
  if (isatty(STDERR_FILENO) == 0) return;
  // If the thread cannot be started, there is no line.
  auto thread = Thread::Start("the progress line", [this] { Run(); });
  if (thread.ok()) thread_ = *std::move(thread);
}

ProgressLine::~ProgressLine() {
  if (!thread_.is_started()) return;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    end_ = true;
    ended_.notify_all();
  }
  thread_.Join();
}

void ProgressLine::Print(absl::FunctionRef<void()> print) {
  const std::lock_guard<std::mutex> lock(mutex_);
  Wipe();
  print();
}

void ProgressLine::Run() {
  std::unique_lock<std::mutex> lock(mutex_);
  auto wait = kFirst;
  while (!ended_.wait_for(lock, wait, [this] { return end_; })) {
    wait = kInterval;
    Show(text_());
  }
  Wipe();
}

void ProgressLine::Show(const std::string& text) {
  std::fputs(kWipe, stderr);
  // PlainText adds "...".
  const size_t columns = Columns();
  std::fputs(PlainText(text, columns > 3 ? columns - 3 : columns).c_str(),
             stderr);
  std::fflush(stderr);
  shown_ = true;
}

void ProgressLine::Wipe() {
  if (!std::exchange(shown_, false)) return;
  std::fputs(kWipe, stderr);
  std::fflush(stderr);
}

}  // namespace eyrie::tools
