// Records the times of calls and kernels.
//
//   auto trace = eyrie::Trace::Start();
//   auto scores = context->Call("predict", {image});
//   auto written = trace->Write("t.json");  // for ui.perfetto.dev
//   for (const eyrie_kernel_time_t& kernel : trace->kernels()) Use(kernel);
#ifndef EYRIE_TRACE_H_
#define EYRIE_TRACE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "eyrie/c_trace.h"
#include "eyrie/result.h"

namespace eyrie {

struct TraceOptions {
  // Records only the times of kernels, no single events.
  bool kernels_only = false;
  // The most memory that the trace may use, in bytes; 0 means 256 MiB. Further
  // events are dropped and counted.
  uint64_t max_bytes = 0;
};

// A trace records the whole process: all threads, devices and contexts. It may
// be started and stopped on any thread while calls run, but only one thread at
// a time may use a Trace.
class Trace {
 public:
  // Starts a recording. FAILED_PRECONDITION: the process is already recording a
  // trace.
  static Result<Trace> Start(const TraceOptions& choices = {}) {
    eyrie_trace_options_t options = {};
    options.struct_size = sizeof(options);
    options.kernels_only = choices.kernels_only;
    options.max_bytes = choices.max_bytes;
    eyrie_trace_t* handle = nullptr;
    if (eyrie_error_t* error = eyrie_trace_create(&options, &handle)) {
      return Error(error);
    }
    return Trace(handle);
  }

  // Stops the recording. All functions below do so first.
  void Stop() { eyrie_trace_stop(get()); }

  // Writes the trace to a file as JSON. Returns the errors of
  // eyrie_trace_write_file, which has the details.
  Result<void> Write(const std::string& path) {
    if (eyrie_error_t* error = eyrie_trace_write_file(get(), path.c_str())) {
      return Error(error);
    }
    return {};
  }
  // Passes the JSON to `sink` in pieces. ABORTED: `sink` has returned false.
  Result<void> Write(const std::function<bool(std::string_view)>& sink) {
    const eyrie_sink_t call = [](void* user, const char* text, size_t size) {
      const auto& to =
          *static_cast<const std::function<bool(std::string_view)>*>(user);
      return to(std::string_view(text, size)) ? 0 : 1;
    };
    void* const user =
        const_cast<std::function<bool(std::string_view)>*>(&sink);
    if (eyrie_error_t* error = eyrie_trace_write(get(), call, user)) {
      return Error(error);
    }
    return {};
  }

  // Returns the times of kernels, in descending order. The names are valid as
  // long as the trace.
  std::vector<eyrie_kernel_time_t> kernels() {
    std::vector<eyrie_kernel_time_t> list(eyrie_trace_kernel_count(get()));
    for (size_t i = 0; i < list.size(); ++i) {
      list[i] = internal::CopyOf(eyrie_trace_kernel(get(), i));
    }
    return list;
  }
  // Returns the number of events that were dropped, see max_bytes.
  uint64_t dropped() { return eyrie_trace_dropped(get()); }

  eyrie_trace_t* get() const { return handle_.get(); }

 private:
  explicit Trace(eyrie_trace_t* handle) : handle_(handle) {}
  internal::Handle<eyrie_trace_t, eyrie_trace_free> handle_;
};

}  // namespace eyrie

#endif  // EYRIE_TRACE_H_
