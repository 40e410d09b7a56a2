// The names of the steps are those of FIPS 180-4.
#include "base/sha256.h"

#include <algorithm>
#include <bit>
#include <cstddef>

namespace eyrie {
namespace {

constexpr size_t kBlockBytes = 64;
constexpr size_t kLengthBytes = 8;
constexpr size_t kRounds = 64;

using State = std::array<uint32_t, 8>;

// The fractions of the square roots of the first 8 primes.
constexpr State kFirstState = {0x6A09E667, 0xBB67AE85, 0x3C6EF372, 0xA54FF53A,
                               0x510E527F, 0x9B05688C, 0x1F83D9AB, 0x5BE0CD19};

// The fractions of the cube roots of the first 64 primes.
constexpr uint32_t kRoundConstants[kRounds] = {
    0x428A2F98, 0x71374491, 0xB5C0FBCF, 0xE9B5DBA5, 0x3956C25B, 0x59F111F1,
    0x923F82A4, 0xAB1C5ED5, 0xD807AA98, 0x12835B01, 0x243185BE, 0x550C7DC3,
    0x72BE5D74, 0x80DEB1FE, 0x9BDC06A7, 0xC19BF174, 0xE49B69C1, 0xEFBE4786,
    0x0FC19DC6, 0x240CA1CC, 0x2DE92C6F, 0x4A7484AA, 0x5CB0A9DC, 0x76F988DA,
    0x983E5152, 0xA831C66D, 0xB00327C8, 0xBF597FC7, 0xC6E00BF3, 0xD5A79147,
    0x06CA6351, 0x14292967, 0x27B70A85, 0x2E1B2138, 0x4D2C6DFC, 0x53380D13,
    0x650A7354, 0x766A0ABB, 0x81C2C92E, 0x92722C85, 0xA2BFE8A1, 0xA81A664B,
    0xC24B8B70, 0xC76C51A3, 0xD192E819, 0xD6990624, 0xF40E3585, 0x106AA070,
    0x19A4C116, 0x1E376C08, 0x2748774C, 0x34B0BCB5, 0x391C0CB3, 0x4ED8AA4A,
    0x5B9CCA4F, 0x682E6FF3, 0x748F82EE, 0x78A5636F, 0x84C87814, 0x8CC70208,
    0x90BEFFFA, 0xA4506CEB, 0xBEF9A3F7, 0xC67178F2};

uint32_t LoadBigEndian(const uint8_t* from) {
  return uint32_t{from[0]} << 24 | uint32_t{from[1]} << 16 |
         uint32_t{from[2]} << 8 | from[3];
}

void AddBlock(const uint8_t* block, State& state) {
  uint32_t w[kRounds];
  for (size_t t = 0; t < 16; ++t) w[t] = LoadBigEndian(block + 4 * t);
  for (size_t t = 16; t < kRounds; ++t) {
    const uint32_t s0 =
        std::rotr(w[t - 15], 7) ^ std::rotr(w[t - 15], 18) ^ w[t - 15] >> 3;
    const uint32_t s1 =
        std::rotr(w[t - 2], 17) ^ std::rotr(w[t - 2], 19) ^ w[t - 2] >> 10;
    w[t] = s1 + w[t - 7] + s0 + w[t - 16];
  }
  auto [a, b, c, d, e, f, g, h] = state;
  for (size_t t = 0; t < kRounds; ++t) {
    const uint32_t s1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
    const uint32_t t1 =
        h + s1 + ((e & f) ^ (~e & g)) + kRoundConstants[t] + w[t];
    const uint32_t s0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
    const uint32_t t2 = s0 + ((a & b) ^ (a & c) ^ (b & c));
    h = g;
    g = f;
    f = e;
    e = d + t1;
    d = c;
    c = b;
    b = a;
    a = t1 + t2;
  }
  const State worked = {a, b, c, d, e, f, g, h};
  for (size_t i = 0; i < state.size(); ++i) state[i] += worked[i];
}

}  // namespace

std::array<uint8_t, 32> Sha256(std::span<const uint8_t> bytes) {
  State state = kFirstState;
  const uint64_t bits = uint64_t{bytes.size()} * 8;
  for (; bytes.size() >= kBlockBytes; bytes = bytes.subspan(kBlockBytes)) {
    AddBlock(bytes.data(), state);
  }
  // The rest, a one bit, zeros, and the length in the last bytes of a block.
  uint8_t end[2 * kBlockBytes] = {};
  std::copy(bytes.begin(), bytes.end(), end);
  end[bytes.size()] = 0x80;
  const size_t size = bytes.size() + 1 + kLengthBytes <= kBlockBytes
                          ? kBlockBytes
                          : 2 * kBlockBytes;
  for (size_t i = 0; i < kLengthBytes; ++i) {
    end[size - 1 - i] = static_cast<uint8_t>(bits >> (8 * i));
  }
  for (size_t at = 0; at < size; at += kBlockBytes) AddBlock(end + at, state);
  std::array<uint8_t, 32> hash;
  for (size_t i = 0; i < hash.size(); ++i) {
    hash[i] = static_cast<uint8_t>(state[i / 4] >> (24 - 8 * (i % 4)));
  }
  return hash;
}

}  // namespace eyrie
