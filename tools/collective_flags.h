// The flag that chooses what connects a program to other ranks.
#ifndef EYRIE_TOOLS_COLLECTIVE_FLAGS_H_
#define EYRIE_TOOLS_COLLECTIVE_FLAGS_H_

#include <memory>
#include <span>

#include "absl/status/statusor.h"
#include "hal/collectives/channel.h"
#include "tools/arg_parser.h"

namespace eyrie::tools {

// The row of --collectives.
std::span<const Flag> CollectiveFlags();

// What --collectives names; null if it is not given. Fails as
// hal::OpenCollectivesPlugin does. Who uses it calls Close when all went well.
absl::StatusOr<std::shared_ptr<hal::ChannelProvider>> OpenCollectives(
    const Arguments& arguments);

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_COLLECTIVE_FLAGS_H_
