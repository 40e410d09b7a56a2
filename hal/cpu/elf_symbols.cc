// Reads section headers, which the loader does not use.
//
// Tested by perf_functions_test.cc, elf_fuzz.cc.
#include "hal/cpu/elf_symbols.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "base/byte_reader.h"
#include "base/checked_math.h"
#include "hal/cpu/elf_format.h"

namespace eyrie::hal::cpu {
namespace {

using elf::SectionHeader;
using elf::Symbol;

constexpr uint64_t kMaxFunctions = 65536;

class SectionReader {
 public:
  explicit SectionReader(std::span<const uint8_t> file) : file_(file) {
    if (file.size() < sizeof(elf::Header)) return;
    header_ = LoadLittleEndian<elf::Header>(file.data());
    const bool known =
        std::memcmp(header_.magic, elf::kMagic, sizeof(elf::kMagic)) == 0 &&
        header_.file_class == elf::kClass64 &&
        header_.section_header_size == sizeof(SectionHeader);
    count_ = known ? header_.section_header_count : 0;
  }

  uint16_t count() const { return count_; }

  std::optional<SectionHeader> Section(uint32_t index) const {
    const uint64_t offset = uint64_t{index} * sizeof(SectionHeader);
    const auto end = CheckedAdd(header_.section_header_offset, offset);
    if (index >= count_ || !end ||
        !RangeFits(*end, sizeof(SectionHeader), file_.size())) {
      return std::nullopt;
    }
    return LoadLittleEndian<SectionHeader>(file_.data() + *end);
  }

  // Returns the section's bytes, or none if they are not in the file.
  std::span<const uint8_t> Bytes(const SectionHeader& section) const {
    if (!RangeFits(section.offset, section.size, file_.size())) return {};
    return file_.subspan(section.offset, section.size);
  }

  std::optional<SectionHeader> Find(uint32_t type) const {
    for (uint32_t i = 0; i < count_; ++i) {
      const std::optional<SectionHeader> section = Section(i);
      if (section && section->type == type) return section;
    }
    return std::nullopt;
  }

 private:
  std::span<const uint8_t> file_;
  elf::Header header_ = {};
  uint16_t count_ = 0;
};

// Returns the text at an offset, up to its terminating zero.
absl::string_view TextAt(std::span<const uint8_t> strings, uint32_t offset) {
  if (offset >= strings.size()) return "";
  const auto* text = reinterpret_cast<const char*>(strings.data()) + offset;
  return absl::string_view(text, strnlen(text, strings.size() - offset));
}

}  // namespace

std::vector<ElfFunction> ReadElfFunctions(std::span<const uint8_t> file) {
  std::vector<ElfFunction> functions;
  const SectionReader reader(file);
  std::optional<SectionHeader> table = reader.Find(elf::kSectionSymbols);
  if (!table) table = reader.Find(elf::kSectionDynamicSymbols);
  if (!table) return functions;
  const std::optional<SectionHeader> names = reader.Section(table->link);
  if (!names) return functions;
  const std::span<const uint8_t> strings = reader.Bytes(*names);
  const std::span<const uint8_t> bytes = reader.Bytes(*table);
  const uint64_t count =
      std::min<uint64_t>(bytes.size() / sizeof(Symbol), kMaxFunctions);
  for (uint64_t i = 0; i < count; ++i) {
    const auto symbol =
        LoadLittleEndian<Symbol>(bytes.data() + i * sizeof(Symbol));
    if (symbol.type() != elf::kSymbolFunction ||
        symbol.section == elf::kUndefinedSection) {
      continue;
    }
    const absl::string_view name = TextAt(strings, symbol.name);
    if (!name.empty()) functions.push_back({name, symbol.value, symbol.size});
  }
  return functions;
}

}  // namespace eyrie::hal::cpu
