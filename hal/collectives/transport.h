// How bytes get from one rank to another: all that a plug-in provides.
//
// A message is taken by its receiver's rank, its sender's rank and its tag.
// Those of the same three arrive in the order in which they were sent, and are
// taken by receives in the order in which these were begun. One thread at a
// time uses a transport.
// Tested by messenger_test.cc.
#ifndef EYRIE_HAL_COLLECTIVES_TRANSPORT_H_
#define EYRIE_HAL_COLLECTIVES_TRANSPORT_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace eyrie::hal {

class Transport {
 public:
  using Request = uint64_t;

  // No message is longer.
  static constexpr uint64_t kMaxMessage = uint64_t{1} << 30;
  // No tag is larger.
  static constexpr uint32_t kMaxTag = (1u << 30) - 1;

  virtual ~Transport() = default;

  virtual int rank() const = 0;
  virtual int count() const = 0;

  // Begin a message; the bytes stay until Test says that it is over.
  virtual absl::StatusOr<Request> Send(int peer, uint32_t tag,
                                       std::span<const uint8_t> bytes) = 0;
  virtual absl::StatusOr<Request> Receive(int peer, uint32_t tag,
                                          std::span<uint8_t> bytes) = 0;
  // True, or an error: the message is over, and the request forgotten.
  virtual absl::StatusOr<bool> Test(Request request) = 0;
  // Ends orderly, when nothing is in flight; may wait for the other ranks.
  // A transport that goes without this may take its process with it.
  virtual absl::Status Close() = 0;
};

// Called on the thread that will use the transport.
using TransportFactory =
    std::function<absl::StatusOr<std::unique_ptr<Transport>>()>;

}  // namespace eyrie::hal

#endif  // EYRIE_HAL_COLLECTIVES_TRANSPORT_H_
