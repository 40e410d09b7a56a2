// The CRC-32 that ZIP uses. It detects accidental damage, not forgery.
//
// Tested by base_test.cc.
#ifndef EYRIE_BASE_CRC32_H_
#define EYRIE_BASE_CRC32_H_

#include <zlib.h>

#include <cstdint>
#include <span>

namespace eyrie {

inline uint32_t Crc32(std::span<const uint8_t> bytes) {
  return static_cast<uint32_t>(
      crc32_z(crc32_z(0, nullptr, 0), bytes.data(), bytes.size()));
}

}  // namespace eyrie

#endif  // EYRIE_BASE_CRC32_H_
