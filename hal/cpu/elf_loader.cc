// Maps an ELF file's segments, relocates them, and removes write access again.
#include "hal/cpu/elf_loader.h"

#include <elf.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/allocate.h"
#include "base/byte_reader.h"
#include "base/checked_math.h"
#include "base/elf_machine.h"
#include "base/plain_text.h"
#include "base/status_macros.h"
#include "hal/cpu/elf_layout.h"
#include "hal/paid_transfer.h"

namespace eyrie::hal::cpu {
namespace {

uint64_t PageSize() { return static_cast<uint64_t>(sysconf(_SC_PAGESIZE)); }

}  // namespace

// One call of ElfImage::Load. Addresses are the file's; Host() and bias_
// translate them.
class ElfLoader {
 public:
  ElfLoader(std::span<const uint8_t> file, ElfUse use, ElfLayout layout,
            WorkBudget* work, ElfImage& image)
      : file_(file),
        use_(use),
        layout_(std::move(layout)),
        work_(work),
        image_(image) {}

  absl::Status Run();

 private:
  // A table to which the dynamic section refers.
  struct Table {
    std::optional<uint64_t> address;
    std::optional<uint64_t> size;  // bytes
  };

  absl::Status Map();
  absl::Status MapHere();
  absl::Status CopySegments();
  absl::Status ReadDynamic();
  absl::Status CheckDynamicEntry(const Elf64_Dyn& entry);
  absl::StatusOr<uint64_t> CountSymbols() const;
  absl::StatusOr<uint64_t> CountGnuHashSymbols() const;
  absl::Status ReadSymbols();
  absl::StatusOr<uint64_t> SymbolAddress(uint32_t index) const;
  absl::Status Relocate(const Table& table);
  absl::Status ApplyRelocation(const Elf64_Rela& relocation);
  absl::Status ReadInitializers();
  absl::Status Protect();
  absl::Status ProtectPages(uint64_t begin, uint64_t end, int rights);

  // Returns the segment whose memory contains a range, or null.
  const Elf64_Phdr* FindSegment(uint64_t address, uint64_t size) const;
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
  // Lets the processor fetch code that was written as data. Does nothing on
  // machines whose caches need no help.
  void FlushInstructions(uint64_t begin, uint64_t end) const {
    __builtin___clear_cache(reinterpret_cast<char*>(Host(begin)),
                            reinterpret_cast<char*>(Host(end)));
  }
  uint8_t* Host(uint64_t address) const {
    return reinterpret_cast<uint8_t*>(image_.bias_ + address);
  }

  std::string MachineName() const {
    return ElfMachineName(layout_.instruction_set->machine);
  }

