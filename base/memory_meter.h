// Counts the bytes that a context holds, against its limit.
//
// What allocates for a context takes the bytes first and keeps the charge in
// the object, which gives them back when it dies, on whatever thread and
// however long after the context. Where there is no meter, charges are empty
// and cost a branch.
// Tested by memory_meter_test.cc.
#ifndef EYRIE_BASE_MEMORY_METER_H_
#define EYRIE_BASE_MEMORY_METER_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace eyrie {

// Thread-safe.
class MemoryMeter {
 public:
  explicit MemoryMeter(uint64_t limit) : limit_(limit) {}
  MemoryMeter(const MemoryMeter&) = delete;
  MemoryMeter& operator=(const MemoryMeter&) = delete;

  // Counts bytes that are about to be allocated for `what` ("a list").
  // RESOURCE_EXHAUSTED: the limit would be passed; nothing is counted.
  absl::Status Take(uint64_t bytes, absl::string_view what);
  // Gives back bytes that were taken.
  void Give(uint64_t bytes) {
    in_use_.fetch_sub(bytes, std::memory_order_relaxed);
  }

  uint64_t limit() const { return limit_; }
  uint64_t in_use() const { return in_use_.load(std::memory_order_relaxed); }
  // How often Take has refused.
  uint64_t refusals() const {
    return refusals_.load(std::memory_order_relaxed);
  }

 private:
  const uint64_t limit_;
  std::atomic<uint64_t> in_use_{0};
  std::atomic<uint64_t> refusals_{0};
};

// Bytes taken from a meter; given back when the charge dies. Movable only;
// thread-compatible.
class MemoryCharge {
 public:
  MemoryCharge() = default;  // of nothing, by nobody
  MemoryCharge(MemoryCharge&& other) noexcept
      : meter_(std::move(other.meter_)),
        bytes_(std::exchange(other.bytes_, 0)) {}
  MemoryCharge& operator=(MemoryCharge&& other) noexcept {
    Reset();
    meter_ = std::move(other.meter_);
    bytes_ = std::exchange(other.bytes_, 0);
    return *this;
  }
  ~MemoryCharge() { Reset(); }

  // Takes bytes; of a null meter, an empty charge. RESOURCE_EXHAUSTED: see
  // MemoryMeter::Take.
  static absl::StatusOr<MemoryCharge> Take(
      const std::shared_ptr<MemoryMeter>& meter, uint64_t bytes,
      absl::string_view what) {
    MemoryCharge charge;
    if (meter == nullptr) [[likely]]
      return charge;
    charge.meter_ = meter;
    absl::Status status = charge.Add(bytes, what);
    if (!status.ok()) return status;
    return charge;
  }

  // Takes more of the same meter. RESOURCE_EXHAUSTED: the charge stays as it
  // was.
  absl::Status Add(uint64_t bytes, absl::string_view what) {
    if (meter_ == nullptr) [[likely]]
      return absl::OkStatus();
    absl::Status status = meter_->Take(bytes, what);
    if (status.ok()) bytes_ += bytes;
    return status;
  }
  // Gives some of the bytes back.
  void Sub(uint64_t bytes) {
    if (meter_ == nullptr) [[likely]]
      return;
    meter_->Give(bytes);
    bytes_ -= bytes;
  }
  // Gives all back.
  void Reset() {
    if (meter_ == nullptr) [[likely]]
      return;
    meter_->Give(bytes_);
    bytes_ = 0;
    meter_ = nullptr;
  }

  uint64_t bytes() const { return bytes_; }
  // Who counts; null for an empty charge.
  const std::shared_ptr<MemoryMeter>& meter() const { return meter_; }

 private:
  std::shared_ptr<MemoryMeter> meter_;
  uint64_t bytes_ = 0;
};

}  // namespace eyrie

#endif  // EYRIE_BASE_MEMORY_METER_H_
