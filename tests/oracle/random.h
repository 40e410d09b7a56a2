// Random numbers that are the same on every machine.
#ifndef EYRIE_TESTS_ORACLE_RANDOM_H_
#define EYRIE_TESTS_ORACLE_RANDOM_H_

#include <cstddef>
#include <cstdint>
#include <iterator>

namespace eyrie::tests {

// SplitMix64.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}

  uint64_t Bits() {
    uint64_t z = state_ += 0x9E3779B97F4A7C15;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return z ^ (z >> 31);
  }
  // Returns a number below `limit`, which must not be 0.
  uint32_t Below(uint32_t limit) {
    return static_cast<uint32_t>((Bits() >> 32) * limit >> 32);
  }
  // Returns true once in `n` times on average.
  bool OneIn(uint32_t n) { return Below(n) == 0; }

  template <typename Container>
  auto Of(const Container& choices) {
    return choices[Below(static_cast<uint32_t>(std::size(choices)))];
  }

 private:
  uint64_t state_;
};

}  // namespace eyrie::tests

#endif  // EYRIE_TESTS_ORACLE_RANDOM_H_
