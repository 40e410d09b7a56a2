// Reads all versions of the library tables through the same code.
#include "hal/cpu/library.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <type_traits>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/allocate.h"
#include "base/file_growth.h"
#include "base/status_macros.h"
#include "hal/executable.h"

namespace eyrie::hal::cpu {
namespace {

// Compilers create no longer tables. A larger count is damaged.
constexpr uint32_t kMaxTableEntries = 65536;

absl::Status CheckCount(uint32_t count, absl::string_view what) {
  if (count <= kMaxTableEntries) return absl::OkStatus();
  return absl::ResourceExhaustedError(absl::StrCat("The executable has ", count,
                                                   " ", what, "; the limit is ",
                                                   kMaxTableEntries, "."));
}

absl::StatusOr<absl::string_view> ReadHeader(const Image& image,
                                             uint32_t version,
                                             const LibraryHeader* pointer) {
  ASSIGN_OR_RETURN(const LibraryHeader header,
                   image.Read<LibraryHeader>(pointer, "library header"));
  if (header.version != version) {
    return absl::InvalidArgumentError(
        absl::StrCat("The executable answers for library version ", version,
                     " with version ", header.version, "."));
  }
  if (header.features != 0) {
    return absl::UnimplementedError(
        absl::StrCat("The executable needs library features ",
                     absl::Hex(header.features), "h; none are known."));
  }
  if (header.sanitizer != 0) {
    const size_t known = std::size(kSanitizerNames);
    return absl::UnimplementedError(absl::StrCat(
        "The executable is compiled with sanitizer ",
        header.sanitizer < known ? kSanitizerNames[header.sanitizer]
                                 : absl::StrCat(header.sanitizer),
        ", which has no counterpart here."));
  }
  return image.ReadString(header.name, "library name");
}

// Limits the total length of names, because many entries may point to one long
// name, which is read each time.
DecodingBudget BudgetOf(const Image& image) {
  uint64_t bytes = 0;
  for (const Image::Range& range : image.ranges()) bytes += range.bytes.size();
  return DecodingBudget(bytes);
}

absl::StatusOr<absl::string_view> ReadName(const Image& image, const char* name,
                                           absl::string_view what,
                                           DecodingBudget& budget) {
  ASSIGN_OR_RETURN(const absl::string_view text, image.ReadString(name, what));
  RETURN_IF_ERROR(budget.TakeBytes(text.size(), "The executable's tables"));
  return text;
}

absl::Status ReadImports(const Image& image, const ImportTable& table,
                         DecodingBudget& budget,
                         std::vector<absl::string_view>& imports) {
  RETURN_IF_ERROR(CheckCount(table.count, "imports"));
  for (uint32_t i = 0; i < table.count; ++i) {
    ASSIGN_OR_RETURN(
        const char* name,
        image.ReadElement(table.symbols, i, "table of import names"));
    ASSIGN_OR_RETURN(absl::string_view text,
                     ReadName(image, name, "import name", budget));
    RETURN_IF_ERROR(PushBack(imports, text, "an executable's imports"));
  }
  return absl::OkStatus();
}

// Copies the counts and the workgroup size. An unknown size becomes 1: version
// 6 has the only one, which is 0 if unknown.
void ReadCounts(const DispatchAttributesV3&, LibraryExport& entry) {
  entry.constant_count = ExportInfo::kUndeclared;
  entry.binding_count = ExportInfo::kUndeclared;
  std::fill_n(entry.workgroup_size, 3, 1);
}
void ReadCounts(const DispatchAttributesV5& from, LibraryExport& entry) {
  entry.constant_count = from.constant_count;
  entry.binding_count = from.binding_count;
  std::fill_n(entry.workgroup_size, 3, 1);
}
void ReadCounts(const DispatchAttributesV6& from, LibraryExport& entry) {
  entry.constant_count = from.constant_count;
  entry.binding_count = from.binding_count;
  entry.workgroup_size[0] = std::max<uint32_t>(1, from.workgroup_size_x);
  entry.workgroup_size[1] = std::max<uint32_t>(1, from.workgroup_size_y);
  entry.workgroup_size[2] = std::max<uint32_t>(1, from.workgroup_size_z);
}

template <typename Attributes>
absl::Status ReadAttributes(const Image& image, const Attributes* table,
                            uint32_t ordinal, LibraryExport& entry) {
  Attributes attributes = {};
  // Before version 6, a null table means that all attributes are 0.
  if (table != nullptr || std::is_same_v<Attributes, DispatchAttributesV6>) {
    ASSIGN_OR_RETURN(attributes,
                     image.ReadElement(table, ordinal, "table of attributes"));
  }
  entry.local_memory_size = static_cast<uint32_t>(
      attributes.local_memory_pages * kLocalMemoryPageSize);
  ReadCounts(attributes, entry);
  if (!ExportInfo::Declared(entry.constant_count)) return absl::OkStatus();
  if (entry.constant_count > kMaxDispatchConstants ||
      entry.binding_count > kMaxDispatchBindings) {
    return absl::InvalidArgumentError(absl::StrCat(
        "The executable's export ", ordinal, " takes ", entry.constant_count,
        " constants and ", entry.binding_count, " bindings; the limits are ",
        kMaxDispatchConstants, " and ", kMaxDispatchBindings, "."));
  }
  return absl::OkStatus();
}

template <typename Table>
absl::Status ReadExports(const Image& image, const Table& table,
                         DecodingBudget& budget,
                         std::vector<LibraryExport>& exports) {
  RETURN_IF_ERROR(CheckCount(table.count, "exports"));
  for (uint32_t i = 0; i < table.count; ++i) {
    LibraryExport entry = {};
    ASSIGN_OR_RETURN(entry.function, image.ReadElement(table.functions, i,
                                                       "table of functions"));
    if (!image.IsCode(reinterpret_cast<uintptr_t>(entry.function))) {
      return absl::InvalidArgumentError(absl::StrCat(
          "The executable's export ", i, " lies outside its code."));
    }
    RETURN_IF_ERROR(ReadAttributes(image, table.attributes, i, entry));
    if (table.names != nullptr) {
      ASSIGN_OR_RETURN(
          const char* name,
          image.ReadElement(table.names, i, "table of export names"));
      ASSIGN_OR_RETURN(entry.name,
                       ReadName(image, name, "export name", budget));
    }
    RETURN_IF_ERROR(PushBack(exports, entry, "an executable's functions"));
  }
  return absl::OkStatus();
}

template <typename LibraryTables>
absl::Status ReadTables(const Image& image, const void* answer,
                        Library& library) {
  ASSIGN_OR_RETURN(const LibraryTables tables,
                   image.Read<LibraryTables>(answer, "library"));
  library.constant_count = tables.constants.count;
  DecodingBudget budget = BudgetOf(image);
  RETURN_IF_ERROR(ReadImports(image, tables.imports, budget, library.imports));
  return ReadExports(image, tables.exports, budget, library.exports);
}

}  // namespace

absl::StatusOr<Library> ReadLibrary(const Image& image, uint32_t version,
                                    const LibraryHeader* const* answer) {
  Library library = {};
  library.version = version;
  ASSIGN_OR_RETURN(library.header,
                   image.Read<const LibraryHeader*>(answer, "library"));
  ASSIGN_OR_RETURN(library.name, ReadHeader(image, version, library.header));
  using Reader = absl::Status (*)(const Image&, const void*, Library&);
  constexpr Reader kReaders[] = {ReadTables<LibraryV3>, ReadTables<LibraryV4>,
                                 ReadTables<LibraryV5>, ReadTables<LibraryV6>};
  static_assert(std::size(kReaders) ==
                kNewestLibraryVersion - kOldestLibraryVersion + 1);
  RETURN_IF_ERROR(
      kReaders[version - kOldestLibraryVersion](image, answer, library));
  return library;
}

}  // namespace eyrie::hal::cpu
