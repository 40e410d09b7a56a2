// Appends two segments: new tables with relocations, and a query function that
// returns them. The old ones stay in the file, but nothing refers to them, and
// the old header has version 0, which does not exist.
#include "hal/cpu/library_rewrite.h"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/byte_reader.h"
#include "base/checked_math.h"
#include "base/status_macros.h"
#include "hal/cpu/dispatch_abi.h"
#include "hal/cpu/elf_layout.h"
#include "hal/cpu/elf_loader.h"
#include "hal/cpu/library.h"
#include "hal/cpu/library_facts.h"
#include "hal/cpu/machine/instruction_set.h"
#include "hal/executable.h"

namespace eyrie::hal::cpu {
namespace {

constexpr uint64_t kTableAlignment = 16;
// The first library version that declares what kernels take.
constexpr uint32_t kFirstWithCounts = 5;

// Bytes that will be at a known address, and the places in them that hold
// addresses.
class Segment {
 public:
  Segment(const InstructionSet& set, uint64_t address)
      : set_(set), address_(address) {}

  uint64_t end() const { return address_ + bytes_.size(); }
  const std::vector<uint8_t>& bytes() const { return bytes_; }
  const std::vector<Elf64_Rela>& relocations() const { return relocations_; }

  // Appends aligned values and returns the address of the first.
  template <typename T>
  uint64_t AddArray(const std::vector<T>& values) {
    bytes_.resize(AlignUp(bytes_.size(), kTableAlignment));
    const uint64_t address = end();
    const auto* const from = reinterpret_cast<const uint8_t*>(values.data());
    bytes_.insert(bytes_.end(), from, from + values.size() * sizeof(T));
    return address;
  }
  uint64_t AddText(absl::string_view text) {
    const uint64_t address = end();
    bytes_.insert(bytes_.end(), text.begin(), text.end());
    bytes_.push_back(0);
    return address;
  }
  // Appends a table of addresses.
  uint64_t AddTable(const std::vector<uint64_t>& table) {
    const uint64_t address = AddArray(table);
    for (size_t i = 0; i < table.size(); ++i) {
      Point(address + i * sizeof(uint64_t), table[i]);
    }
    return address;
  }
  // Makes the eight bytes at `place` hold an address of the image.
  void Point(uint64_t place, uint64_t address) {
    std::memcpy(bytes_.data() + (place - address_), &address, sizeof(address));
    relocations_.push_back({place, ELF64_R_INFO(0, set_.relative_relocation),
                            static_cast<Elf64_Sxword>(address)});
  }

