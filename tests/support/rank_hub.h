// Ranks in one process, for tests: a transport that copies messages through
// shared memory, and ranks that are threads.
#ifndef EYRIE_TESTS_SUPPORT_RANK_HUB_H_
#define EYRIE_TESTS_SUPPORT_RANK_HUB_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <tuple>
#include <vector>

#include "hal/collectives/channel.h"
#include "hal/collectives/transport.h"

namespace eyrie::hal {

// Connects the ranks. Thread-safe.
class RankHub : public std::enable_shared_from_this<RankHub> {
 public:
  explicit RankHub(int count) : count_(count) {}

  // Returns the transport of a rank. A send completes when it is received; a
  // short one completes at once.
  std::unique_ptr<Transport> Connect(int rank);
  // Returns the provider of a rank.
  std::shared_ptr<ChannelProvider> Provider(int rank);

  int count() const { return count_; }
  // Makes every later message of the rank fail.
  void Break(int rank);
  // Returns the number of started messages that are not complete.
  size_t in_flight();

 private:
  class Port;
  struct Message {
    std::vector<uint8_t> copy;  // of a message that is sent eagerly
    std::span<const uint8_t> out;
    std::span<uint8_t> in;
    bool sent = false;
    bool received = false;
  };
  using Key = std::tuple<int, int, uint32_t>;  // from, to, tag
  struct Request {
    std::shared_ptr<Message> message;
    bool is_eager;
  };
  static constexpr size_t kMaxEager = 128;

  uint64_t Post(const Key& key, std::span<const uint8_t> out,
                std::span<uint8_t> in, bool is_send);

  const int count_;
  std::mutex mutex_;  // guards all below
  std::map<Key, std::vector<std::shared_ptr<Message>>> meetings_;
  std::map<uint64_t, Request> requests_;
  uint64_t next_request_ = 1;
  std::vector<bool> broken_ = std::vector<bool>(64);
};

// Runs `rank` once for each of `count` ranks, each on its own thread.
void RunRanks(int count, const std::function<void(int rank)>& rank);

}  // namespace eyrie::hal

#endif  // EYRIE_TESTS_SUPPORT_RANK_HUB_H_
