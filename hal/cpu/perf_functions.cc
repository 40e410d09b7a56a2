#include "hal/cpu/perf_functions.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <string>

#include "absl/strings/str_cat.h"
#include "hal/cpu/elf_symbols.h"

namespace eyrie::hal::cpu {
namespace {

// The longest gap between functions that counts as padding, in bytes.
constexpr uint64_t kPadding = 64;

struct Named {
  uint64_t size = 0;  // 0: not known
  std::string name;
};

// Returns the end of the code range that contains an address.
uint64_t EndOfCode(const Image& image, uint64_t address) {
  for (const Image::Range& range : image.ranges()) {
    const auto begin = reinterpret_cast<uintptr_t>(range.bytes.data());
    if (address >= begin && address - begin < range.bytes.size()) {
      return begin + range.bytes.size();
    }
  }
  return address;
}

}  // namespace

std::vector<PerfMap::Function> PerfFunctions(const LibraryExecutable& library,
                                             std::span<const uint8_t> file) {
  const Image& image = library.image();
  std::map<uint64_t, Named> found;
  for (const ElfFunction& function : ReadElfFunctions(file)) {
    // The file is not trusted: if the sum wraps, it is not code.
    const uint64_t address = image.bias() + function.address;
    if (!image.IsCode(address)) continue;
    found[address] = {function.size, std::string(function.name)};
  }
  for (size_t i = 0; i < library.exports().size(); ++i) {
    const auto address =
        reinterpret_cast<uintptr_t>(library.kernels()[i].function);
    const absl::string_view name = library.exports()[i].name;
    found[address].name = name.empty()
                              ? absl::StrCat(library.name(), " export ", i)
                              : std::string(name);
  }
  std::vector<PerfMap::Function> functions;
  for (auto it = found.begin(); it != found.end(); ++it) {
    uint64_t end = EndOfCode(image, it->first);
    const auto next = std::next(it);
    if (next != found.end()) end = std::min(end, next->first);
    const uint64_t room = end - it->first;
    const uint64_t size =
        it->second.size == 0 ? room : std::min(room, it->second.size);
    functions.push_back({it->first, size, it->second.name});
    if (room - size > kPadding) {
      functions.push_back(
          {it->first + size, room - size, "(unnamed kernel code)"});
    }
  }
  return functions;
}

}  // namespace eyrie::hal::cpu