 private:
  const InstructionSet& set_;
  const uint64_t address_;
  std::vector<uint8_t> bytes_;
  std::vector<Elf64_Rela> relocations_;
};

template <typename Attributes>
Attributes AttributesOf(const LibraryExport& from) {
  Attributes to = {};
  to.local_memory_pages =
      static_cast<uint16_t>(from.local_memory_size / kLocalMemoryPageSize);
  if constexpr (!std::is_same_v<Attributes, DispatchAttributesV3>) {
    to.constant_count = static_cast<uint8_t>(from.constant_count);
    to.binding_count = static_cast<uint8_t>(from.binding_count);
  }
  if constexpr (std::is_same_v<Attributes, DispatchAttributesV6>) {
    to.workgroup_size_x = from.workgroup_size[0];
    to.workgroup_size_y = from.workgroup_size[1];
    to.workgroup_size_z = static_cast<uint16_t>(from.workgroup_size[2]);
  }
  return to;
}

// The addresses of the parts of a library.
struct Parts {
  uint64_t header;
  uint64_t imports;
  uint64_t functions;
  uint64_t names;
};

Parts AddParts(const Library& library, uint64_t bias, uint32_t version,
               Segment& data) {
  Parts parts = {};
  std::vector<uint64_t> functions;
  std::vector<uint64_t> names;
  for (size_t i = 0; i < library.exports.size(); ++i) {
    const LibraryExport& entry = library.exports[i];
    functions.push_back(reinterpret_cast<uintptr_t>(entry.function) - bias);
    names.push_back(data.AddText(entry.name.empty() ? absl::StrCat("kernel_", i)
                                                    : entry.name));
  }
  std::vector<uint64_t> imports;
  for (const absl::string_view name : library.imports) {
    imports.push_back(data.AddText(name));
  }
  const uint64_t name = data.AddText(library.name);
  LibraryHeader header = {};
  header.version = version;
  parts.header = data.AddArray(std::vector{header});
  data.Point(parts.header + offsetof(LibraryHeader, name), name);
  parts.functions = data.AddTable(functions);
  parts.names = data.AddTable(names);
  if (!imports.empty()) parts.imports = data.AddTable(imports);
  return parts;
}

template <typename Tables, typename Attributes>
uint64_t AddTables(const Library& library, const Parts& parts, Segment& data) {
  std::vector<Attributes> rows;
  for (const LibraryExport& entry : library.exports) {
    rows.push_back(AttributesOf<Attributes>(entry));
  }
  const uint64_t attributes = data.AddArray(rows);
  Tables tables = {};
  tables.imports.count = static_cast<uint32_t>(library.imports.size());
  tables.exports.count = static_cast<uint32_t>(library.exports.size());
  tables.constants.count = library.constant_count;
  const uint64_t at = data.AddArray(std::vector{tables});
  using Exports = decltype(tables.exports);
  const uint64_t exports = at + offsetof(Tables, exports);
  data.Point(at + offsetof(Tables, header), parts.header);
  if (parts.imports != 0) {
    data.Point(at + offsetof(Tables, imports) + offsetof(ImportTable, symbols),
               parts.imports);
  }
  data.Point(exports + offsetof(Exports, functions), parts.functions);
  data.Point(exports + offsetof(Exports, attributes), attributes);
  data.Point(exports + offsetof(Exports, names), parts.names);
  return at;
}

// Returns the address of the library's tables.
uint64_t AddLibrary(const Library& library, uint64_t bias, uint32_t version,
                    Segment& data) {
  const Parts parts = AddParts(library, bias, version, data);
  switch (version) {
    case 3:
      return AddTables<LibraryV3, DispatchAttributesV3>(library, parts, data);
    case 4:
      return AddTables<LibraryV4, DispatchAttributesV3>(library, parts, data);
    case 5:
      return AddTables<LibraryV5, DispatchAttributesV5>(library, parts, data);
    default:
      return AddTables<LibraryV6, DispatchAttributesV6>(library, parts, data);
  }
}

// Writes the new file.
class Writer {
 public:
  Writer(std::span<const uint8_t> file, const ElfLayout& layout)
      : file_(file.begin(), file.end()),
        layout_(layout),
        set_(*layout.instruction_set) {}

  absl::StatusOr<std::vector<uint8_t>> Write(const Library& library,
                                             uint64_t bias, uint32_t version);

 private:
  template <typename T>
  T At(uint64_t offset) const {
    return LoadLittleEndian<T>(file_.data() + offset);
  }
  template <typename T>
  void Set(uint64_t offset, const T& value) {
    std::memcpy(file_.data() + offset, &value, sizeof(T));
  }
  // Returns the offset in the file of bytes at an address of the image.
  absl::StatusOr<uint64_t> OffsetOf(uint64_t address, uint64_t size) const;
  // Returns the value of a dynamic tag. INVALID_ARGUMENT: there is none.
  absl::StatusOr<uint64_t> Dynamic(Elf64_Sxword tag) const;
  void SetDynamic(Elf64_Sxword tag, uint64_t value);
  // Appends the old relocations to those of the new tables.
  absl::Status AddRelocations(Segment& data);
  absl::Status SetQuery(uint64_t address, uint64_t size);
  // Appends bytes that are loaded at this address.
  void AddSegment(uint64_t address, uint32_t flags,
                  const std::vector<uint8_t>& bytes);
  void AddHeaders();

  // Returns the beginning of the next page.
  uint64_t PageAfter(uint64_t end) const {
    return AlignUp(end, set_.largest_page);
  }