  std::span<const uint8_t> file_;
  ElfUse use_;
  ElfLayout layout_;
  WorkBudget* const work_;
  ElfImage& image_;
  Table strings_, relocations_, plt_relocations_, initializers_;
  std::optional<uint64_t> symbols_, hash_, gnu_hash_, initializer_;
};

const Elf64_Phdr* ElfLoader::FindSegment(uint64_t address,
                                         uint64_t size) const {
  for (const Elf64_Phdr& segment : layout_.segments) {
    if (address >= segment.p_vaddr &&
        RangeFits(address - segment.p_vaddr, size, segment.p_memsz)) {
      return &segment;
    }
  }
  return nullptr;
}

absl::StatusOr<std::span<const uint8_t>> ElfLoader::View(
    uint64_t address, uint64_t size, absl::string_view what) const {
  const Elf64_Phdr* segment = FindSegment(address, size);
  if (segment == nullptr ||
      !RangeFits(address - segment->p_vaddr, size, segment->p_filesz)) {
    return absl::InvalidArgumentError(
        absl::StrCat("The ELF file's ", what, " (", size, " bytes at address ",
                     address, ") lies in no segment."));
  }
  return std::span<const uint8_t>(Host(address), size);
}

absl::Status ElfLoader::Map() {
  if (image_.memory_ == nullptr) return MapHere();
  image_.mapping_size_ = layout_.lead() + layout_.size;
  const uint64_t alignment = std::max(layout_.alignment, PageSize());
  ASSIGN_OR_RETURN(
      image_.mapping_,
      image_.memory_->Allocate(image_.mapping_size_, alignment, work_));
  if (image_.mapping_ != nullptr) return absl::OkStatus();
  return CannotAllocate(image_.mapping_size_, 1, "an executable");
}

// The pages for the alignment are not used, so they never exist.
absl::Status ElfLoader::MapHere() {
  const bool is_aligned = layout_.alignment <= PageSize();
  image_.mapping_size_ = layout_.size + (is_aligned ? 0 : layout_.alignment);
  void* mapping = mmap(nullptr, image_.mapping_size_, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (const int error = errno; mapping == MAP_FAILED) {
    if (error == ENOMEM) {
      return CannotAllocate(image_.mapping_size_, 1, "an executable");
    }
    return absl::InternalError(
        absl::StrCat("The system cannot map ", image_.mapping_size_,
                     " bytes for an executable: ", strerror(error), "."));
  }
  image_.mapping_ = static_cast<uint8_t*>(mapping);
  return absl::OkStatus();
}

absl::Status ElfLoader::CopySegments() {
  // Keep the image's offset from a multiple of the alignment.
  uint64_t base = reinterpret_cast<uintptr_t>(image_.mapping_);
  if (layout_.alignment > PageSize()) {
    base += (layout_.begin - base) & (layout_.alignment - 1);
  }
  image_.bias_ = base - layout_.begin;
  for (const Elf64_Phdr& segment : layout_.segments) {
    RETURN_IF_ERROR(CopyPaid(work_, "copy of a segment", Host(segment.p_vaddr),
                             file_.data() + segment.p_offset,
                             segment.p_filesz));
    const Image::Range range = {
        {Host(segment.p_vaddr), static_cast<size_t>(segment.p_memsz)},
        (segment.p_flags & PF_X) != 0};
    RETURN_IF_ERROR(PushBack(image_.ranges_, range, "ELF segments"));
  }
  return absl::OkStatus();
}

absl::Status ElfLoader::CheckDynamicEntry(const Elf64_Dyn& entry) {
  switch (entry.d_tag) {
    case DT_NEEDED:
      return absl::UnimplementedError(
          "The ELF file needs a system library; embedded executables have "
          "none.");
    case DT_REL:
    case DT_RELR:
      return absl::UnimplementedError(
          absl::StrCat("The ELF file has relocations without addends, which ",
                       MachineName(), " does not use."));
    case DT_PLTREL:
      if (entry.d_un.d_val == DT_RELA) break;
      return absl::InvalidArgumentError(
          "The ELF file's PLT relocations have no addends.");
    case DT_SYMENT:
      if (entry.d_un.d_val == sizeof(Elf64_Sym)) break;
      return absl::InvalidArgumentError(
          absl::StrCat("The ELF file's symbols have ", entry.d_un.d_val,
                       " bytes instead of ", sizeof(Elf64_Sym), "."));
    case DT_RELAENT:
      if (entry.d_un.d_val == sizeof(Elf64_Rela)) break;
      return absl::InvalidArgumentError(
          absl::StrCat("The ELF file's relocations have ", entry.d_un.d_val,
                       " bytes instead of ", sizeof(Elf64_Rela), "."));
    default:
      break;
  }
  return absl::OkStatus();
}

absl::Status ElfLoader::ReadDynamic() {
  ASSIGN_OR_RETURN(const std::span<const uint8_t> table,
                   View(layout_.dynamic->p_vaddr, layout_.dynamic->p_memsz,
                        "dynamic section"));
  const struct {
    Elf64_Sxword tag;
    std::optional<uint64_t>& value;
  } values[] = {
      {DT_STRTAB, strings_.address},
      {DT_STRSZ, strings_.size},
      {DT_RELA, relocations_.address},
      {DT_RELASZ, relocations_.size},
      {DT_JMPREL, plt_relocations_.address},
      {DT_PLTRELSZ, plt_relocations_.size},
      {DT_INIT_ARRAY, initializers_.address},
      {DT_INIT_ARRAYSZ, initializers_.size},
      {DT_SYMTAB, symbols_},
      {DT_HASH, hash_},
      {DT_GNU_HASH, gnu_hash_},
      {DT_INIT, initializer_},
  };
  for (size_t at = 0; table.size() - at >= sizeof(Elf64_Dyn);
       at += sizeof(Elf64_Dyn)) {
    const auto entry = LoadLittleEndian<Elf64_Dyn>(table.data() + at);
    if (entry.d_tag == DT_NULL) break;
    RETURN_IF_ERROR(CheckDynamicEntry(entry));
    for (const auto& row : values) {
      if (row.tag == entry.d_tag) row.value = entry.d_un.d_val;
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
                   View(*symbols_, count * sizeof(Elf64_Sym), "symbol table"));
  ASSIGN_OR_RETURN(image_.strings_, View(strings_, "string table"));
  for (uint64_t i = 1; i < count; ++i) {
    const auto symbol = LoadLittleEndian<Elf64_Sym>(image_.symbols_.data() +
                                                    i * sizeof(Elf64_Sym));
    if (symbol.st_shndx != SHN_UNDEF) continue;
    absl::string_view name = "(unnamed)";
    if (symbol.st_name < image_.strings_.size()) {
      const char* text = reinterpret_cast<const char*>(image_.strings_.data()) +
                         symbol.st_name;
      name = absl::string_view(
          text, strnlen(text, image_.strings_.size() - symbol.st_name));
    }
    return absl::NotFoundError(
        absl::StrCat("The ELF file imports the symbol '", PlainName(name),
                     "'; embedded executables can import none."));
  }
  return absl::OkStatus();
}

absl::StatusOr<uint64_t> ElfLoader::SymbolAddress(uint32_t index) const {
  if (index >= image_.symbols_.size() / sizeof(Elf64_Sym)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "An ELF relocation's symbol (", index, ") is past the last one (",
        image_.symbols_.size() / sizeof(Elf64_Sym), " symbols)."));
  }
  const auto symbol = LoadLittleEndian<Elf64_Sym>(
      image_.symbols_.data() + uint64_t{index} * sizeof(Elf64_Sym));
  return index == 0 ? 0 : symbol.st_value;
}

absl::Status ElfLoader::ApplyRelocation(const Elf64_Rela& relocation) {
  const auto type = static_cast<uint32_t>(ELF64_R_TYPE(relocation.r_info));
  const auto kind = layout_.instruction_set->relocation(type);
  if (!kind.has_value()) {
    return absl::UnimplementedError(absl::StrCat("ELF relocation type ", type,
                                                 " is not known for ",
                                                 MachineName(), "."));
  }
  if (*kind == RelocationKind::kNone) return absl::OkStatus();
  // The addend may be negative, so the sum may wrap.
  uint64_t value = *kind == RelocationKind::kSymbol
                       ? 0
                       : static_cast<uint64_t>(relocation.r_addend);
  if (*kind != RelocationKind::kAddend) {
    ASSIGN_OR_RETURN(const uint64_t symbol,
                     SymbolAddress(ELF64_R_SYM(relocation.r_info)));
    value += symbol;
  }
  if (value < layout_.begin || value - layout_.begin > layout_.size) {
    return absl::InvalidArgumentError(absl::StrCat(
        "An ELF relocation refers to address ", value, ", outside the image (",
        layout_.begin, " to ", layout_.begin + layout_.size, ")."));
  }
  const Elf64_Phdr* segment = FindSegment(relocation.r_offset, 8);
  if (segment == nullptr || (segment->p_flags & PF_W) == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("An ELF relocation changes address ", relocation.r_offset,
                     ", which is in no writable segment."));
  }
  const uint64_t address = image_.bias_ + value;
  std::memcpy(Host(relocation.r_offset), &address, sizeof(address));
  if (!image_.IsCode(address)) return absl::OkStatus();
  return PushBack(image_.code_pointers_, address, "an executable's pointers");
}

