// The innermost loop around native kernels.
#include "hal/cpu/native_executable.h"

#include <sched.h>

#include "absl/strings/str_cat.h"
#include "base/foreign_function.h"
#include "base/plain_text.h"

namespace eyrie::hal::cpu {
namespace {

// Returns the workgroup with this index.
WorkgroupState WorkgroupAt(const DispatchState& state, uint64_t index) {
  WorkgroupState workgroup = {};
  if (index == 0) return workgroup;  // a division may take as long as a kernel
  const uint64_t row = index / state.workgroup_count_x;
  workgroup.workgroup_id_x =
      static_cast<uint32_t>(index % state.workgroup_count_x);
  workgroup.workgroup_id_y =
      static_cast<uint32_t>(row % state.workgroup_count_y);
  workgroup.workgroup_id_z =
      static_cast<uint16_t>(row / state.workgroup_count_y);
  return workgroup;
}

// Moves on to the next workgroup.
void Advance(const DispatchState& state, WorkgroupState& workgroup) {
  if (++workgroup.workgroup_id_x != state.workgroup_count_x) return;
  workgroup.workgroup_id_x = 0;
  if (++workgroup.workgroup_id_y != state.workgroup_count_y) return;
  workgroup.workgroup_id_y = 0;
  ++workgroup.workgroup_id_z;
}

}  // namespace

uint32_t CurrentProcessor() {
  const int processor = sched_getcpu();
  return processor < 0 ? 0 : static_cast<uint32_t>(processor);
}

absl::Status KernelFailed(const ExportInfo& info, int code) {
  return absl::InternalError(absl::StrCat("Dispatch '", PlainName(info.name),
                                          "' failed with code ", code, "."));
}

EYRIE_CALLS_FOREIGN_CODE
int RunKernel(DispatchFunction function, const Environment* environment,
              const DispatchState& state, WorkgroupRange range,
              std::span<uint8_t> local_memory, uint32_t processor) {
  if (range.begin == range.end) return 0;
  WorkgroupState workgroup = WorkgroupAt(state, range.begin);
  workgroup.processor_id = processor;
  workgroup.local_memory = local_memory.data();
  workgroup.local_memory_size = static_cast<uint32_t>(local_memory.size());
  for (uint64_t left = range.end - range.begin; left != 0; --left) {
    const int code = function(environment, &state, &workgroup);
    if (code != 0) [[unlikely]]
      return code;
    Advance(state, workgroup);
  }
  return 0;
}

absl::Status NativeExecutable::RunWorkgroups(uint32_t ordinal,
                                             const DispatchState& state,
                                             WorkgroupRange range,
                                             std::span<uint8_t> local_memory,
                                             WorkBudget*) const {
  const int code = RunKernel(code_.kernels[ordinal].function, code_.environment,
                             state, range, local_memory, CurrentProcessor());
  if (code == 0) [[likely]]
    return absl::OkStatus();
  return KernelFailed(exports()[ordinal], code);
}

}  // namespace eyrie::hal::cpu
