// The innermost loop around native kernels.
//
// Tested by device_test.cc.
#include "hal/cpu/native_executable.h"

#include <sched.h>

#include "absl/strings/str_cat.h"

namespace eyrie::hal::cpu {
namespace {

// The first workgroup of a range.
WorkgroupState WorkgroupAt(const DispatchState& state, uint64_t index) {
  WorkgroupState workgroup = {};
  if (index == 0) return workgroup;  // a division takes as long as a kernel
  const uint64_t row = index / state.workgroup_count_x;
  workgroup.workgroup_id_x =
      static_cast<uint32_t>(index % state.workgroup_count_x);
  workgroup.workgroup_id_y =
      static_cast<uint32_t>(row % state.workgroup_count_y);
  workgroup.workgroup_id_z =
      static_cast<uint16_t>(row / state.workgroup_count_y);
  return workgroup;
}

// The next one.
void Advance(const DispatchState& state, WorkgroupState& workgroup) {
  if (++workgroup.workgroup_id_x != state.workgroup_count_x) return;
  workgroup.workgroup_id_x = 0;
  if (++workgroup.workgroup_id_y != state.workgroup_count_y) return;
  workgroup.workgroup_id_y = 0;
  ++workgroup.workgroup_id_z;
}

}  // namespace

absl::Status NativeExecutable::RunWorkgroups(
    uint32_t ordinal, const DispatchState& state, WorkgroupRange range,
    std::span<uint8_t> local_memory) const {
  if (range.begin == range.end) return absl::OkStatus();
  const DispatchFunction function = kernels_[ordinal].function;
  WorkgroupState workgroup = WorkgroupAt(state, range.begin);
  const int processor = sched_getcpu();
  workgroup.processor_id = processor < 0 ? 0 : processor;
  workgroup.local_memory = local_memory.data();
  workgroup.local_memory_size = static_cast<uint32_t>(local_memory.size());
  for (uint64_t left = range.end - range.begin; left != 0; --left) {
    const int code = function(environment_, &state, &workgroup);
    if (code != 0) [[unlikely]] {
      return absl::InternalError(
          absl::StrCat("Dispatch '", exports()[ordinal].name,
                       "' failed with code ", code, "."));
    }
    Advance(state, workgroup);
  }
  return absl::OkStatus();
}

}  // namespace eyrie::hal::cpu
