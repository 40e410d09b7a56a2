// Measured costs and traces of kernels, and the error for unaligned bindings.
#include "hal/cpu/kernel_executable.h"

#include <optional>
#include <string>

#include "absl/strings/str_cat.h"

namespace eyrie::hal::cpu {

absl::Status MisalignedBinding(size_t index, const void* data) {
  return absl::InvalidArgumentError(
      absl::StrCat("Binding ", index, " begins ",
                   reinterpret_cast<uintptr_t>(data) % kBufferAlignment,
                   " bytes past a multiple of ", kBufferAlignment,
                   "; kernels take aligned memory."));
}

absl::StatusOr<DispatchStream*> KernelExecutable::TakeStream(
    const WorkBudget*) const {
  return absl::InternalError("Kernels of this process have no stream.");
}

KernelExecutable::~KernelExecutable() { delete[] records_.load(); }

KernelExecutable::Record* KernelExecutable::CreateRecords() const {
  Record* made = new Record[exports().size()];
  Record* first = nullptr;
  if (records_.compare_exchange_strong(first, made)) return made;
  delete[] made;
  return first;
}

absl::Status KernelExecutable::TakeTime(
    uint32_t ordinal, const DispatchState& state, WorkgroupRange range,
    bool due, absl::FunctionRef<absl::Status()> run) const {
  if (range.begin == range.end) return run();
  Record& kept = record(ordinal);
  std::optional<trace::DispatchSpan> span;
  if (trace::IsRecording(trace::kEvents | trace::kDispatches)) {
    const auto name = [&] {
      const absl::string_view given = exports()[ordinal].name;
      return given.empty() ? absl::StrCat("export ", ordinal)
                           : std::string(given);
    };
    span.emplace(kept.trace_name, name,
                 trace::DispatchSpan::Workgroups{
                     {state.workgroup_count_x, state.workgroup_count_y,
                      state.workgroup_count_z},
                     range.begin,
                     range.end});
  }
  const Stopwatch watch;
  absl::Status status = run();
  if (due) kept.cost.Add(watch.ns(), range.end - range.begin);
  return status;
}

}  // namespace eyrie::hal::cpu
