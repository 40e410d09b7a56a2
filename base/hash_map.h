// Hash maps and sets for keys from files. The hash is seeded: order and
// collisions differ between processes, so that no file can be crafted to slow
// the maps down.
//
// These are standard containers, since the thread-local variables of Debian's
// static Abseil cannot be linked into a shared library. Keys are integers,
// pointers and absl::string_view.
// Tested by base_test.cc.
#ifndef EYRIE_BASE_HASH_MAP_H_
#define EYRIE_BASE_HASH_MAP_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <unordered_map>
#include <unordered_set>

#include "absl/strings/string_view.h"

namespace eyrie {

struct SeededHash {
  // Derived from the address of this process's data, which the system chooses
  // at random.
  static uint64_t Seed() {
    static const char place = 0;
    return reinterpret_cast<uintptr_t>(&place) * 0x9E3779B97F4A7C15;
  }
  // Combines both halves of the product, so that every bit has an effect.
  static uint64_t Mix(uint64_t a, uint64_t b) {
    const auto product = static_cast<unsigned __int128>(a) * b;
    return static_cast<uint64_t>(product) ^
           static_cast<uint64_t>(product >> 64);
  }

  size_t operator()(absl::string_view text) const {
    uint64_t hash = Seed() ^ text.size();
    while (!text.empty()) {
      uint64_t word = 0;
      const size_t size = text.size() < sizeof(word) ? text.size() : 8;
      std::memcpy(&word, text.data(), size);
      hash = Mix(hash ^ word, 0xD6E8FEB86659FD93) + Seed();
      text.remove_prefix(size);
    }
    return hash;
  }
  template <typename T>
    requires(std::is_integral_v<T> || std::is_pointer_v<T>)
  size_t operator()(T key) const {
    uint64_t number;
    if constexpr (std::is_pointer_v<T>) {
      number = reinterpret_cast<uintptr_t>(key);
    } else {
      number = static_cast<uint64_t>(key);
    }
    return Mix(Seed() ^ number, 0xD6E8FEB86659FD93);
  }
};

template <typename Key, typename Value>
using HashMap = std::unordered_map<Key, Value, SeededHash>;
template <typename Key>
using HashSet = std::unordered_set<Key, SeededHash>;

}  // namespace eyrie

#endif  // EYRIE_BASE_HASH_MAP_H_
