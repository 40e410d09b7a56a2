// Loads any bytes as a bytecode executable. If they load, runs a few workgroups
// of each export under limits. Must not crash, or access memory outside the
// bindings.
//
// tests/fuzz/BUILD describes how to run it.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "hal/vmvx/executable.h"
#include "tests/support/require.h"

namespace {

using eyrie::MemoryMeter;
using eyrie::WorkBudget;
using eyrie::hal::Executable;
using eyrie::hal::ExecutableParams;
using eyrie::hal::ExportInfo;
using eyrie::hal::HostBinding;
using eyrie::hal::HostDispatch;
using eyrie::tests::RequireMessage;

constexpr int64_t kFuel = 4000;
constexpr size_t kBindingBytes = 1024;

void RunExport(const Executable& executable, uint32_t ordinal) {
  struct alignas(64) Block {
    uint8_t bytes[kBindingBytes];
  };
  const ExportInfo& info = executable.exports()[ordinal];
  const uint32_t count = ExportInfo::MaxOf(info.binding_count);
  std::vector<Block> memory(count, Block{});
  std::vector<HostBinding> bindings;
  for (uint32_t i = 0; i < count; ++i) {
    // The last binding is read-only, like constants.
    bindings.push_back(
        {memory[i].bytes, kBindingBytes, i != 0 && i + 1 == count});
  }
  const std::vector<uint32_t> constants(ExportInfo::MaxOf(info.constant_count),
                                        3);
  HostDispatch dispatch = {ordinal, {2, 2, 1}, constants, bindings};
  RequireMessage(executable.RunOnHost(dispatch));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const auto loader = eyrie::hal::vmvx::CreateLoader();
  ExecutableParams params;
  params.format = eyrie::hal::vmvx::kFormat;
  params.data = std::span(data, size);
  params.work = std::make_shared<WorkBudget>();
  params.memory = std::make_shared<MemoryMeter>(uint64_t{4} << 20);
  params.work->Refill(kFuel);
  const auto executable = loader->Load(params);
  RequireMessage(executable.status());
  if (!executable.ok()) return 0;
  const size_t exports = std::min<size_t>((*executable)->exports().size(), 16);
  for (uint32_t i = 0; i < 2 * exports; ++i) {
    params.work->Refill(kFuel);
    RunExport(**executable, i % static_cast<uint32_t>(exports));
  }
  return 0;
}
