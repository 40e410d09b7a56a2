#include "tools/inspect/measure.h"

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "abi/call/session.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/counted.h"
#include "base/status_macros.h"
#include "base/trace_recorder.h"
#include "hal/buffer_view.h"
#include "tools/command.h"
#include "tools/load_flags.h"
#include "tools/native_flags.h"

namespace eyrie::tools {
namespace {

constexpr size_t kMaxCalls = 10;
constexpr double kMaxNs = 1e9;                          // then no further call
constexpr uint64_t kMaxRecording = uint64_t{64} << 20;  // bytes

// Returns "4xf32, i32".
std::string TypesOf(std::span<const vm::Value> values) {
  return absl::StrJoin(
      values, ", ", [](std::string* out, const vm::Value& value) {
        if (!value.is_ref()) {
          absl::StrAppend(out, vm::NameOf(value.type()));
        } else if (const auto* view = RefCast<hal::BufferView>(value.ref())) {
          absl::StrAppend(out, view->ShapeAndType());
        } else {
          absl::StrAppend(out, value.ref() ? value.ref()->type().name : "null");
        }
      });
}

// Replaces the backtrace of a failed call by a hint, if its inputs were made.
absl::Status HintAtSizes(const Arguments& arguments,
                         const absl::Status& status) {
  if (arguments.GetList("input") != std::vector<std::string>{"auto"}) {
    return status;
  }
  const absl::string_view message = status.message();
  return absl::Status(status.code(),
                      absl::StrCat(message.substr(0, message.find('\n')),
                                   " auto makes sizes up; --input=SHAPE gives "
                                   "others."));
}

// Calls the function once, and records its kernels.
absl::StatusOr<Measurement> MeasureOnce(abi::Callable& function,
                                        std::span<const vm::Value> inputs) {
  ASSIGN_OR_RETURN(const std::unique_ptr<trace::Recorder> recorder,
                   trace::Recorder::Start({trace::kEvents, kMaxRecording}));
  const auto results = function.Call(inputs);
  recorder->Stop();
  RETURN_IF_ERROR(results.status());
  Measurement measured;
  ASSIGN_OR_RETURN(measured.times, TimesOf(*recorder));
  measured.ns = static_cast<double>(recorder->duration_ns());
  return measured;
}

}  // namespace

absl::StatusOr<Measurement> Measure(const Arguments& arguments) {
  ASSIGN_OR_RETURN(const auto devices, OpenDevices(arguments));
  abi::SessionOptions options;
  ASSIGN_OR_RETURN(options.native_libraries, LoadNativeLibraries(arguments));
  RETURN_IF_ERROR(ReadSessionOptions(arguments, options));
  ASSIGN_OR_RETURN(auto programs,
                   LoadPrograms(arguments, options.native_libraries));
  ASSIGN_OR_RETURN(
      const auto session,
      abi::Session::Create(std::move(programs), devices, std::move(options)));
  ASSIGN_OR_RETURN(abi::Callable function,
                   session->Lookup(arguments.GetString("function")));
  ASSIGN_OR_RETURN(const std::vector<vm::Value> inputs,
                   ReadInputs(arguments, function, devices[0]));
  Measurement best;
  double total = 0;
  size_t calls = 0;
  for (; calls < kMaxCalls && total < kMaxNs; ++calls) {
    absl::StatusOr<Measurement> measured = MeasureOnce(function, inputs);
    if (!measured.ok()) return HintAtSizes(arguments, measured.status());
    total += measured->ns;
    if (calls == 0 || measured->ns < best.ns) best = *std::move(measured);
  }
  best.what =
      absl::StrCat(function.function().name(), "(", TypesOf(inputs), ") on ",
                   devices[0]->id(), calls == 1 ? "" : ", the fastest of ",
                   calls == 1 ? "" : Counted(calls, "call"));
  return best;
}

}  // namespace eyrie::tools
