// Assigns small numbers to objects that exist at the same time: always the
// lowest free one. Numbers are reused after Give.
//
// Thread-safe. Tested by base_test.cc.
#ifndef EYRIE_BASE_SMALL_NUMBERS_H_
#define EYRIE_BASE_SMALL_NUMBERS_H_

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>

namespace eyrie {

class SmallNumbers {
 public:
  // Shared by every caller while numbers 0 to 62 are taken.
  static constexpr int kLast = 63;

  int Take() {
    uint64_t taken = taken_.load(std::memory_order_relaxed);
    while (true) {
      const int number = std::min(std::countr_one(taken), kLast);
      const uint64_t with = taken | uint64_t{1} << number;
      if (number == kLast || taken_.compare_exchange_weak(taken, with)) {
        return number;
      }
    }
  }

  void Give(int number) {
    if (number != kLast) taken_.fetch_and(~(uint64_t{1} << number));
  }

 private:
  std::atomic<uint64_t> taken_{0};
};

}  // namespace eyrie

#endif  // EYRIE_BASE_SMALL_NUMBERS_H_
