// A provider of channels over a transport.
//
// Tested by messenger_test.cc.
#ifndef EYRIE_HAL_COLLECTIVES_MESSENGER_PROVIDER_H_
#define EYRIE_HAL_COLLECTIVES_MESSENGER_PROVIDER_H_

#include <memory>

#include "absl/status/statusor.h"
#include "hal/collectives/channel.h"
#include "hal/collectives/transport.h"

namespace eyrie::hal {

// Creates a provider. Calls `factory` on a new thread, which the provider owns,
// and returns its error, if any.
absl::StatusOr<std::shared_ptr<ChannelProvider>> CreateMessengerProvider(
    const TransportFactory& factory);

}  // namespace eyrie::hal

#endif  // EYRIE_HAL_COLLECTIVES_MESSENGER_PROVIDER_H_
