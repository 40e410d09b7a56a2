// Executables of programs without a device: hal_loader.*.
//
// The first device loads them, with the same restrictions as for `hal`.
// Tested by inline_modules_test.cc.
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "hal/command_validator.h"
#include "hal/module/arguments.h"
#include "hal/module/imports.h"
#include "hal/module/inline_imports.h"

namespace eyrie::hal {
namespace {

// Copies the bindings to buffers of the first device for an observer.
absl::StatusOr<std::vector<Ref<Buffer>>> CopyBindings(
    HalModuleState& state, const HostDispatch& dispatch) {
  Allocator& allocator = state.devices()[0]->allocator();
  std::vector<Ref<Buffer>> copies;
  for (const HostBinding& binding : dispatch.bindings) {
    ASSIGN_OR_RETURN(Ref<Buffer> copy,
                     state.AllocateCopy(allocator, BufferParams(),
                                        {binding.data, binding.length}));
    copies.push_back(binding.read_only ? Buffer::ReadOnly(std::move(copy))
                                       : std::move(copy));
  }
  return copies;
}

absl::Status RunObserved(HalModuleState& state, const Executable& executable,
                         const HostDispatch& dispatch,
                         DispatchObserver& observer) {
  std::vector<Ref<Buffer>> bindings;
  const auto observed = [&] {
    const uint32_t(&count)[3] = dispatch.workgroup_count;
    return ObservedDispatch{executable,
                            dispatch.ordinal,
                            {count[0], count[1], count[2]},
                            dispatch.constants,
                            bindings};
  };
  ASSIGN_OR_RETURN(bindings, CopyBindings(state, dispatch));
  RETURN_IF_ERROR(observer.Before(observed()));
  bindings.clear();
  RETURN_IF_ERROR(executable.RunOnHost(dispatch));
  ASSIGN_OR_RETURN(bindings, CopyBindings(state, dispatch));
  return observer.After(observed());
}

}  // namespace

absl::StatusOr<int32_t> LoaderQuerySupport(HalModuleState& state,
                                           vm::Buffer& format) {
  ASSIGN_OR_RETURN(const Ref<vm::Buffer> category,
                   vm::Buffer::CopyText("hal.executable.format"));
  ASSIGN_OR_RETURN(const auto answer,
                   InlineDeviceQueryI64(state, *category, format));
  return std::get<1>(answer) != 0 ? 1 : 0;
}

absl::StatusOr<Ref<Executable>> LoaderLoad(HalModuleState& state,
                                           vm::Buffer& format, vm::Buffer& data,
                                           vm::Buffer* constants) {
  return ExecutableCreate(state, *state.devices()[0], 0, format, data,
                          constants);
}

absl::Status LoaderDispatch(
    HalModuleState& state, Executable& executable, int64_t function,
    int32_t count_x, int32_t count_y, int32_t count_z,
    vm::Spread<int32_t> constants,
    vm::Spread<vm::Buffer*, int64_t, int64_t> bindings) {
  ASSIGN_OR_RETURN(const uint64_t ordinal, ReadSize("function", function));
  RETURN_IF_ERROR(ValidateDispatch(&executable, ordinal, constants.size(),
                                   bindings.size()));
  HostDispatch dispatch;
  dispatch.ordinal = static_cast<uint32_t>(ordinal);
  dispatch.workgroup_count[0] = static_cast<uint32_t>(count_x);
  dispatch.workgroup_count[1] = static_cast<uint32_t>(count_y);
  dispatch.workgroup_count[2] = static_cast<uint32_t>(count_z);
  RETURN_IF_ERROR(ValidateWorkgroupCount(dispatch.workgroup_count));
  absl::InlinedVector<uint32_t, 16> words;
  for (size_t i = 0; i < constants.size(); ++i) {
    words.push_back(static_cast<uint32_t>(constants.get(i)));
  }
  absl::InlinedVector<HostBinding, 16> ranges;
  for (size_t i = 0; i < bindings.size(); ++i) {
    vm::Buffer* buffer = bindings.get<0>(i);
    if (buffer == nullptr) {
      return absl::InvalidArgumentError(
          absl::StrCat("Binding ", i, " has no buffer."));
    }
    ASSIGN_OR_RETURN(
        const std::span<const uint8_t> bytes,
        ReadHostRange(*buffer, bindings.get<1>(i), bindings.get<2>(i)));
    // Safe, because kernels do not write to read-only bindings.
    ranges.push_back({const_cast<uint8_t*>(bytes.data()), bytes.size(),
                      !buffer->is_mutable()});
  }
  dispatch.constants = words;
  dispatch.bindings = ranges;
  if (state.meter() != nullptr) dispatch.work = state.meter()->work().get();
  DispatchObserver* const observer = state.options().observer;
  if (observer != nullptr && observer->Wants(executable, dispatch.ordinal))
      [[unlikely]] {
    return RunObserved(state, executable, dispatch, *observer);
  }
  return executable.RunOnHost(dispatch);
}

}  // namespace eyrie::hal
