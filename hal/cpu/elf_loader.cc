// Maps an ELF file's segments, relocates them, and removes write access again.
//
// Tested by elf_loader_test.cc, elf_fuzz.cc.
#include "hal/cpu/elf_loader.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/allocate.h"
#include "base/byte_reader.h"
#include "base/checked_math.h"
#include "base/plain_text.h"
#include "base/status_macros.h"
#include "hal/cpu/elf_layout.h"

namespace eyrie::hal::cpu {
namespace {

using elf::DynamicEntry;
using elf::DynamicTag;
using elf::ProgramHeader;
using elf::Rela;
using elf::RelocationType;
using elf::Symbol;

uint64_t PageSize() { return static_cast<uint64_t>(sysconf(_SC_PAGESIZE)); }

}  // namespace

// One call of ElfImage::Load. Addresses are the file's; Host() and bias_
// translate them.
class ElfLoader {
 public:
  ElfLoader(std::span<const uint8_t> file, ElfLayout layout, ElfImage& image)
      : file_(file), layout_(std::move(layout)), image_(image) {}

  absl::Status Run();

 private:
  // A table to which the dynamic section refers.
  struct Table {
    std::optional<uint64_t> address;
    std::optional<uint64_t> size;  // bytes
  };

  absl::Status Map();
  absl::Status ReadDynamic();
  absl::Status CheckDynamicEntry(const DynamicEntry& entry);
  absl::StatusOr<uint64_t> CountSymbols() const;
  absl::StatusOr<uint64_t> CountGnuHashSymbols() const;
  absl::Status ReadSymbols();
  absl::StatusOr<uint64_t> SymbolAddress(uint32_t index) const;
  absl::Status Relocate(const Table& table);
  absl::Status ApplyRelocation(const Rela& relocation);
  absl::Status ReadInitializers();
  absl::Status Protect();
  absl::Status ProtectPages(uint64_t begin, uint64_t end, int rights);

  // Returns the segment whose memory contains a range, or null.
  const ProgramHeader* FindSegment(uint64_t address, uint64_t size) const;
  // Returns loaded bytes. INVALID_ARGUMENT: they are not all in the file's part
  // of one segment.
  absl::StatusOr<std::span<const uint8_t>> View(uint64_t address, uint64_t size,
                                                absl::string_view what) const;
  // Returns a table's bytes, or none if the file does not have the table.
  absl::StatusOr<std::span<const uint8_t>> View(const Table& table,
                                                absl::string_view what) const {
    const uint64_t size = table.size.value_or(0);
    if (size == 0) return std::span<const uint8_t>();
    return View(table.address.value_or(0), size, what);
  }
  uint8_t* Host(uint64_t address) const {
    return reinterpret_cast<uint8_t*>(image_.bias_ + address);
  }

