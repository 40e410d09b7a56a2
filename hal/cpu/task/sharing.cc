// Adds up the measured costs of commands.
#include "hal/cpu/task/sharing.h"

#include <algorithm>

#include "hal/cpu/kernel_executable.h"

namespace eyrie::hal::cpu {
namespace {

// Returns 0 if the length is only in the binding table. Reading the table is
// not worth the time, because transfers to its slots are rare and small.
uint64_t KnownLength(const RecordedRef& ref) {
  return ref.length == kWholeBuffer ? 0 : ref.length;
}

void AddDispatch(const DispatchCommand& command, Estimate& sum) {
  // A dispatch of another driver's executable fails at once.
  if (command.executable->driver_tag() != &KernelExecutable::kDriverTag) return;
  const auto& executable =
      static_cast<const KernelExecutable&>(*command.executable);
  const double one = executable.cost(command.export_ordinal).ns();
  if (one == 0 || command.kind == CommandKind::kDispatchIndirect) {
    sum.known = false;
    return;
  }
  const double workgroups = static_cast<double>(command.workgroup_count[0]) *
                            command.workgroup_count[1] *
                            command.workgroup_count[2];
  const double ns = one * workgroups;
  sum.ns += ns;
  if (workgroups > 1) sum.largest_ns = std::max(sum.largest_ns, ns);
}

}  // namespace

Estimate EstimateTransfer(uint64_t bytes) {
  return {.ns = static_cast<double>(bytes) / kTransferBytesPerNs};
}

Estimate EstimateCommands(const CommandBuffer& commands) {
  Estimate sum;
  const auto add_transfer = [&sum](const RecordedRef& target) {
    sum.ns += EstimateTransfer(KnownLength(target)).ns;
  };
  for (const Command* command = commands.begin(); command != nullptr;
       command = commands.Next(command)) {
    switch (command->kind) {
      case CommandKind::kBarrier:
        break;
      case CommandKind::kFill:
        add_transfer(static_cast<const FillCommand*>(command)->target);
        break;
      case CommandKind::kUpdate:
        add_transfer(static_cast<const UpdateCommand*>(command)->target);
        break;
      case CommandKind::kCopy:
        add_transfer(static_cast<const CopyCommand*>(command)->target);
        break;
      case CommandKind::kCollective:
        add_transfer(static_cast<const CollectiveCommand*>(command)->receive);
        break;
      case CommandKind::kDispatch:
      case CommandKind::kDispatchIndirect:
        AddDispatch(*static_cast<const DispatchCommand*>(command), sum);
        break;
    }
  }
  return {sum.ns, sum.largest_ns, sum.known};  // a copy keeps sum in registers
}

}  // namespace eyrie::hal::cpu
