// Loads providers of channels from shared libraries. The runtime itself cannot
// communicate with other ranks.
//
// Tested by plugin_test.cc.
#ifndef EYRIE_HAL_COLLECTIVES_PLUGIN_H_
#define EYRIE_HAL_COLLECTIVES_PLUGIN_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "hal/collectives/channel.h"

namespace eyrie::hal {

// Opens a plug-in; its library is never unloaded. The argument is a path with a
// '/', or a name like "mpi", which means libeyrie_mpi.so in the program's
// folder or in the build's output. NOT_FOUND: the file does not exist.
// INVALID_ARGUMENT: not a plug-in, or another version. UNAVAILABLE: the
// plug-in's own error.
absl::StatusOr<std::shared_ptr<ChannelProvider>> OpenCollectivesPlugin(
    absl::string_view name_or_path);

}  // namespace eyrie::hal

#endif  // EYRIE_HAL_COLLECTIVES_PLUGIN_H_
