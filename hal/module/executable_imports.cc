// Executables: hal.executable.*.
//
// Tested by queue_imports_test.cc.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/name_list.h"
#include "base/plain_text.h"
#include "base/status_macros.h"
#include "hal/module/arguments.h"
#include "hal/module/imports.h"

namespace eyrie::hal {
namespace {

constexpr uint64_t kMaxConstantBytes = 1 << 20;

// Units of fuel for creating an executable of any format.
constexpr uint64_t kUnitsPerExecutable = 100;
constexpr uint64_t kExecutableBytesPerUnit = 64;

constexpr absl::string_view kExecutable = "an executable";
// Bytes that a driver keeps for each export.
constexpr uint64_t kBytesPerExport = 128;

// Returns the memory that an executable takes for its layouts. A driver may
// copy each of them, even if exports share one.
uint64_t MemoryOfLayouts(std::span<const Ref<PipelineLayout>> layouts) {
  uint64_t bytes = layouts.size_bytes();
  for (const Ref<PipelineLayout>& layout : layouts) {
    bytes += LayoutBytes(*layout);
  }
  return bytes;
}

}  // namespace

absl::StatusOr<Ref<Executable>> CreateExecutableWith(
    HalModuleState& state, Device& device, vm::Buffer& format, vm::Buffer& data,
    vm::Buffer* constants, std::vector<Ref<PipelineLayout>> layouts) {
  // Damaged machine code could do anything, and so could a driver that loads
  // it.
  RETURN_IF_ERROR(data.CheckOrigin());
  std::vector<uint32_t> words;
  if (constants != nullptr) {
    if (constants->size() % sizeof(uint32_t) != 0) {
      return absl::InvalidArgumentError(absl::StrCat(
          "The executable's constants (", constants->size(),
          " bytes) are not a multiple of ", sizeof(uint32_t), " bytes."));
    }
    if (constants->size() > kMaxConstantBytes) {
      return absl::OutOfRangeError(absl::StrCat(
          "The executable's constants (", constants->size(),
          " bytes) exceed the limit (", kMaxConstantBytes, " bytes)."));
    }
    words.resize(constants->size() / sizeof(uint32_t));
    if (!words.empty()) {
      std::memcpy(words.data(), constants->data(), constants->size());
    }
  }
  const uint64_t bytes = data.size() + words.size() * sizeof(uint32_t);
  RETURN_IF_ERROR(state.Work(static_cast<uint32_t>(std::min<uint64_t>(
      kUnitsPerExecutable + bytes / kExecutableBytesPerUnit, UINT32_MAX))));
  ASSIGN_OR_RETURN(MemoryCharge charge,
                   state.Charge(bytes + MemoryOfLayouts(layouts), kExecutable));
  ExecutableParams params;
  params.format = TextOf(format);
  params.data = data.bytes();
  params.constants = words;
  params.memory = state.memory();
  if (state.meter() != nullptr) {
    params.work = state.meter()->context_work();
    params.caller = state.meter()->work().get();
  }
  params.layouts = layouts;
  ASSIGN_OR_RETURN(const Ref<Executable> executable,
                   device.CreateExecutable(params));
  RETURN_IF_ERROR(
      charge.Add(executable->exports().size() * kBytesPerExport, kExecutable));
  executable->Hold(std::move(charge));
  executable->set_layouts(std::move(layouts));
  DispatchObserver* const observer = state.options().observer;
  if (observer != nullptr) observer->Loaded(*executable);
  return executable;
}

absl::StatusOr<Ref<Executable>> ExecutableCreate(HalModuleState& state,
                                                 Device& device, int64_t,
                                                 vm::Buffer& format,
                                                 vm::Buffer& data,
                                                 vm::Buffer* constants) {
  return CreateExecutableWith(state, device, format, data, constants, {});
}

absl::StatusOr<int64_t> ExecutableLookupFunction(HalModuleState& state,
                                                 Executable& executable,
                                                 vm::Buffer& name) {
  constexpr size_t kExportsPerUnit = 64;
  const size_t units = executable.exports().size() / kExportsPerUnit;
  if (units != 0) RETURN_IF_ERROR(state.Work(static_cast<uint32_t>(units)));
  std::optional<uint32_t> ordinal = executable.FindExport(TextOf(name));
  if (ordinal) return int64_t{*ordinal};
  const auto& exports = executable.exports();
  const std::string known = ListNames(exports.size(), [&](size_t i) {
    return exports[i].name.empty() ? "(no name)" : PlainName(exports[i].name);
  });
  return absl::NotFoundError(
      absl::StrCat("The executable has no function ", PlainName(TextOf(name)),
                   "; it has: ", known.empty() ? "none" : known, "."));
}

}  // namespace eyrie::hal
