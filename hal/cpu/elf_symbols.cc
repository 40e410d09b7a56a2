// Reads section headers, which the loader does not use.
#include "hal/cpu/elf_symbols.h"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "base/byte_reader.h"
#include "base/checked_math.h"

namespace eyrie::hal::cpu {
namespace {

constexpr uint64_t kMaxFunctions = 65536;

class SectionReader {
 public:
  explicit SectionReader(std::span<const uint8_t> file) : file_(file) {
    if (file.size() < sizeof(Elf64_Ehdr)) return;
    header_ = LoadLittleEndian<Elf64_Ehdr>(file.data());
    const bool known = std::memcmp(header_.e_ident, ELFMAG, SELFMAG) == 0 &&
                       header_.e_ident[EI_CLASS] == ELFCLASS64 &&
                       header_.e_shentsize == sizeof(Elf64_Shdr);
    count_ = known ? header_.e_shnum : 0;
  }

  uint16_t count() const { return count_; }

  std::optional<Elf64_Shdr> Section(uint32_t index) const {
    const uint64_t offset = uint64_t{index} * sizeof(Elf64_Shdr);
    const auto end = CheckedAdd(header_.e_shoff, offset);
    if (index >= count_ || !end ||
        !RangeFits(*end, sizeof(Elf64_Shdr), file_.size())) {
      return std::nullopt;
    }
    return LoadLittleEndian<Elf64_Shdr>(file_.data() + *end);
  }

  // Returns the section's bytes, or none if they are not in the file.
  std::span<const uint8_t> Bytes(const Elf64_Shdr& section) const {
    if (!RangeFits(section.sh_offset, section.sh_size, file_.size())) return {};
    return file_.subspan(section.sh_offset, section.sh_size);
  }

  std::optional<Elf64_Shdr> Find(uint32_t type) const {
    for (uint32_t i = 0; i < count_; ++i) {
      const std::optional<Elf64_Shdr> section = Section(i);
      if (section && section->sh_type == type) return section;
    }
    return std::nullopt;
  }

 private:
  std::span<const uint8_t> file_;
  Elf64_Ehdr header_ = {};
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
  std::optional<Elf64_Shdr> table = reader.Find(SHT_SYMTAB);
  if (!table) table = reader.Find(SHT_DYNSYM);
  if (!table) return functions;
  const std::optional<Elf64_Shdr> names = reader.Section(table->sh_link);
  if (!names) return functions;
  const std::span<const uint8_t> strings = reader.Bytes(*names);
  const std::span<const uint8_t> bytes = reader.Bytes(*table);
  const uint64_t count =
      std::min<uint64_t>(bytes.size() / sizeof(Elf64_Sym), kMaxFunctions);
  for (uint64_t i = 0; i < count; ++i) {
    const auto symbol =
        LoadLittleEndian<Elf64_Sym>(bytes.data() + i * sizeof(Elf64_Sym));
    if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC ||
        symbol.st_shndx == SHN_UNDEF) {
      continue;
    }
    const absl::string_view name = TextAt(strings, symbol.st_name);
    if (name.empty()) continue;
    functions.push_back({name, symbol.st_value, symbol.st_size});
  }
  return functions;
}

}  // namespace eyrie::hal::cpu
