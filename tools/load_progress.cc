#include "tools/load_progress.h"

#include <unistd.h>

#include <cstdio>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/folders.h"
#include "tools/interrupt.h"

namespace eyrie::tools {
namespace {

constexpr double kMebi = 1 << 20;
// A shorter file is read before the line would appear, so no thread is started.
constexpr uint64_t kBrief = uint64_t{8} << 20;

}  // namespace

LoadProgress::LoadProgress() : on_terminal_(isatty(STDERR_FILENO) != 0) {}

void LoadProgress::Start() {
  if (!on_terminal_ || line_ != nullptr) return;
  // Before the line's thread starts, which must block signals.
  watch_.emplace([this] {
    if (line_ != nullptr) line_->Print([] {});
    InterruptWatch::Exit();
  });
  line_ = std::make_unique<ProgressLine>([this] { return Text(); });
}

void LoadProgress::Begin(std::string what, uint64_t bytes) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    what_ = std::move(what);
    bytes_ = bytes;
    done_ = 0;
  }
  Start();
}

void LoadProgress::BeginFile(std::string what, const std::string& path) {
  if (!on_terminal_) return;
  const uint64_t bytes = FileSize(path);
  const bool is_brief = 0 < bytes && bytes < kBrief;
  if (line_ != nullptr || !is_brief) Begin(std::move(what), bytes);
}

std::string LoadProgress::Text() {
  const std::lock_guard<std::mutex> lock(mutex_);
  const uint64_t done = done_;
  if (done == 0 || bytes_ == 0) return what_;
  return absl::StrCat(
      what_,
      absl::StrFormat(": %.1f of %.1f MiB", static_cast<double>(done) / kMebi,
                      static_cast<double>(bytes_) / kMebi));
}

}  // namespace eyrie::tools