  std::vector<uint8_t> file_;
  const ElfLayout& layout_;
  const InstructionSet& set_;
  uint64_t dynamic_ = 0;  // the offset of the dynamic section in the file
  std::vector<Elf64_Phdr> added_;
};

absl::StatusOr<uint64_t> Writer::OffsetOf(uint64_t address,
                                          uint64_t size) const {
  for (const Elf64_Phdr& segment : layout_.segments) {
    if (address >= segment.p_vaddr &&
        RangeFits(address - segment.p_vaddr, size, segment.p_filesz)) {
      return segment.p_offset + (address - segment.p_vaddr);
    }
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "The ELF file has no ", size, " bytes at address ", address, "."));
}

absl::StatusOr<uint64_t> Writer::Dynamic(Elf64_Sxword tag) const {
  for (uint64_t at = 0; at + sizeof(Elf64_Dyn) <= layout_.dynamic->p_filesz;
       at += sizeof(Elf64_Dyn)) {
    const auto entry = At<Elf64_Dyn>(dynamic_ + at);
    if (entry.d_tag == DT_NULL) break;
    if (entry.d_tag == tag) return entry.d_un.d_val;
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "The ELF file's dynamic section has no entry with the tag ", tag, "."));
}

void Writer::SetDynamic(Elf64_Sxword tag, uint64_t value) {
  for (uint64_t at = 0; at + sizeof(Elf64_Dyn) <= layout_.dynamic->p_filesz;
       at += sizeof(Elf64_Dyn)) {
    auto entry = At<Elf64_Dyn>(dynamic_ + at);
    if (entry.d_tag == DT_NULL) break;
    if (entry.d_tag != tag) continue;
    entry.d_un.d_val = value;
    Set(dynamic_ + at, entry);
  }
}

absl::Status Writer::AddRelocations(Segment& data) {
  ASSIGN_OR_RETURN(const uint64_t old_table, Dynamic(DT_RELA));
  ASSIGN_OR_RETURN(const uint64_t old_size, Dynamic(DT_RELASZ));
  ASSIGN_OR_RETURN(const uint64_t old_offset, OffsetOf(old_table, old_size));
  std::vector<Elf64_Rela> all;
  for (uint64_t at = 0; at + sizeof(Elf64_Rela) <= old_size;
       at += sizeof(Elf64_Rela)) {
    all.push_back(At<Elf64_Rela>(old_offset + at));
  }
  const auto& added = data.relocations();
  all.insert(all.end(), added.begin(), added.end());
  SetDynamic(DT_RELA, data.AddArray(all));
  SetDynamic(DT_RELASZ, all.size() * sizeof(Elf64_Rela));
  return absl::OkStatus();
}

absl::Status Writer::SetQuery(uint64_t address, uint64_t size) {
  ASSIGN_OR_RETURN(const uint64_t symbols, Dynamic(DT_SYMTAB));
  ASSIGN_OR_RETURN(const uint64_t strings, Dynamic(DT_STRTAB));
  ASSIGN_OR_RETURN(const uint64_t hash, Dynamic(DT_HASH));
  ASSIGN_OR_RETURN(const uint64_t counts,
                   OffsetOf(hash, 2 * sizeof(Elf64_Word)));
  const auto count = At<Elf64_Word>(counts + sizeof(Elf64_Word));
  constexpr absl::string_view kName(kLibraryQuerySymbol,
                                    sizeof(kLibraryQuerySymbol));
  for (uint64_t i = 0; i < count; ++i) {
    ASSIGN_OR_RETURN(
        const uint64_t at,
        OffsetOf(symbols + i * sizeof(Elf64_Sym), sizeof(Elf64_Sym)));
    auto symbol = At<Elf64_Sym>(at);
    const auto name = OffsetOf(strings + symbol.st_name, kName.size());
    if (!name.ok() ||
        std::memcmp(file_.data() + *name, kName.data(), kName.size()) != 0) {
      continue;
    }
    symbol.st_value = address;
    symbol.st_size = size;
    Set(at, symbol);
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "The executable exports no function '", kLibraryQuerySymbol, "'."));
}

void Writer::AddSegment(uint64_t address, uint32_t flags,
                        const std::vector<uint8_t>& bytes) {
  file_.resize(PageAfter(file_.size()));
  Elf64_Phdr segment = {};
  segment.p_type = PT_LOAD;
  segment.p_flags = flags;
  segment.p_offset = file_.size();
  segment.p_vaddr = segment.p_paddr = address;
  segment.p_filesz = segment.p_memsz = bytes.size();
  segment.p_align = set_.largest_page;
  added_.push_back(segment);
  file_.insert(file_.end(), bytes.begin(), bytes.end());
}

