// Transfers bytes between ranks; implemented by plug-ins.
//
// Messages are matched with receives by sender, receiver and tag. For equal
// triples, messages match in the order of sends and receives.
// Thread-compatible: only one thread may use a transport at a time.
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

  // Maximum bytes of a message.
  static constexpr uint64_t kMaxMessage = uint64_t{1} << 30;
  // Maximum value of a tag.
  static constexpr uint32_t kMaxTag = (1u << 30) - 1;

  virtual ~Transport() = default;

  virtual int rank() const = 0;
  virtual int count() const = 0;

  // Start a message. The bytes must stay valid until Test returns true or an
  // error for the request.
  virtual absl::StatusOr<Request> Send(int peer, uint32_t tag,
                                       std::span<const uint8_t> bytes) = 0;
  virtual absl::StatusOr<Request> Receive(int peer, uint32_t tag,
                                          std::span<uint8_t> bytes) = 0;
  // Reports whether the message is done. After true or an error, the request is
  // invalid.
  virtual absl::StatusOr<bool> Test(Request request) = 0;
  // Ends the transport. Nothing may be in flight. May block for other ranks. A
  // transport destroyed without Close may end the process.
  virtual absl::Status Close() = 0;
};

// Creates a transport. Called on the thread that will use it.
using TransportFactory =
    std::function<absl::StatusOr<std::unique_ptr<Transport>>()>;

}  // namespace eyrie::hal

#endif  // EYRIE_HAL_COLLECTIVES_TRANSPORT_H_
