// Recordings from flags.
#include "tools/trace_flags.h"

#include <cstdio>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/plain_text.h"
#include "base/status_macros.h"
#include "tools/limit_flags.h"
#include "tools/usage_error.h"

namespace eyrie::tools {
namespace {

constexpr size_t kMaxName = 256;  // bytes

constexpr Flag kTraceFlags[] = {
    Heading("Traces and profiles"),
    {"trace", FlagKind::kString, "",
     "Writes a trace of the call, thread by thread, to a file for\n"
     "https://ui.perfetto.dev or chrome://tracing."},
    {"trace_memory", FlagKind::kString, "256MiB",
     "Memory limit of a trace; later events are only counted."},
    {"profile", FlagKind::kBool, "false",
     "Prints the time of each kernel to stderr at the end, the longest first."},
    // The public runtime's names.
    {"print_device_statistics", FlagKind::kBool, "false",
     "The same as --profile."},
    {"dispatch_statistics", FlagKind::kBool, "false", "The same as --profile."},
};

bool WantsProfile(const Arguments& arguments) {
  return arguments.GetBool("profile") ||
         arguments.GetBool("print_device_statistics") ||
         arguments.GetBool("dispatch_statistics");
}

}  // namespace

std::span<const Flag> TraceFlags() { return kTraceFlags; }

std::string TimeText(double ns) {
  constexpr struct {
    double ns;
    const char* unit;
  } kUnits[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}, {1, "ns"}};
  for (const auto& row : kUnits) {
    if (ns >= row.ns) return absl::StrFormat("%.4g %s", ns / row.ns, row.unit);
  }
  return absl::StrFormat("%.4g ns", ns);
}

std::string ProfileText(std::span<const trace::DispatchTotals> rows,
                        double wall_ns) {
  uint64_t count = 0;
  double total = 0;
  for (const trace::DispatchTotals& row : rows) {
    count += row.count;
    total += row.ns;
  }
  std::string text = absl::StrFormat(
      "Dispatches: %d of %d kernels, %s on all threads; %s passed\n", count,
      rows.size(), TimeText(total), TimeText(wall_ns));
  if (rows.empty()) return text;
  absl::StrAppendFormat(&text, "%9s %12s %10s %10s %7s  %s\n", "count",
                        "workgroups", "total", "mean", "share", "kernel");
  for (const trace::DispatchTotals& row : rows) {
    // A dispatch may have been partly run before the recording began.
    const double mean =
        row.ns / static_cast<double>(row.count == 0 ? 1 : row.count);
    absl::StrAppendFormat(&text, "%9d %12d %10s %10s %6.1f%%  %s\n", row.count,
                          row.workgroups, TimeText(row.ns), TimeText(mean),
                          wall_ns > 0 ? 100 * row.ns / wall_ns : 0,
                          PlainText(row.name, kMaxName));
  }
  return text;
}

absl::StatusOr<Tracing> Tracing::Prepare(const Arguments& arguments) {
  Tracing tracing;
  RETURN_IF_ERROR(
      ReadSize(arguments, "trace_memory", tracing.options_.max_bytes));
  tracing.options_.what = WantsProfile(arguments) ? trace::kDispatches : 0;
  const std::string& path = arguments.GetString("trace");
  if (arguments.IsSet("trace")) {
    if (path.empty() || path == "-") {
      return UsageError(absl::StrCat(
          "--trace='", path,
          "' is not a file; standard output is reserved for results."));
    }
    tracing.options_.what |= trace::kEvents;
    tracing.file_ = std::make_unique<FileWriter>(path);
    RETURN_IF_ERROR(tracing.file_->status());
  }
  return tracing;
}

absl::Status Tracing::Begin() {
  if (options_.what == 0) return absl::OkStatus();
  ASSIGN_OR_RETURN(recorder_, trace::Recorder::Start(options_));
  return absl::OkStatus();
}

absl::Status Tracing::Write() {
  RETURN_IF_ERROR(recorder_->WriteJson(
      [this](absl::string_view piece) { return file_->WriteText(piece); }));
  return file_->Finish();
}

absl::Status Tracing::Finish() {
  if (recorder_ == nullptr) return absl::OkStatus();
  recorder_->Stop();
  std::string text;
  if ((options_.what & trace::kDispatches) != 0) {
    text = ProfileText(recorder_->Dispatches(),
                       static_cast<double>(recorder_->duration_ns()));
  }
  if (recorder_->dropped() != 0) {
    absl::StrAppend(&text, "eyrie: The trace is full: its last ",
                    recorder_->dropped(),
                    " events did not fit in --trace_memory.\n");
  }
  std::fwrite(text.data(), 1, text.size(), stderr);
  return file_ == nullptr ? absl::OkStatus() : Write();
}

}  // namespace eyrie::tools