void Writer::AddHeaders() {
  auto header = At<Elf64_Ehdr>(0);
  std::vector<Elf64_Phdr> all;
  for (uint32_t i = 0; i < header.e_phnum; ++i) {
    const auto segment =
        At<Elf64_Phdr>(header.e_phoff + uint64_t{i} * sizeof(Elf64_Phdr));
    // The table leaves the segment that it was in.
    if (segment.p_type != PT_PHDR) all.push_back(segment);
  }
  const auto after_last = std::find_if(
      all.rbegin(), all.rend(),
      [](const Elf64_Phdr& segment) { return segment.p_type == PT_LOAD; });
  all.insert(after_last.base(), added_.begin(), added_.end());
  file_.resize(AlignUp(file_.size(), kTableAlignment));
  header.e_phoff = file_.size();
  header.e_phnum = static_cast<Elf64_Half>(all.size());
  Set(0, header);
  const auto* const from = reinterpret_cast<const uint8_t*>(all.data());
  file_.insert(file_.end(), from, from + all.size() * sizeof(Elf64_Phdr));
}

absl::StatusOr<std::vector<uint8_t>> Writer::Write(const Library& library,
                                                   uint64_t bias,
                                                   uint32_t version) {
  ASSIGN_OR_RETURN(
      dynamic_, OffsetOf(layout_.dynamic->p_vaddr, layout_.dynamic->p_filesz));
  ASSIGN_OR_RETURN(const uint64_t old_header,
                   OffsetOf(reinterpret_cast<uintptr_t>(library.header) - bias,
                            sizeof(LibraryHeader)));
  Set(old_header + offsetof(LibraryHeader, version), uint32_t{0});
  const uint64_t begin = PageAfter(layout_.begin + layout_.size);
  Segment data(set_, begin);
  const uint64_t tables = AddLibrary(library, bias, version, data);
  RETURN_IF_ERROR(AddRelocations(data));
  const uint64_t code_begin = PageAfter(data.end());
  const std::vector<uint8_t> code =
      set_.query_code(code_begin, tables, version);
  RETURN_IF_ERROR(SetQuery(code_begin, code.size()));
  AddSegment(begin, PF_R | PF_W, data.bytes());
  AddSegment(code_begin, PF_R | PF_X, code);
  AddHeaders();
  return std::move(file_);
}

// Sets the counts of the kernels that do not declare them.
absl::Status AddCounts(uint32_t version,
                       std::span<const std::optional<KernelCounts>> counts,
                       Library& library) {
  for (size_t i = 0; i < library.exports.size(); ++i) {
    LibraryExport& entry = library.exports[i];
    if (ExportInfo::Declared(entry.constant_count)) continue;
    if (i >= counts.size() || !counts[i].has_value()) {
      return absl::UnimplementedError(absl::StrCat(
          "Library version ", version,
          " declares the numbers of constants and bindings of each kernel, and "
          "those of kernel ",
          i,
          " are unknown, or differ between its "
          "dispatches."));
    }
    const KernelCounts& known = *counts[i];
    if (known.constants > kMaxDispatchConstants ||
        known.bindings > kMaxDispatchBindings) {
      return absl::InvalidArgumentError(absl::StrCat(
          "Kernel ", i, " takes ", known.constants, " constants and ",
          known.bindings, " bindings; the limits are ", kMaxDispatchConstants,
          " and ", kMaxDispatchBindings, "."));
    }
    entry.constant_count = known.constants;
    entry.binding_count = known.bindings;
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<uint8_t>> RewriteLibrary(
    std::span<const uint8_t> file, uint32_t version,
    std::span<const std::optional<KernelCounts>> counts, bool needs_names) {
  ASSIGN_OR_RETURN(const std::unique_ptr<ElfImage> image,
                   ElfImage::Load(file, ElfUse::kRead));
  std::optional<Library> library = FindLibrary(*image);
  if (!library.has_value()) {
    return absl::InvalidArgumentError("The executable has no library tables.");
  }
  const bool has_names = absl::c_none_of(
      library->exports,
      [](const LibraryExport& entry) { return entry.name.empty(); });
  if (library->version == version && (has_names || !needs_names)) {
    return std::vector<uint8_t>(file.begin(), file.end());
  }
  if (version >= kFirstWithCounts) {
    RETURN_IF_ERROR(AddCounts(version, counts, *library));
  }
  ASSIGN_OR_RETURN(const ElfLayout layout, ReadElfLayout(file, ElfUse::kRead));
  return Writer(file, layout).Write(*library, image->bias(), version);
}

}  // namespace eyrie::hal::cpu
