// The calls that were running when an error occurred, as text.
//
//   at native hal.fence.await
//   from module.predict+0x1c (model.mlir:12:3)
//   from module.main+0x40 (model.mlir:30:5, inlined at model.mlir:41:3)
// The lines follow the error message and are indented by two blanks. Recursion
// takes one line; the middle of a deep call is left out. Names from the file
// are truncated, and their control characters replaced by '?'. However deep the
// call, only frames that are shown are kept.
// Tested by backtrace_test.cc.
#ifndef EYRIE_VM_MODULE_BACKTRACE_H_
#define EYRIE_VM_MODULE_BACKTRACE_H_

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "vm/module/module_def.h"

namespace eyrie::vm {

// A function that has not returned.
struct BacktraceFrame {
  const ModuleDef* module;
  uint32_t function;  // ordinal
  uint32_t offset;    // of the instruction in its bytecode

  friend bool operator==(const BacktraceFrame&,
                         const BacktraceFrame&) = default;
};

// A sequence of frames, innermost first, that keeps only the first few and the
// last few runs of equal frames. There may be many frames, so anything that is
// slow to compute is computed for the kept ones only, with As.
template <typename Frame>
class FrameRuns {
 public:
  struct Run {
    Frame frame;
    uint64_t count;
  };

  void Add(const Frame& frame) {
    Run* const last = !outer_.empty()   ? &outer_.back()
                      : !inner_.empty() ? &inner_.back()
                                        : nullptr;
    if (last != nullptr && last->frame == frame) {
      ++last->count;
    } else if (inner_.size() < kInnermost) {
      inner_.push_back({frame, 1});
    } else {
      outer_.push_back({frame, 1});
      if (outer_.size() <= kOutermost) return;
      left_out_ += outer_.front().count;
      outer_.pop_front();
    }
  }

  template <typename To>
  FrameRuns<To> As(absl::FunctionRef<To(const Frame&)> find) const {
    FrameRuns<To> to;
    for (const Run& run : inner_) {
      to.inner_.push_back({find(run.frame), run.count});
    }
    for (const Run& run : outer_) {
      to.outer_.push_back({find(run.frame), run.count});
    }
    to.left_out_ = left_out_;
    return to;
  }

  const std::vector<Run>& inner() const { return inner_; }
  const std::deque<Run>& outer() const { return outer_; }
  uint64_t left_out() const { return left_out_; }  // number of frames between

 private:
  template <typename Other>
  friend class FrameRuns;

  static constexpr size_t kInnermost = 12;
  static constexpr size_t kOutermost = 4;

  std::vector<Run> inner_;
  std::deque<Run> outer_;
  uint64_t left_out_ = 0;
};

using Backtrace = FrameRuns<BacktraceFrame>;

// Returns the lines, each preceded by a line break. `native` is the full name
// of the import that failed, or empty.
std::string FormatBacktrace(const Backtrace& backtrace,
                            absl::string_view native);

// Returns the error with the backtrace appended to its message.
absl::Status WithBacktrace(const absl::Status& status, absl::string_view native,
                           const Backtrace& backtrace);

// Returns the message without its backtrace.
absl::string_view WithoutBacktrace(absl::string_view message);

}  // namespace eyrie::vm

#endif  // EYRIE_VM_MODULE_BACKTRACE_H_
