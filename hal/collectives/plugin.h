// Providers of channels that are shared libraries, loaded when they are asked
// for: the runtime itself knows no way to other ranks.
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

// Opens a plug-in, whose library stays loaded: a path with a '/', or a name
// such as "mpi", which stands for libeyrie_mpi.so beside the program or where
// the build leaves it. NOT_FOUND: there is no such file. INVALID_ARGUMENT: it
// is no plug-in, or one of another version. Else why it does not open.
absl::StatusOr<std::shared_ptr<ChannelProvider>> OpenCollectivesPlugin(
    absl::string_view name_or_path);

}  // namespace eyrie::hal

#endif  // EYRIE_HAL_COLLECTIVES_PLUGIN_H_