  std::span<const uint8_t> file_;
  ElfLayout layout_;
  ElfImage& image_;
  Table strings_, relocations_, plt_relocations_, initializers_;
  std::optional<uint64_t> symbols_, hash_, gnu_hash_, initializer_;
};

const ProgramHeader* ElfLoader::FindSegment(uint64_t address,
                                            uint64_t size) const {
  for (const ProgramHeader& segment : layout_.segments) {
    if (address >= segment.address &&
        RangeFits(address - segment.address, size, segment.memory_size)) {
      return &segment;
    }
  }
  return nullptr;
}

absl::StatusOr<std::span<const uint8_t>> ElfLoader::View(
    uint64_t address, uint64_t size, absl::string_view what) const {
  const ProgramHeader* segment = FindSegment(address, size);
  if (segment == nullptr ||
      !RangeFits(address - segment->address, size, segment->file_size)) {
    return absl::InvalidArgumentError(
        absl::StrCat("The ELF file's ", what, " (", size, " bytes at address ",
                     address, ") lies in no segment."));
  }
  return std::span<const uint8_t>(Host(address), size);
}

absl::Status ElfLoader::Map() {
  const uint64_t page = PageSize();
  const uint64_t slack = layout_.alignment > page ? layout_.alignment : 0;
  image_.mapping_size_ = layout_.size + slack;
  void* mapping = mmap(nullptr, image_.mapping_size_, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapping == MAP_FAILED) {
    const int error = errno;
    if (error == ENOMEM) {
      return CannotAllocate(image_.mapping_size_, 1, "an executable");
    }
    return absl::InternalError(
        absl::StrCat("The system cannot map ", image_.mapping_size_,
                     " bytes for an executable: ", strerror(error), "."));
  }
  image_.mapping_ = static_cast<uint8_t*>(mapping);
  // Keep the image's offset from a multiple of the alignment.
  uint64_t base = reinterpret_cast<uintptr_t>(mapping);
  if (slack != 0) base += (layout_.begin - base) & (slack - 1);
  image_.bias_ = base - layout_.begin;
  for (const ProgramHeader& segment : layout_.segments) {
    std::memcpy(Host(segment.address), file_.data() + segment.offset,
                segment.file_size);
    const Image::Range range = {
        {Host(segment.address), static_cast<size_t>(segment.memory_size)},
        (segment.flags & elf::kSegmentExecutable) != 0};
    RETURN_IF_ERROR(PushBack(image_.ranges_, range, "ELF segments"));
  }
  return absl::OkStatus();
}

absl::Status ElfLoader::CheckDynamicEntry(const DynamicEntry& entry) {
  switch (entry.tag) {
    case DynamicTag::kNeeded:
      return absl::UnimplementedError(
          "The ELF file needs a system library; embedded executables have "
          "none.");
    case DynamicTag::kRel:
    case DynamicTag::kRelr:
      return absl::UnimplementedError(
          "The ELF file has relocations without addends, which x86-64 does "
          "not use.");
    case DynamicTag::kPltRelocationsType:
      if (entry.value == static_cast<uint64_t>(DynamicTag::kRela)) break;
      return absl::InvalidArgumentError(
          "The ELF file's PLT relocations have no addends.");
    case DynamicTag::kSymbolSize:
      if (entry.value == sizeof(Symbol)) break;
      return absl::InvalidArgumentError(
          absl::StrCat("The ELF file's symbols have ", entry.value,
                       " bytes instead of ", sizeof(Symbol), "."));
    case DynamicTag::kRelaEntrySize:
      if (entry.value == sizeof(Rela)) break;
      return absl::InvalidArgumentError(
          absl::StrCat("The ELF file's relocations have ", entry.value,
                       " bytes instead of ", sizeof(Rela), "."));
    default:
      break;
  }
  return absl::OkStatus();
}

absl::Status ElfLoader::ReadDynamic() {
  ASSIGN_OR_RETURN(const std::span<const uint8_t> table,
                   View(layout_.dynamic->address, layout_.dynamic->memory_size,
                        "dynamic section"));
  const struct {
    DynamicTag tag;
    std::optional<uint64_t>& value;
  } values[] = {
      {DynamicTag::kStrings, strings_.address},
      {DynamicTag::kStringsSize, strings_.size},
      {DynamicTag::kRela, relocations_.address},
      {DynamicTag::kRelaSize, relocations_.size},
      {DynamicTag::kPltRelocations, plt_relocations_.address},
      {DynamicTag::kPltRelocationsSize, plt_relocations_.size},
      {DynamicTag::kInitArray, initializers_.address},
      {DynamicTag::kInitArraySize, initializers_.size},
      {DynamicTag::kSymbols, symbols_},
      {DynamicTag::kHash, hash_},
      {DynamicTag::kGnuHash, gnu_hash_},
      {DynamicTag::kInit, initializer_},
  };
  for (size_t at = 0; table.size() - at >= sizeof(DynamicEntry);
       at += sizeof(DynamicEntry)) {
    const auto entry = LoadLittleEndian<DynamicEntry>(table.data() + at);
    if (entry.tag == DynamicTag::kNull) break;
    RETURN_IF_ERROR(CheckDynamicEntry(entry));
    for (const auto& row : values) {
      if (row.tag == entry.tag) row.value = entry.value;
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<uint64_t> ElfLoader::CountGnuHashSymbols() const {
  struct GnuHash {
    uint32_t bucket_count;
    uint32_t first_symbol;
    uint32_t bloom_count;  // 64-bit words
    uint32_t bloom_shift;
  };
  constexpr absl::string_view kWhat = "symbol hash table";
  ASSIGN_OR_RETURN(std::span<const uint8_t> bytes,
                   View(*gnu_hash_, sizeof(GnuHash), kWhat));
  const auto hash = LoadLittleEndian<GnuHash>(bytes.data());
  // No sum overflows: the address is below 2^47, and counts have 32 bits.
  const uint64_t buckets =
      *gnu_hash_ + sizeof(GnuHash) + uint64_t{hash.bloom_count} * 8;
  const uint64_t chains = buckets + uint64_t{hash.bucket_count} * 4;
  ASSIGN_OR_RETURN(bytes, View(buckets, chains - buckets, kWhat));
  uint32_t last = 0;
  for (size_t at = 0; at < bytes.size(); at += 4) {
    last = std::max(last, LoadLittleEndian<uint32_t>(bytes.data() + at));
  }
  if (last < hash.first_symbol) return hash.first_symbol;
  // The last chain ends at an entry whose lowest bit is set.
  for (uint64_t symbol = last;; ++symbol) {
    ASSIGN_OR_RETURN(bytes,
                     View(chains + (symbol - hash.first_symbol) * 4, 4, kWhat));
    if ((LoadLittleEndian<uint32_t>(bytes.data()) & 1) != 0) return symbol + 1;
  }
}

absl::StatusOr<uint64_t> ElfLoader::CountSymbols() const {
  if (hash_) {
    // The table begins with its bucket count and its chain count. There is one
    // chain entry per symbol.
    ASSIGN_OR_RETURN(const std::span<const uint8_t> bytes,
                     View(*hash_, 8, "symbol hash table"));
    return LoadLittleEndian<uint32_t>(bytes.data() + 4);
  }
  if (gnu_hash_) return CountGnuHashSymbols();
  return absl::InvalidArgumentError("The ELF file has no symbol hash table.");
}

absl::Status ElfLoader::ReadSymbols() {
  if (!symbols_)
    return absl::InvalidArgumentError("The ELF file has no symbol table.");
  ASSIGN_OR_RETURN(const uint64_t count, CountSymbols());
  ASSIGN_OR_RETURN(image_.symbols_,
                   View(*symbols_, count * sizeof(Symbol), "symbol table"));
  ASSIGN_OR_RETURN(image_.strings_, View(strings_, "string table"));
  for (uint64_t i = 1; i < count; ++i) {
    const auto symbol =
        LoadLittleEndian<Symbol>(image_.symbols_.data() + i * sizeof(Symbol));
    if (symbol.section != elf::kUndefinedSection) continue;
    absl::string_view name = "(unnamed)";
    if (symbol.name < image_.strings_.size()) {
      const char* text =
          reinterpret_cast<const char*>(image_.strings_.data()) + symbol.name;
      name = absl::string_view(
          text, strnlen(text, image_.strings_.size() - symbol.name));
    }
    return absl::NotFoundError(
        absl::StrCat("The ELF file imports the symbol '", PlainName(name),
                     "'; embedded executables can import none."));
  }
  return absl::OkStatus();
}

absl::StatusOr<uint64_t> ElfLoader::SymbolAddress(uint32_t index) const {
  if (index >= image_.symbols_.size() / sizeof(Symbol)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "An ELF relocation's symbol (", index, ") is past the last one (",
        image_.symbols_.size() / sizeof(Symbol), " symbols)."));
  }
  const auto symbol = LoadLittleEndian<Symbol>(
      image_.symbols_.data() + uint64_t{index} * sizeof(Symbol));
  return index == 0 ? 0 : symbol.value;
}

absl::Status ElfLoader::ApplyRelocation(const Rela& relocation) {
  uint64_t value = static_cast<uint64_t>(relocation.addend);
  switch (relocation.type()) {
    case RelocationType::kNone:
      return absl::OkStatus();
    case RelocationType::kRelative:
      break;
    case RelocationType::kAbsolute64:
    case RelocationType::kGlobalData:
    case RelocationType::kJumpSlot: {
      ASSIGN_OR_RETURN(const uint64_t symbol,
                       SymbolAddress(relocation.symbol()));
      // Only kAbsolute64 has an addend. It may be negative, so the sum may
      // wrap.
      if (relocation.type() != RelocationType::kAbsolute64) value = 0;
      value += symbol;
      break;
    }
    default:
      return absl::UnimplementedError(absl::StrCat(
          "ELF relocation type ", static_cast<uint32_t>(relocation.type()),
          " is not known for x86-64."));
  }
  if (value < layout_.begin || value - layout_.begin > layout_.size) {
    return absl::InvalidArgumentError(absl::StrCat(
        "An ELF relocation refers to address ", value, ", outside the image (",
        layout_.begin, " to ", layout_.begin + layout_.size, ")."));
  }
  const ProgramHeader* segment = FindSegment(relocation.offset, 8);
  if (segment == nullptr || (segment->flags & elf::kSegmentWritable) == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("An ELF relocation changes address ", relocation.offset,
                     ", which is in no writable segment."));
  }
  const uint64_t address = image_.bias_ + value;
  std::memcpy(Host(relocation.offset), &address, sizeof(address));
  if (!image_.IsCode(address)) return absl::OkStatus();
  return PushBack(image_.code_pointers_, address, "an executable's pointers");
}

absl::Status ElfLoader::Relocate(const Table& table) {
  ASSIGN_OR_RETURN(const std::span<const uint8_t> bytes,
                   View(table, "relocation table"));
  for (size_t at = 0; bytes.size() - at >= sizeof(Rela); at += sizeof(Rela)) {
    // Copy the entry, because a relocation may overwrite the table.
    RETURN_IF_ERROR(ApplyRelocation(LoadLittleEndian<Rela>(bytes.data() + at)));
  }
  return absl::OkStatus();
}

absl::Status ElfLoader::ReadInitializers() {
  std::vector<uint64_t>& functions = image_.initializers_;
  constexpr absl::string_view kWhat = "an executable's initializers";
  if (initializer_) functions.push_back(image_.bias_ + *initializer_);
  ASSIGN_OR_RETURN(const std::span<const uint8_t> bytes,
                   View(initializers_, "initializer table"));
  for (size_t at = 0; bytes.size() - at >= 8; at += 8) {
    const auto address = LoadLittleEndian<uint64_t>(bytes.data() + at);
    if (address == 0 || address == ~uint64_t{0}) continue;
    RETURN_IF_ERROR(PushBack(functions, address, kWhat));
  }
  for (const uint64_t function : functions) {
    if (!image_.IsCode(function)) {
      return absl::InvalidArgumentError(
          "An ELF initializer lies outside the code.");
    }
  }
  return absl::OkStatus();
}

absl::Status ElfLoader::ProtectPages(uint64_t begin, uint64_t end, int rights) {
  if (begin >= end) return absl::OkStatus();
  if (mprotect(Host(begin), end - begin, rights) == 0) return absl::OkStatus();
  const int error = errno;
  return absl::Status(
      error == ENOMEM ? absl::StatusCode::kResourceExhausted
                      : absl::StatusCode::kInternal,
      absl::StrCat("The system cannot change the access rights of ",
                   end - begin, " bytes of an executable: ", strerror(error),
                   "."));
}

absl::Status ElfLoader::Protect() {
  const uint64_t page = PageSize();
  const auto down = [page](uint64_t a) { return a & ~(page - 1); };
  const auto up = [page](uint64_t a) { return (a + page - 1) & ~(page - 1); };
  uint64_t covered = layout_.begin;
  for (const ProgramHeader& segment : layout_.segments) {
    const uint64_t begin = down(segment.address);
    const uint64_t end = up(segment.address + segment.memory_size);
    RETURN_IF_ERROR(ProtectPages(covered, begin, PROT_NONE));
    covered = end;
    if ((segment.flags & elf::kSegmentWritable) == 0) {
      const bool code = (segment.flags & elf::kSegmentExecutable) != 0;
      RETURN_IF_ERROR(
          ProtectPages(begin, end, code ? PROT_READ | PROT_EXEC : PROT_READ));
      continue;
    }
    // Make the part read-only that only relocations had to write.
    if (!layout_.relro || layout_.relro->address < segment.address ||
        layout_.relro->address - segment.address >= segment.memory_size) {
      continue;
    }
    const ProgramHeader& relro = *layout_.relro;
    const uint64_t into = relro.address - segment.address;
    const bool to_end = relro.memory_size >= segment.memory_size - into;
    RETURN_IF_ERROR(ProtectPages(
        into == 0 ? begin : up(relro.address),
        to_end ? end : down(relro.address + relro.memory_size), PROT_READ));
  }
  return absl::OkStatus();
}

absl::Status ElfLoader::Run() {
  RETURN_IF_ERROR(Map());
  RETURN_IF_ERROR(ReadDynamic());
  RETURN_IF_ERROR(ReadSymbols());
  RETURN_IF_ERROR(Relocate(relocations_));
  RETURN_IF_ERROR(Relocate(plt_relocations_));
  RETURN_IF_ERROR(ReadInitializers());
  return Protect();
}

absl::StatusOr<std::unique_ptr<ElfImage>> ElfImage::Load(
    std::span<const uint8_t> file) {
  ASSIGN_OR_RETURN(ElfLayout layout, ReadElfLayout(file));
  std::unique_ptr<ElfImage> image(new ElfImage());
  RETURN_IF_ERROR(ElfLoader(file, std::move(layout), *image).Run());
  return image;
}

ElfImage::~ElfImage() {
  if (mapping_ != nullptr) munmap(mapping_, mapping_size_);
}

absl::StatusOr<Image::Function> ElfImage::FindFunction(
    absl::string_view name) const {
  for (size_t at = sizeof(Symbol); at < symbols_.size(); at += sizeof(Symbol)) {
    const auto symbol = LoadLittleEndian<Symbol>(symbols_.data() + at);
    if (symbol.binding() != elf::kSymbolGlobal &&
        symbol.binding() != elf::kSymbolWeak) {
      continue;
    }
    // The name and its terminating zero must fit into the table.
    if (!RangeFits(symbol.name, name.size() + 1, strings_.size())) continue;
    const uint8_t* text = strings_.data() + symbol.name;
    if (std::memcmp(text, name.data(), name.size()) != 0 ||
        text[name.size()] != 0) {
      continue;
    }
    const uint64_t address = bias_ + symbol.value;
    if (symbol.type() != elf::kSymbolFunction || !IsCode(address)) {
      return absl::InvalidArgumentError(absl::StrCat(
          "The ELF file's symbol '", name, "' is no function in its code."));
    }
    return Function{address, symbol.size};
  }
  return absl::NotFoundError(
      absl::StrCat("The ELF file exports no symbol '", name, "'."));
}

}  // namespace eyrie::hal::cpu