absl::Status ElfLoader::Relocate(const Table& table) {
  ASSIGN_OR_RETURN(const std::span<const uint8_t> bytes,
                   View(table, "relocation table"));
  for (size_t at = 0; bytes.size() - at >= sizeof(Elf64_Rela);
       at += sizeof(Elf64_Rela)) {
    // Copy the entry, because a relocation may overwrite the table.
    RETURN_IF_ERROR(
        ApplyRelocation(LoadLittleEndian<Elf64_Rela>(bytes.data() + at)));
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
  if (use_ == ElfUse::kRead) {
    return ProtectPages(down(layout_.begin), up(layout_.begin + layout_.size),
                        PROT_READ);
  }
  uint64_t covered = layout_.begin;
  for (const Elf64_Phdr& segment : layout_.segments) {
    const uint64_t begin = down(segment.p_vaddr);
    const uint64_t end = up(segment.p_vaddr + segment.p_memsz);
    RETURN_IF_ERROR(ProtectPages(covered, begin, PROT_NONE));
    covered = end;
    if ((segment.p_flags & PF_W) == 0) {
      const bool code = (segment.p_flags & PF_X) != 0;
      if (code) FlushInstructions(begin, end);
      RETURN_IF_ERROR(
          ProtectPages(begin, end, code ? PROT_READ | PROT_EXEC : PROT_READ));
      continue;
    }
    // Make the part read-only that only relocations had to write.
    if (!layout_.relro || layout_.relro->p_vaddr < segment.p_vaddr ||
        layout_.relro->p_vaddr - segment.p_vaddr >= segment.p_memsz) {
      continue;
    }
    const Elf64_Phdr& relro = *layout_.relro;
    const uint64_t into = relro.p_vaddr - segment.p_vaddr;
    const bool to_end = relro.p_memsz >= segment.p_memsz - into;
    RETURN_IF_ERROR(ProtectPages(
        into == 0 ? begin : up(relro.p_vaddr),
        to_end ? end : down(relro.p_vaddr + relro.p_memsz), PROT_READ));
  }
  return absl::OkStatus();
}

absl::Status ElfLoader::Run() {
  image_.for_worker_ = CheckForWorker(layout_, file_.size());
  if (image_.memory_ != nullptr) RETURN_IF_ERROR(image_.for_worker_);
  RETURN_IF_ERROR(Map());
  RETURN_IF_ERROR(CopySegments());
  RETURN_IF_ERROR(ReadDynamic());
  RETURN_IF_ERROR(ReadSymbols());
  RETURN_IF_ERROR(Relocate(relocations_));
  RETURN_IF_ERROR(Relocate(plt_relocations_));
  RETURN_IF_ERROR(ReadInitializers());
  return image_.memory_ != nullptr ? absl::OkStatus() : Protect();
}

absl::StatusOr<std::unique_ptr<ElfImage>> ElfImage::Load(
    std::span<const uint8_t> file, ElfUse use,
    std::shared_ptr<ImageMemory> memory, const ImageCost& cost) {
  ASSIGN_OR_RETURN(ElfLayout layout, ReadElfLayout(file, use));
  std::unique_ptr<ElfImage> image(new ElfImage());
  image->memory_ = std::move(memory);
  image->instruction_set_ = layout.instruction_set;
  // Zeros exist in a worker, and where a relocation writes.
  const uint64_t bytes = layout.lead() + layout.size;
  ASSIGN_OR_RETURN(
      image->charge_,
      MemoryCharge::Take(cost.memory,
                         bytes - std::min<uint64_t>(bytes, file.size()),
                         "an executable's image"));
  RETURN_IF_ERROR(
      ElfLoader(file, use, std::move(layout), cost.work, *image).Run());
  return image;
}

ElfImage::~ElfImage() {
  if (mapping_ == nullptr) return;
  if (memory_ != nullptr) {
    memory_->Free(mapping_, mapping_size_);
  } else {
    munmap(mapping_, mapping_size_);
  }
}

absl::StatusOr<Image::Function> ElfImage::FindFunction(
    absl::string_view name) const {
  for (size_t at = sizeof(Elf64_Sym); at < symbols_.size();
       at += sizeof(Elf64_Sym)) {
    const auto symbol = LoadLittleEndian<Elf64_Sym>(symbols_.data() + at);
    if (ELF64_ST_BIND(symbol.st_info) != STB_GLOBAL &&
        ELF64_ST_BIND(symbol.st_info) != STB_WEAK) {
      continue;
    }
    // The name and its terminating zero must fit into the table.
    if (!RangeFits(symbol.st_name, name.size() + 1, strings_.size())) continue;
    const uint8_t* text = strings_.data() + symbol.st_name;
    if (std::memcmp(text, name.data(), name.size()) != 0 ||
        text[name.size()] != 0) {
      continue;
    }
    const uint64_t address = bias_ + symbol.st_value;
    if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || !IsCode(address)) {
      return absl::InvalidArgumentError(absl::StrCat(
          "The ELF file's symbol '", name, "' is not a function in its code."));
    }
    return Function{address, symbol.st_size};
  }
  return absl::NotFoundError(
      absl::StrCat("The ELF file exports no symbol '", name, "'."));
}

}  // namespace eyrie::hal::cpu
