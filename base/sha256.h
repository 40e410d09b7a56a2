// SHA-256 of FIPS 180-4: a hash for which equal values mean equal bytes, even
// if an attacker chose the bytes.
//
// Tested by sha256_test.cc.
#ifndef EYRIE_BASE_SHA256_H_
#define EYRIE_BASE_SHA256_H_

#include <array>
#include <cstdint>
#include <span>

namespace eyrie {

// Thread-safe. Reads each byte once.
std::array<uint8_t, 32> Sha256(std::span<const uint8_t> bytes);

}  // namespace eyrie

#endif  // EYRIE_BASE_SHA256_H_
