// Opens the plug-in that the flag names.
//
// Tested by cli_test.py.
#include "tools/collective_flags.h"

#include <string>

#include "hal/collectives/plugin.h"

namespace eyrie::tools {
namespace {

constexpr Flag kCollectiveFlags[] = {
    Heading("Ranks"),
    {"collectives", FlagKind::kString, "",
     "How this process communicates with other ranks: mpi (under mpirun), or "
     "the\n"
     "path of a plug-in. Without it the process is the only rank."},
};

}  // namespace

std::span<const Flag> CollectiveFlags() { return kCollectiveFlags; }

absl::StatusOr<std::shared_ptr<hal::ChannelProvider>> OpenCollectives(
    const Arguments& arguments) {
  const std::string& name = arguments.GetString("collectives");
  if (name.empty()) return std::shared_ptr<hal::ChannelProvider>();
  return hal::OpenCollectivesPlugin(name);
}

}  // namespace eyrie::tools
