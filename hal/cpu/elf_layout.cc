// Checks an ELF file's headers.
#include "hal/cpu/elf_layout.h"

#include <elf.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/allocate.h"
#include "base/byte_reader.h"
#include "base/checked_math.h"
#include "base/elf_machine.h"
#include "base/status_macros.h"

namespace eyrie::hal::cpu {
namespace {

// The small code model cannot address more.
constexpr uint64_t kMaxImageSize = uint64_t{2} << 30;
constexpr uint64_t kMaxAlignment = uint64_t{64} << 20;
constexpr size_t kMaxSegments = 64;
constexpr uint64_t kAddressSpace = uint64_t{1} << 47;

absl::Status Invalid(absl::string_view message) {
  return absl::InvalidArgumentError(message);
}

// Finds the rules for the file's machine.
absl::StatusOr<const InstructionSet*> FindMachine(const Elf64_Ehdr& header,
                                                  ElfUse use) {
  const uint16_t machine = header.e_machine;
  if (use == ElfUse::kRun && machine != ThisElfMachine()) {
    return absl::UnimplementedError(absl::StrCat(
        "The executable is built for ", ElfMachineName(machine),
        "; this machine is ", ElfMachineName(ThisElfMachine()), "."));
  }
  if (const InstructionSet* set = FindInstructionSet(machine)) return set;
  return absl::UnimplementedError(absl::StrCat(
      "ELF files for ", ElfMachineName(machine), " are not known."));
}

absl::Status CheckHeader(std::span<const uint8_t> file,
                         const Elf64_Ehdr& header) {
  if (header.e_ident[EI_CLASS] != ELFCLASS64 ||
      header.e_ident[EI_DATA] != ELFDATA2LSB) {
    return absl::UnimplementedError(
        "The executable is not a 64-bit little-endian ELF file.");
  }
  if (header.e_ident[EI_VERSION] != 1 || header.e_version != 1) {
    return absl::UnimplementedError(absl::StrCat(
        "The ELF file is of version ", header.e_version, "; 1 is known."));
  }
  if (header.e_type != ET_DYN) {
    return absl::UnimplementedError(
        absl::StrCat("The ELF file is of type ", header.e_type,
                     "; only shared objects (", ET_DYN, ") are loaded."));
  }
  if (header.e_phentsize != sizeof(Elf64_Phdr)) {
    return Invalid(absl::StrCat("The ELF file's program headers have ",
                                header.e_phentsize, " bytes instead of ",
                                sizeof(Elf64_Phdr), "."));
  }
  const uint64_t table_size = uint64_t{header.e_phnum} * sizeof(Elf64_Phdr);
  if (!RangeFits(header.e_phoff, table_size, file.size())) {
    return absl::InvalidArgumentError(absl::StrCat(
        "The ELF file's ", header.e_phnum, " program headers at offset ",
        header.e_phoff, " exceed its ", file.size(), " bytes."));
  }
  return absl::OkStatus();
}

absl::Status CheckSegment(std::span<const uint8_t> file,
                          const Elf64_Phdr& segment) {
  if (!RangeFits(segment.p_offset, segment.p_filesz, file.size())) {
    return absl::InvalidArgumentError(absl::StrCat(
        "An ELF segment of ", segment.p_filesz, " bytes at offset ",
        segment.p_offset, " exceeds the file's ", file.size(), " bytes."));
  }
  if (segment.p_filesz > segment.p_memsz) {
    return absl::InvalidArgumentError(absl::StrCat(
        "An ELF segment has ", segment.p_filesz,
        " bytes in the file, more than its ", segment.p_memsz, " in memory."));
  }
  if ((segment.p_flags & PF_X) != 0 && segment.p_filesz != segment.p_memsz) {
    return absl::InvalidArgumentError(absl::StrCat(
        "An executable ELF segment has ", segment.p_memsz,
        " bytes in memory, more than its ", segment.p_filesz, " in the file."));
  }
  constexpr uint32_t kBoth = PF_W | PF_X;
  if ((segment.p_flags & kBoth) == kBoth) {
    return Invalid("An ELF segment is both writable and executable.");
  }
  if (segment.p_align > kMaxAlignment ||
      (segment.p_align & (segment.p_align - 1)) != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("An ELF segment's alignment (", segment.p_align,
                     ") is not a power of two up to ", kMaxAlignment, "."));
  }
  return absl::OkStatus();
}

// Finds the image's bounds. Segments must not share a page, because each has
// its own access rights.
absl::Status PlaceSegments(uint64_t page, ElfLayout& layout) {
  uint64_t end = 0;
  for (const Elf64_Phdr& segment : layout.segments) {
    const uint64_t first_page = segment.p_vaddr & ~(page - 1);
    const std::optional<uint64_t> after =
        CheckedAdd(segment.p_vaddr, segment.p_memsz);
    const std::optional<uint64_t> last_page =
        after ? CheckedAlignUp(*after, page) : std::nullopt;
    if (!last_page || *last_page > kAddressSpace) {
      return absl::InvalidArgumentError(absl::StrCat(
          "An ELF segment of ", segment.p_memsz, " bytes at address ",
          segment.p_vaddr, " exceeds the address space."));
    }
    if (&segment == &layout.segments.front()) {
      layout.begin = first_page;
    } else if (first_page < end) {
      return absl::InvalidArgumentError(absl::StrCat(
          "The ELF segment at address ", segment.p_vaddr,
          " begins in the last page of the segment before it; that page has ",
          page, " bytes and ends at ", end, "."));
    }
    end = *last_page;
    layout.alignment = std::max(layout.alignment, segment.p_align);
  }
  layout.size = end - layout.begin;
  if (layout.size > kMaxImageSize) {
    return absl::ResourceExhaustedError(
        absl::StrCat("The ELF image needs ", layout.size,
                     " bytes; the limit is ", kMaxImageSize, "."));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<ElfLayout> ReadElfLayout(std::span<const uint8_t> file,
                                        ElfUse use) {
  return ReadElfLayout(file, use,
                       use == ElfUse::kRead
                           ? kSmallestPage
                           : static_cast<uint64_t>(sysconf(_SC_PAGESIZE)));
}

absl::StatusOr<ElfLayout> ReadElfLayout(std::span<const uint8_t> file,
                                        ElfUse use, uint64_t page) {
  if (file.size() < sizeof(Elf64_Ehdr)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "The executable has ", file.size(), " bytes; an ELF file has at least ",
        sizeof(Elf64_Ehdr), "."));
  }
  const auto header = LoadLittleEndian<Elf64_Ehdr>(file.data());
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) {
    return Invalid("The executable is not an ELF file.");
  }
  ElfLayout layout;
  // The machine field is at the same offset in every kind of ELF file.
  ASSIGN_OR_RETURN(layout.instruction_set, FindMachine(header, use));
  RETURN_IF_ERROR(CheckHeader(file, header));
  for (uint32_t i = 0; i < header.e_phnum; ++i) {
    const auto segment = LoadLittleEndian<Elf64_Phdr>(
        file.data() + header.e_phoff + uint64_t{i} * sizeof(Elf64_Phdr));
    switch (segment.p_type) {
      case PT_LOAD:
        RETURN_IF_ERROR(CheckSegment(file, segment));
        if (segment.p_memsz != 0) {
          RETURN_IF_ERROR(PushBack(layout.segments, segment, "ELF segments"));
        }
        break;
      case PT_DYNAMIC:
        layout.dynamic = segment;
        break;
      case PT_GNU_RELRO:
        layout.relro = segment;
        break;
      case PT_TLS:
        return absl::UnimplementedError(
            "The ELF file has thread-local data, which is not loaded.");
    }
  }
  if (layout.segments.empty() || !layout.dynamic) {
    return Invalid("The ELF file has no segments to load, or no dynamic one.");
  }
  if (layout.segments.size() > kMaxSegments) {
    return absl::ResourceExhaustedError(
        absl::StrCat("The ELF file has ", layout.segments.size(),
                     " segments to load; the limit is ", kMaxSegments, "."));
  }
  std::stable_sort(layout.segments.begin(), layout.segments.end(),
                   [](const Elf64_Phdr& a, const Elf64_Phdr& b) {
                     return a.p_vaddr < b.p_vaddr;
                   });
  RETURN_IF_ERROR(PlaceSegments(page, layout));
  return layout;
}

absl::Status CheckForWorker(const ElfLayout& layout, uint64_t file_size) {
  const uint64_t most = 2 * file_size + (uint64_t{1} << 20);
  const uint64_t bytes = layout.lead() + layout.size;
  if (bytes > most) {
    return absl::ResourceExhaustedError(absl::StrCat(
        "The ELF file of ", file_size, " bytes needs ", bytes,
        " bytes of memory, and an isolated worker allows ", most, "."));
  }
  for (const Elf64_Phdr& segment : layout.segments) {
    if ((segment.p_flags & PF_W) == 0) continue;
    if (layout.relro && layout.relro->p_vaddr == segment.p_vaddr &&
        layout.relro->p_memsz >= segment.p_memsz) {
      continue;
    }
    return absl::UnimplementedError(absl::StrCat(
        "The ELF file has ", segment.p_memsz, " bytes of data at address ",
        segment.p_vaddr,
        " that its code may write, which an isolated worker does not allow."));
  }
  return absl::OkStatus();
}

}  // namespace eyrie::hal::cpu
