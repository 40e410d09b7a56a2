// Fuzzes pipeline cache files: as the file, the input must be rejected or
// contain the original data; as the data, it must be returned unchanged.
//
// To run it, see tests/fuzz/BUILD.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "hal/vulkan/pipeline_cache.h"
#include "tests/support/require.h"

namespace {

using eyrie::hal::vulkan::CacheIdentity;
using eyrie::hal::vulkan::UnwrapCache;
using eyrie::hal::vulkan::WrapCache;
using eyrie::tests::Require;
using eyrie::tests::RequireMessage;

// The header's reserved bytes, and its end.
constexpr size_t kReserved = 56;
constexpr size_t kHeader = 64;

void Read(std::span<const uint8_t> file) {
  const auto data = UnwrapCache(CacheIdentity(), file);
  if (!data.ok()) return RequireMessage(data.status());
  const std::vector<uint8_t> again = WrapCache(CacheIdentity(), *data);
  Require(again.size() == file.size());
  Require(std::equal(file.begin(), file.begin() + kReserved, again.begin()));
  Require(
      std::equal(file.begin() + kHeader, file.end(), again.begin() + kHeader));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Read({data, size});
  std::vector<uint8_t> file = WrapCache(CacheIdentity(), {data, size});
  const auto back = UnwrapCache(CacheIdentity(), file);
  Require(back.ok() &&
          std::equal(back->begin(), back->end(), data, data + size));
  // Change one byte.
  size_t at = 0;
  std::memcpy(&at, data, std::min(size, sizeof(at)));
  at %= file.size();
  file[at] ^= 0x10;
  Require(UnwrapCache(CacheIdentity(), file).ok() ==
          (at >= kReserved && at < kHeader));
  return 0;
}
