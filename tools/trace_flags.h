// Flags that show what a call did and when: --trace, --trace_memory,
// --profile.
//
// Tested by cli_test.py, trace_flags_test.cc.
#ifndef EYRIE_TOOLS_TRACE_FLAGS_H_
#define EYRIE_TOOLS_TRACE_FLAGS_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/file_writer.h"
#include "base/trace_recorder.h"
#include "tools/arg_parser.h"

namespace eyrie::tools {

// The rows of these flags.
std::span<const Flag> TraceFlags();

// The table of --profile: a line that sums it up, then one for each kernel.
// `wall_ns`: what shares are of.
std::string ProfileText(std::span<const trace::DispatchTotals> rows,
                        double wall_ns);

// What the flags ask for, from Begin to Finish; nothing if they do not.
class Tracing {
 public:
  // INVALID_ARGUMENT: --trace_memory is no size, --trace no file. Else why the
  // file cannot be written.
  static absl::StatusOr<Tracing> Prepare(const Arguments& arguments);

  absl::Status Begin();
  bool has_begun() const { return recorder_ != nullptr; }
  // FileWriter::identity() of the trace's file; empty if there is none.
  std::string file_identity() const {
    return file_ == nullptr ? "" : file_->identity();
  }
  // Writes the file and prints the table; both are lost without it.
  absl::Status Finish();

 private:
  absl::Status Write();

  trace::RecorderOptions options_;
  std::unique_ptr<FileWriter> file_;           // null: no --trace
  std::unique_ptr<trace::Recorder> recorder_;  // null: not begun
};

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_TRACE_FLAGS_H_
