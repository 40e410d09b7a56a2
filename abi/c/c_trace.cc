// Traces of the C API.
//
// Tested by runtime_trace_test.cc.
#include "eyrie/c_trace.h"

#include <memory>
#include <utility>
#include <vector>

#include "abi/c/c_handles.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/file_writer.h"
#include "base/status_macros.h"
#include "base/trace_recorder.h"

struct eyrie_trace_t {
  std::unique_ptr<eyrie::trace::Recorder> recorder;
  // Set when it is stopped. `rows` refers to the names of `kernels`.
  std::vector<eyrie::trace::DispatchTotals> kernels;
  std::vector<eyrie_kernel_time_t> rows;
  bool stopped = false;
};

namespace eyrie::abi {
namespace {

absl::Status StartTrace(const eyrie_trace_options_t* options,
                        eyrie_trace_t** out_trace) {
  trace::RecorderOptions chosen;
  constexpr size_t kSizes[] = {sizeof(eyrie_trace_options_t)};
  ASSIGN_OR_RETURN(const eyrie_trace_options_t given,
                   FullStruct(options, kSizes, "the trace options"));
  RETURN_IF_ERROR(CheckNewer(options, "the trace options"));
  if (given.kernels_only != 0) chosen.what = trace::kDispatches;
  if (given.max_bytes != 0) chosen.max_bytes = given.max_bytes;
  ASSIGN_OR_RETURN(std::unique_ptr<trace::Recorder> recorder,
                   trace::Recorder::Start(chosen));
  *out_trace = new eyrie_trace_t{.recorder = std::move(recorder),
                                 .kernels = {},
                                 .rows = {},
                                 .stopped = false};
  return absl::OkStatus();
}

trace::Recorder& Stopped(eyrie_trace_t* trace) {
  if (!std::exchange(trace->stopped, true)) {
    trace->recorder->Stop();
    trace->kernels = trace->recorder->Dispatches();
    for (const auto& kernel : trace->kernels) {
      trace->rows.push_back({sizeof(eyrie_kernel_time_t), kernel.name.c_str(),
                             kernel.count, kernel.workgroups, kernel.ns});
    }
  }
  return *trace->recorder;
}

absl::Status WriteTrace(const trace::Recorder& recorder, const char* path) {
  FileWriter file(path);
  RETURN_IF_ERROR(recorder.WriteJson(
      [&](absl::string_view piece) { return file.WriteText(piece); }));
  return file.Finish();
}

}  // namespace
}  // namespace eyrie::abi

namespace abi = eyrie::abi;

eyrie_error_t* eyrie_trace_create(const eyrie_trace_options_t* options,
                                  eyrie_trace_t** out_trace) {
  return abi::CreateError(abi::StartTrace(options, out_trace));
}

void eyrie_trace_stop(eyrie_trace_t* trace) { abi::Stopped(trace); }

eyrie_error_t* eyrie_trace_write_file(eyrie_trace_t* trace, const char* path) {
  return abi::CreateError(abi::WriteTrace(abi::Stopped(trace), path));
}

eyrie_error_t* eyrie_trace_write(eyrie_trace_t* trace, eyrie_sink_t sink,
                                 void* user) {
  return abi::CreateError(
      abi::Stopped(trace).WriteJson([&](absl::string_view piece) {
        return sink(user, piece.data(), piece.size()) == 0
                   ? absl::OkStatus()
                   : absl::AbortedError("The sink stopped the trace.");
      }));
}

uint64_t eyrie_trace_dropped(eyrie_trace_t* trace) {
  return abi::Stopped(trace).dropped();
}

size_t eyrie_trace_kernel_count(eyrie_trace_t* trace) {
  abi::Stopped(trace);
  return trace->kernels.size();
}

const eyrie_kernel_time_t* eyrie_trace_kernel(eyrie_trace_t* trace,
                                              size_t index) {
  abi::Stopped(trace);
  return index < trace->rows.size() ? &trace->rows[index] : nullptr;
}

void eyrie_trace_free(eyrie_trace_t* trace) { delete trace; }
