// Finds addresses in an image's segments.
//
// Tested by executable_test.cc.
#include "hal/cpu/image.h"

#include <cstring>
#include <utility>
#include <vector>

namespace eyrie::hal::cpu {
namespace {

uint64_t Address(const Image::Range& range) {
  return reinterpret_cast<uintptr_t>(range.bytes.data());
}

}  // namespace

CodeScan Image::ScanCode() const {
  std::vector<CodeRegion> regions;
  for (const Range& range : ranges_) {
    if (range.executable) regions.push_back({range.bytes, Address(range)});
  }
  return CodeScan(*instruction_set_, std::move(regions));
}

const Image::Range* Image::Find(uint64_t address) const {
  for (const Range& range : ranges_) {
    if (address >= Address(range) &&
        address - Address(range) < range.bytes.size()) {
      return &range;
    }
  }
  return nullptr;
}

bool Image::Contains(uint64_t address, uint64_t size) const {
  const Range* range = Find(address);
  return range != nullptr &&
         RangeFits(address - Address(*range), size, range->bytes.size());
}

bool Image::IsCode(uint64_t address) const {
  const Range* range = Find(address);
  return range != nullptr && range->executable;
}

absl::StatusOr<absl::string_view> Image::ReadString(
    const char* string, absl::string_view what) const {
  if (string == nullptr) return absl::string_view();
  const uint64_t address = reinterpret_cast<uintptr_t>(string);
  const Range* range = Find(address);
  if (range == nullptr) return Outside(what);
  const size_t limit = range->bytes.size() - (address - Address(*range));
  const size_t length = strnlen(string, limit);
  if (length == limit) {
    return absl::InvalidArgumentError(
        absl::StrCat("The executable's ", what,
                     " is not terminated: no zero byte follows."));
  }
  return absl::string_view(string, length);
}

}  // namespace eyrie::hal::cpu
