// Reads valid ELF files, independently of the tested loader.
#include "tests/bad_input/machine_code.h"

#include <elf.h>

#include <cstddef>
#include <cstring>
#include <string_view>

namespace eyrie::tests {
namespace {

using Bytes = std::span<const uint8_t>;

template <typename T>
T Load(Bytes bytes, uint64_t offset) {
  T value = {};
  if (offset <= bytes.size() && sizeof(T) <= bytes.size() - offset) {
    std::memcpy(&value, bytes.data() + offset, sizeof(T));
  }
  return value;
}

class Marker {
 public:
  Marker(Bytes elf, size_t base, std::vector<bool>& marks)
      : elf_(elf), base_(base), marks_(marks) {}

  void Mark(uint64_t offset, uint64_t size) {
    for (uint64_t i = offset; i < offset + size && i < elf_.size(); ++i) {
      marks_[base_ + i] = true;
    }
  }

  void MarkAll() {
    const auto header = Load<Elf64_Ehdr>(elf_, 0);
    for (uint64_t i = 0; i < header.e_phnum; ++i) {
      const uint64_t at = header.e_phoff + i * sizeof(Elf64_Phdr);
      segments_.push_back(Load<Elf64_Phdr>(elf_, at));
      if (!IsCode(segments_.back())) continue;
      Mark(at, sizeof(Elf64_Phdr));
      Mark(segments_.back().p_offset, segments_.back().p_filesz);
    }
    for (const Elf64_Phdr& segment : segments_) {
      if (segment.p_type == PT_DYNAMIC) ReadDynamic(segment);
    }
  }

 private:
  static bool IsCode(const Elf64_Phdr& segment) {
    return segment.p_type == PT_LOAD && (segment.p_flags & PF_X) != 0;
  }
  bool PointsToCode(uint64_t address) const {
    for (const Elf64_Phdr& s : segments_) {
      if (IsCode(s) && address - s.p_vaddr < s.p_memsz) return true;
    }
    return false;
  }
  uint64_t FileOffset(uint64_t address) const {
    for (const Elf64_Phdr& s : segments_) {
      if (s.p_type == PT_LOAD && address - s.p_vaddr < s.p_filesz) {
        return address - s.p_vaddr + s.p_offset;
      }
    }
    return elf_.size();
  }

  void ReadDynamic(const Elf64_Phdr& dynamic) {
    uint64_t symbols = 0, strings = 0, relocations = 0, size = 0;
    for (uint64_t at = 0; at < dynamic.p_filesz; at += sizeof(Elf64_Dyn)) {
      const auto entry = Load<Elf64_Dyn>(elf_, dynamic.p_offset + at);
      if (entry.d_tag == DT_SYMTAB) symbols = entry.d_un.d_ptr;
      if (entry.d_tag == DT_STRTAB) strings = entry.d_un.d_ptr;
      if (entry.d_tag == DT_RELA) relocations = entry.d_un.d_ptr;
      if (entry.d_tag == DT_RELASZ) size = entry.d_un.d_val;
      // A wrong table address may turn other bytes into a code address.
      if (entry.d_tag == DT_SYMTAB || entry.d_tag == DT_RELA) {
        Mark(dynamic.p_offset + at, sizeof(Elf64_Dyn));
      }
    }
    for (uint64_t i = 0; i < size; i += sizeof(Elf64_Rela)) {
      const uint64_t at = FileOffset(relocations) + i;
      const auto relocation = Load<Elf64_Rela>(elf_, at);
      if (PointsToCode(relocation.r_addend)) Mark(at, sizeof(Elf64_Rela));
    }
    // Linkers place the strings after the symbols.
    for (uint64_t i = symbols; i < strings; i += sizeof(Elf64_Sym)) {
      const auto symbol = Load<Elf64_Sym>(elf_, FileOffset(i));
      if (PointsToCode(symbol.st_value)) {
        Mark(FileOffset(i) + offsetof(Elf64_Sym, st_value), sizeof(uint64_t));
      }
    }
  }

  Bytes elf_;
  size_t base_;
  std::vector<bool>& marks_;
  std::vector<Elf64_Phdr> segments_;
};

}  // namespace

std::vector<bool> FindMachineCode(Bytes file) {
  constexpr std::string_view kMagic(ELFMAG "\x02\x01\x01", SELFMAG + 3);
  const std::string_view text(reinterpret_cast<const char*>(file.data()),
                              file.size());
  std::vector<bool> marks(file.size());
  for (size_t at = text.find(kMagic); at != text.npos;
       at = text.find(kMagic, at + 1)) {
    Marker(file.subspan(at), at, marks).MarkAll();
  }
  return marks;
}

}  // namespace eyrie::tests
