// FNV-1a, a 64-bit hash that is the same on every machine. It detects damage
// and distinguishes names, but does not resist attacks.
//
// Tested by base_test.cc.
#ifndef EYRIE_BASE_FNV1A_H_
#define EYRIE_BASE_FNV1A_H_

#include <cstdint>
#include <span>

#include "absl/strings/string_view.h"

namespace eyrie {

inline uint64_t Fnv1a(std::span<const uint8_t> bytes) {
  uint64_t hash = 0xCBF29CE484222325;
  for (const uint8_t byte : bytes) hash = (hash ^ byte) * 0x100000001B3;
  return hash;
}

inline uint64_t Fnv1a(absl::string_view text) {
  return Fnv1a({reinterpret_cast<const uint8_t*>(text.data()), text.size()});
}

}  // namespace eyrie

#endif  // EYRIE_BASE_FNV1A_H_
