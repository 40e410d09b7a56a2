// Counts the bytes that a context holds, against its limit.
//
// Code that allocates for a context first takes a charge for the bytes and
// stores it in the object. The charge returns the bytes when the object is
// destroyed, which may be on any thread and after the context. Without a meter,
// charges are empty and cost a branch.
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
  // RESOURCE_EXHAUSTED: they would exceed the limit; nothing is counted.
  absl::Status Take(uint64_t bytes, absl::string_view what);
  // Returns bytes that were taken.
  void Give(uint64_t bytes) {
    in_use_.fetch_sub(bytes, std::memory_order_relaxed);
  }

  uint64_t limit() const { return limit_; }
  uint64_t in_use() const { return in_use_.load(std::memory_order_relaxed); }
  // Returns the highest value that in_use() has had.
  uint64_t peak() const { return peak_.load(std::memory_order_relaxed); }
  // Returns how often Take failed.
  uint64_t refusals() const {
    return refusals_.load(std::memory_order_relaxed);
  }

 private:
  const uint64_t limit_;
  std::atomic<uint64_t> in_use_{0};
  std::atomic<uint64_t> peak_{0};
  std::atomic<uint64_t> refusals_{0};
};

// Bytes taken from a meter. The destructor returns them. Movable, not copyable;
// thread-compatible.
class MemoryCharge {
 public:
  MemoryCharge() = default;  // empty
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

  // Takes bytes from `meter`. Returns an empty charge if it is null.
  // RESOURCE_EXHAUSTED: see MemoryMeter::Take.
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

  // Takes more bytes from the same meter. Does nothing if the charge has none.
  // RESOURCE_EXHAUSTED: see MemoryMeter::Take; the charge is unchanged.
  absl::Status Add(uint64_t bytes, absl::string_view what) {
    if (meter_ == nullptr) [[likely]]
      return absl::OkStatus();
    absl::Status status = meter_->Take(bytes, what);
    if (status.ok()) bytes_ += bytes;
    return status;
  }
  // Returns some of the bytes, at most bytes().
  void Sub(uint64_t bytes) {
    if (meter_ == nullptr) [[likely]]
      return;
    meter_->Give(bytes);
    bytes_ -= bytes;
  }
  // Returns all bytes and makes the charge empty.
  void Reset() {
    if (meter_ == nullptr) [[likely]]
      return;
    meter_->Give(bytes_);
    bytes_ = 0;
    meter_ = nullptr;
  }

  uint64_t bytes() const { return bytes_; }
  // Returns null for an empty charge.
  const std::shared_ptr<MemoryMeter>& meter() const { return meter_; }

 private:
  std::shared_ptr<MemoryMeter> meter_;
  uint64_t bytes_ = 0;
};

}  // namespace eyrie

#endif  // EYRIE_BASE_MEMORY_METER_H_
