// What calls did and when.
//
//   auto trace = eyrie::Trace::Start();
//   context->Call("predict", {image});
//   trace->Write("t.json");  // for ui.perfetto.dev
//   for (const eyrie_kernel_time_t& kernel : trace->kernels()) ...
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
  // Only what kernels took is kept, not what happened when.
  bool kernels_only = false;
  // Bytes that it may take; what comes later is counted only. 0: 256 MiB.
  uint64_t max_bytes = 0;
};

// A trace is the process's: all threads, devices and contexts note in it what
// they do. It may be started and stopped by any thread, while calls run; a
// Trace is one thread's at a time.
class Trace {
 public:
  // FAILED_PRECONDITION: one is being recorded.
  static Result<Trace> Start(const TraceOptions& choices = {}) {
    eyrie_trace_options_t options = {};
    options.struct_size = sizeof(options);
    options.kernels_only = choices.kernels_only;
    options.max_bytes = choices.max_bytes;
    eyrie_trace_t* handle = nullptr;
    if (eyrie_error_t* error = eyrie_trace_start(&options, &handle)) {
      return Error(error);
    }
    return Trace(handle);
  }

  // Nothing is noted any more. All below do so first.
  void Stop() { eyrie_trace_stop(get()); }

  // The file and the errors are as eyrie_trace_write_file has them.
  Result<void> Write(const std::string& path) {
    if (eyrie_error_t* error = eyrie_trace_write_file(get(), path.c_str())) {
      return Error(error);
    }
    return {};
  }
  // The same to a function that takes pieces of the text in turn, and ends the
  // writing by false: ABORTED.
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

  // What kernels took, the longest first; names live as long as the trace.
  std::vector<eyrie_kernel_time_t> kernels() {
    std::vector<eyrie_kernel_time_t> list(eyrie_trace_kernel_count(get()));
    for (size_t i = 0; i < list.size(); ++i) {
      list[i] = eyrie_trace_kernel(get(), i);
    }
    return list;
  }
  // Events that found no room.
  uint64_t dropped() { return eyrie_trace_dropped(get()); }

  eyrie_trace_t* get() const { return handle_.get(); }

 private:
  explicit Trace(eyrie_trace_t* handle) : handle_(handle) {}
  internal::Handle<eyrie_trace_t, eyrie_trace_free> handle_;
};

}  // namespace eyrie

#endif  // EYRIE_TRACE_H_
