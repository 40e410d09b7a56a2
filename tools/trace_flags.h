// Flags that record a call over time: --trace, --trace_memory, --profile.
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

// Returns "12.3 us".
std::string TimeText(double ns);

// Returns the table of --profile: a summary line, then a line per kernel.
// `wall_ns` is the time of which shares are computed.
std::string ProfileText(std::span<const trace::DispatchTotals> rows,
                        double wall_ns);

// Records from Begin to Finish if the flags ask for it.
class Tracing {
 public:
  // Opens the file of --trace. INVALID_ARGUMENT: --trace_memory is not a size,
  // or --trace is not a file. Otherwise fails as FileWriter does.
  static absl::StatusOr<Tracing> Prepare(const Arguments& arguments);

  absl::Status Begin();
  // Returns FileWriter::identity() of the trace's file, or "" if there is none.
  std::string file_identity() const {
    return file_ == nullptr ? "" : file_->identity();
  }
  // Writes the trace file and prints the table to stderr. Without this call
  // both are discarded.
  absl::Status Finish();

 private:
  absl::Status Write();

  trace::RecorderOptions options_;
  std::unique_ptr<FileWriter> file_;           // null: no --trace
  std::unique_ptr<trace::Recorder> recorder_;  // null: not begun
};

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_TRACE_FLAGS_H_
