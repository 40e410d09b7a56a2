// Where a call was when it failed, as text.
//
//   at native hal.fence.await
//   from module.predict+0x1c (model.mlir:12:3)
//   from module.main+0x40 (model.mlir:30:5, inlined at model.mlir:41:3)
// Lines begin with two blanks and follow the error's sentence. Recursion takes
// one line; of a deep call the middle is left out. Names come from the file, so
// they are cut and cleaned of what a terminal would obey. However deep the
// call, only the frames that are shown are kept. Tested by backtrace_test.cc.
#ifndef EYRIE_VM_BACKTRACE_H_
#define EYRIE_VM_BACKTRACE_H_

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "vm/module_def.h"

namespace eyrie::vm {

// A function that has not returned.
struct BacktraceFrame {
  const ModuleDef* module;
  uint32_t function;  // ordinal
  uint32_t offset;    // of the instruction in the function's bytecode

  friend bool operator==(const BacktraceFrame&,
                         const BacktraceFrame&) = default;
};

class Backtrace {
 public:
  // Frames come innermost first.
  void Add(const BacktraceFrame& frame);

  // The lines, each after a line break. `native` is the full name of the
  // import that failed; empty if none did.
  std::string Format(absl::string_view native) const;

 private:
  // Equal frames that follow each other: one line.
  struct Run {
    BacktraceFrame frame;
    uint64_t count;
  };

  std::vector<Run> inner_;
  std::deque<Run> outer_;  // behind them, the last few
  uint64_t left_out_ = 0;  // frames between the two
};

// A failure with the backtrace added to its sentence.
absl::Status WithBacktrace(const absl::Status& status, absl::string_view native,
                           const Backtrace& backtrace);

// The sentence of a failure, without a backtrace.
absl::string_view WithoutBacktrace(absl::string_view message);

}  // namespace eyrie::vm

#endif  // EYRIE_VM_BACKTRACE_H_
