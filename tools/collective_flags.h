// The flag that connects a program to other ranks: --collectives.
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

// Opens the plug-in of --collectives, or returns null without the flag. The
// caller must call Close() after success. Fails as hal::OpenCollectivesPlugin
// does.
absl::StatusOr<std::shared_ptr<hal::ChannelProvider>> OpenCollectives(
    const Arguments& arguments);

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_COLLECTIVE_FLAGS_H_
