#include "base/memory_meter.h"

#include "absl/strings/str_cat.h"

namespace eyrie {

absl::Status MemoryMeter::Take(uint64_t bytes, absl::string_view what) {
  uint64_t used = in_use();
  do {
    if (bytes > limit_ || used > limit_ - bytes) {
      refusals_.fetch_add(1, std::memory_order_relaxed);
      return absl::ResourceExhaustedError(absl::StrCat(
          bytes, " bytes for ", what, " exceed the context's memory limit (",
          limit_, " bytes, of which ", used, " are in use)."));
    }
  } while (!in_use_.compare_exchange_weak(used, used + bytes,
                                          std::memory_order_relaxed));
  const uint64_t now = used + bytes;
  uint64_t peak = this->peak();
  while (now > peak &&
         !peak_.compare_exchange_weak(peak, now, std::memory_order_relaxed)) {
  }
  return absl::OkStatus();
}

}  // namespace eyrie
