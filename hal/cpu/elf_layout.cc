// Checks an ELF file's headers.
//
// Tested by elf_loader_test.cc, elf_fuzz.cc.
#include "hal/cpu/elf_layout.h"

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/allocate.h"
#include "base/byte_reader.h"
#include "base/checked_math.h"
#include "base/status_macros.h"

namespace eyrie::hal::cpu {
namespace {

using elf::ProgramHeader;

// The small code model cannot address more.
constexpr uint64_t kMaxImageSize = uint64_t{2} << 30;
constexpr uint64_t kMaxAlignment = uint64_t{64} << 20;
constexpr size_t kMaxSegments = 64;
constexpr uint64_t kAddressSpace = uint64_t{1} << 47;

absl::Status Invalid(absl::string_view message) {
  return absl::InvalidArgumentError(message);
}

std::string MachineName(uint16_t machine) {
  for (const auto& row : elf::kMachineNames) {
    if (row.machine == machine) return row.name;
  }
  return absl::StrCat("machine ", machine);
}

#if defined(__x86_64__)
constexpr uint16_t kThisMachine = elf::kMachineX86_64;
#elif defined(__aarch64__)
constexpr uint16_t kThisMachine = 183;
#else
constexpr uint16_t kThisMachine = 0;
#endif

absl::Status CheckHeader(std::span<const uint8_t> file,
                         const elf::Header& header) {
  if (std::memcmp(header.magic, elf::kMagic, sizeof(elf::kMagic)) != 0) {
    return Invalid("The executable is not an ELF file.");
  }
  // The machine field is at the same offset in every kind of ELF file.
  if (header.machine != kThisMachine) {
    return absl::UnimplementedError(absl::StrCat(
        "The executable is built for ", MachineName(header.machine),
        "; this machine is ", MachineName(kThisMachine), "."));
  }
  if (header.machine != elf::kMachineX86_64) {
    return absl::UnimplementedError(absl::StrCat(
        "ELF files for ", MachineName(header.machine), " are not loaded."));
  }
  if (header.file_class != elf::kClass64 ||
      header.data_encoding != elf::kLittleEndian) {
    return absl::UnimplementedError(
        "The executable is not a 64-bit little-endian ELF file.");
  }
  if (header.ident_version != 1 || header.version != 1) {
    return absl::UnimplementedError(absl::StrCat(
        "The ELF file is of version ", header.version, "; 1 is known."));
  }
  if (header.type != elf::kTypeShared) {
    return absl::UnimplementedError(absl::StrCat(
        "The ELF file is of type ", header.type, "; only shared objects (",
        elf::kTypeShared, ") are loaded."));
  }
  if (header.program_header_size != sizeof(ProgramHeader)) {
    return Invalid(absl::StrCat(
        "The ELF file's program headers have ", header.program_header_size,
        " bytes instead of ", sizeof(ProgramHeader), "."));
  }
  const uint64_t table_size =
      uint64_t{header.program_header_count} * sizeof(ProgramHeader);
  if (!RangeFits(header.program_header_offset, table_size, file.size())) {
    return absl::InvalidArgumentError(absl::StrCat(
        "The ELF file's ", header.program_header_count,
        " program headers at offset ", header.program_header_offset,
        " exceed its ", file.size(), " bytes."));
  }
  return absl::OkStatus();
}

absl::Status CheckSegment(std::span<const uint8_t> file,
                          const ProgramHeader& segment) {
  if (!RangeFits(segment.offset, segment.file_size, file.size())) {
    return absl::InvalidArgumentError(absl::StrCat(
        "An ELF segment of ", segment.file_size, " bytes at offset ",
        segment.offset, " exceeds the file's ", file.size(), " bytes."));
  }
  if (segment.file_size > segment.memory_size) {
    return absl::InvalidArgumentError(
        absl::StrCat("An ELF segment has ", segment.file_size,
                     " bytes in the file, more than its ", segment.memory_size,
                     " in memory."));
  }
  if ((segment.flags & elf::kSegmentExecutable) != 0 &&
      segment.file_size != segment.memory_size) {
    return absl::InvalidArgumentError(
        absl::StrCat("An executable ELF segment has ", segment.memory_size,
                     " bytes in memory, more than its ", segment.file_size,
                     " in the file."));
  }
  constexpr uint32_t kBoth = elf::kSegmentWritable | elf::kSegmentExecutable;
  if ((segment.flags & kBoth) == kBoth) {
    return Invalid("An ELF segment is both writable and executable.");
  }
  if (segment.alignment > kMaxAlignment ||
      (segment.alignment & (segment.alignment - 1)) != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("An ELF segment's alignment (", segment.alignment,
                     ") is not a power of two up to ", kMaxAlignment, "."));
  }
  return absl::OkStatus();
}

// Finds the image's bounds. Segments must not share a page, because each has
// its own access rights.
absl::Status PlaceSegments(ElfLayout& layout) {
  const uint64_t page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  uint64_t end = 0;
  for (const ProgramHeader& segment : layout.segments) {
    const uint64_t first_page = segment.address & ~(page - 1);
    const std::optional<uint64_t> after =
        CheckedAdd(segment.address, segment.memory_size);
    const std::optional<uint64_t> last_page =
        after ? CheckedAlignUp(*after, page) : std::nullopt;
    if (!last_page || *last_page > kAddressSpace) {
      return absl::InvalidArgumentError(absl::StrCat(
          "An ELF segment of ", segment.memory_size, " bytes at address ",
          segment.address, " exceeds the address space."));
    }
    if (&segment == &layout.segments.front()) {
      layout.begin = first_page;
    } else if (first_page < end) {
      return absl::InvalidArgumentError(
          absl::StrCat("The ELF segment at address ", segment.address,
                       " begins before the page ends that the one before it "
                       "ends in (",
                       end, ")."));
    }
    end = *last_page;
    layout.alignment = std::max(layout.alignment, segment.alignment);
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

absl::StatusOr<ElfLayout> ReadElfLayout(std::span<const uint8_t> file) {
  if (file.size() < sizeof(elf::Header)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "The executable has ", file.size(), " bytes; an ELF file has at least ",
        sizeof(elf::Header), "."));
  }
  const auto header = LoadLittleEndian<elf::Header>(file.data());
  RETURN_IF_ERROR(CheckHeader(file, header));
  ElfLayout layout;
  for (uint32_t i = 0; i < header.program_header_count; ++i) {
    const auto segment = LoadLittleEndian<ProgramHeader>(
        file.data() + header.program_header_offset +
        uint64_t{i} * sizeof(ProgramHeader));
    switch (segment.type) {
      case elf::kSegmentLoad:
        RETURN_IF_ERROR(CheckSegment(file, segment));
        if (segment.memory_size != 0) {
          RETURN_IF_ERROR(PushBack(layout.segments, segment, "ELF segments"));
        }
        break;
      case elf::kSegmentDynamic:
        layout.dynamic = segment;
        break;
      case elf::kSegmentRelro:
        layout.relro = segment;
        break;
      case elf::kSegmentTls:
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
                   [](const ProgramHeader& a, const ProgramHeader& b) {
                     return a.address < b.address;
                   });
  RETURN_IF_ERROR(PlaceSegments(layout));
  return layout;
}

}  // namespace eyrie::hal::cpu
