// Runs dispatches on host memory, without a device. Kernels compute with
// subnormals here: upstream flushes them on devices alone.
//
// Tested by hal/module/inline_modules_test.cc.
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/memory_meter.h"
#include "base/status_macros.h"
#include "hal/cpu/kernel_executable.h"
#include "hal/paid_transfer.h"

namespace eyrie::hal::cpu {
namespace {

struct Freed {
  void operator()(void* memory) const { std::free(memory); }
};
using Memory = std::unique_ptr<void, Freed>;

// Returns at least `size` bytes of aligned memory, or null.
Memory Allocate(size_t size) {
  return Memory(std::aligned_alloc(
      kBufferAlignment,
      (size + kBufferAlignment - 1) / kBufferAlignment * kBufferAlignment));
}

absl::Status OutOfMemory(size_t size, absl::string_view what) {
  return absl::ResourceExhaustedError(
      absl::StrCat(size, " bytes for ", what, " cannot be allocated."));
}

// The bindings of one dispatch, in the form for kernels.
struct Bindings {
  void* pointers[kMaxDispatchBindings];
  size_t lengths[kMaxDispatchBindings];
  uint64_t read_only = 0;      // bit i: binding i
  std::vector<Memory> copies;  // of unaligned bindings
  MemoryCharge charge;         // for them, and for local memory
};

absl::Status Resolve(std::span<const HostBinding> from, WorkBudget* work,
                     Bindings& to) {
  constexpr absl::string_view kWhat = "copy of a binding";
  for (size_t i = 0; i < from.size(); ++i) {
    to.pointers[i] = from[i].data;
    to.lengths[i] = from[i].length;
    if (from[i].read_only) to.read_only |= uint64_t{1} << i;
    if (IsAligned(from[i].data, from[i].length)) continue;
    if (!from[i].read_only) return MisalignedBinding(i, from[i].data);
    RETURN_IF_ERROR(to.charge.Add(from[i].length, "a copy of a binding"));
    to.copies.push_back(Allocate(from[i].length));
    to.pointers[i] = to.copies.back().get();
    if (to.pointers[i] == nullptr) {
      return OutOfMemory(from[i].length, "a binding");
    }
    RETURN_IF_ERROR(CopyPaid(work, kWhat, static_cast<uint8_t*>(to.pointers[i]),
                             from[i].data, from[i].length));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status KernelExecutable::RunOnHost(const HostDispatch& dispatch) const {
  Bindings bindings;
  ASSIGN_OR_RETURN(bindings.charge,
                   MemoryCharge::Take(memory(), 0, "a dispatch"));
  RETURN_IF_ERROR(Resolve(dispatch.bindings, dispatch.work, bindings));
  const DispatchState state = CreateDispatchState(
      exports()[dispatch.ordinal], dispatch.workgroup_count, dispatch.constants,
      {bindings.pointers, dispatch.bindings.size()}, bindings.lengths,
      /*max_concurrency=*/1);
  Memory scratch;
  // Another process has local memory of its own.
  const uint32_t scratch_size =
      remote() != nullptr ? 0 : local_memory_size(dispatch.ordinal);
  if (scratch_size != 0) {
    RETURN_IF_ERROR(
        bindings.charge.Add(scratch_size, "a kernel's local memory"));
    scratch = Allocate(scratch_size);
    if (scratch == nullptr) return OutOfMemory(scratch_size, "local memory");
  }
  const WorkgroupRange all = AllWorkgroups(state);
  return Measure(dispatch.ordinal, state, all, /*due=*/false, [&] {
    return RunGuarded(dispatch.ordinal, state, all,
                      {static_cast<uint8_t*>(scratch.get()), scratch_size},
                      bindings.read_only, dispatch.work);
  });
}

}  // namespace eyrie::hal::cpu
