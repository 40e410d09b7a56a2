// An ELF file of three segments: symbols, code, and the tables of a library.
#include "hal/cpu/isolate/testing/hostile_library.h"

#include <elf.h>

#include <cstddef>
#include <cstring>
#include <string>

#include "hal/cpu/dispatch_abi.h"
#include "hal/cpu/isolate/protocol.h"
#include "hal/cpu/machine/instruction_set.h"

namespace eyrie::hal::cpu::isolate {
namespace {

// Addresses in the file and in the image, which are the same.
constexpr uint64_t kSymbols = 0x200, kHash = 0x280, kStrings = 0x300,
                   kRelocations = 0x400, kSymbolsEnd = 0x800, kCode = kPage,
                   kTables = 2 * kPage, kHeader = kTables + 0x100,
                   kFunctions = kTables + 0x180, kAttributes = kTables + 0x200,
                   kNames = kTables + 0x280, kDynamic = kTables + 0x300,
                   kEnd = kTables + 0x400;
constexpr uint32_t kVersion6 = 6;

// Returns the code of a kernel and of a query function.
Code Join(const Code& kernel, const Code& query, uint64_t& query_at) {
  Code code = kernel;
  // The scan of code follows what precedes a function.
  do {
    code.insert(code.end(), kReturn.begin(), kReturn.end());
  } while (code.size() % 16 != 0);
  query_at = kCode + code.size();
  code.insert(code.end(), query.begin(), query.end());
  const Code rest =
      ThisInstructionSet().query_code(kCode + code.size(), kTables, kVersion6);
  code.insert(code.end(), rest.begin(), rest.end());
  return code;
}

class Image {
 public:
  Image() : bytes_(kEnd) {}

  template <typename T>
  void Put(uint64_t at, const T& value) {
    std::memcpy(bytes_.data() + at, &value, sizeof(value));
  }
  void PutText(uint64_t at, const char* text) {
    std::memcpy(bytes_.data() + at, text, std::strlen(text));
  }
  // Makes the word at `at` an address of the image.
  void PutAddress(uint64_t at, uint64_t address) {
    const Elf64_Rela relocation = {
        at, ELF64_R_INFO(0, ThisInstructionSet().relative_relocation),
        static_cast<Elf64_Sxword>(address)};
    Put(kRelocations + relocations_++ * sizeof(relocation), relocation);
  }
  void PutCode(const std::vector<uint8_t>& code) {
    std::memcpy(bytes_.data() + kCode, code.data(), code.size());
  }
  void PutTables();
  void PutHeaders(uint64_t code_size, uint64_t query);
  std::vector<uint8_t> Take() { return std::move(bytes_); }

 private:
  std::vector<uint8_t> bytes_;
  uint64_t relocations_ = 0;
};

void Image::PutTables() {
  LibraryV6 tables = {};
  tables.exports.count = 1;
  Put(kTables, tables);
  PutAddress(kTables + offsetof(LibraryV6, header), kHeader);
  constexpr uint64_t kExports = kTables + offsetof(LibraryV6, exports);
  PutAddress(kExports + offsetof(ExportTableV6, functions), kFunctions);
  PutAddress(kExports + offsetof(ExportTableV6, attributes), kAttributes);
  PutAddress(kExports + offsetof(ExportTableV6, names), kNames);
  LibraryHeader header = {};
  header.version = kVersion6;
  Put(kHeader, header);
  PutAddress(kHeader + offsetof(LibraryHeader, name), kStrings + 1);
  PutAddress(kFunctions, kCode);
  DispatchAttributesV6 attributes = {};
  attributes.constant_count = 1;
  attributes.binding_count = 1;
  Put(kAttributes, attributes);
  PutAddress(kNames, kStrings + 1);
}

void Image::PutHeaders(uint64_t code_size, uint64_t query) {
  Elf64_Ehdr header = {};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_ident[EI_VERSION] = EV_CURRENT;
  header.e_type = ET_DYN;
  header.e_machine = ThisInstructionSet().machine;
  header.e_version = EV_CURRENT;
  header.e_phoff = sizeof(header);
  header.e_ehsize = sizeof(header);
  header.e_phentsize = sizeof(Elf64_Phdr);
  const auto segment = [](uint32_t type, uint32_t flags, uint64_t at,
                          uint64_t size) {
    return Elf64_Phdr{type, flags, at, at, at, size, size, kPage};
  };
  const Elf64_Phdr segments[] = {
      segment(PT_LOAD, PF_R, 0, kSymbolsEnd),
      segment(PT_LOAD, PF_R | PF_X, kCode, code_size),
      segment(PT_LOAD, PF_R | PF_W, kTables, kEnd - kTables),
      segment(PT_DYNAMIC, PF_R | PF_W, kDynamic, kEnd - kDynamic),
      segment(PT_GNU_RELRO, PF_R, kTables, kPage)};
  header.e_phnum = std::size(segments);
  Put(0, header);
  Put(sizeof(header), segments);
  constexpr char kName[] = "hostile";
  PutText(kStrings + 1, kName);
  constexpr uint32_t kSymbolName = 1 + sizeof(kName);
  PutText(kStrings + kSymbolName, kLibraryQuerySymbol);
  const Elf64_Sym symbol = {
      kSymbolName, ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), 0, 1, query, 0};
  Put(kSymbols + sizeof(symbol), symbol);
  const uint32_t hash[] = {1, 2, 1, 0, 0};
  Put(kHash, hash);
  const Elf64_Dyn dynamic[] = {
      {DT_STRTAB, {kStrings}},
      {DT_STRSZ, {kSymbolName + sizeof(kLibraryQuerySymbol)}},
      {DT_SYMTAB, {kSymbols}},
      {DT_HASH, {kHash}},
      {DT_RELA, {kRelocations}},
      {DT_RELASZ, {relocations_ * sizeof(Elf64_Rela)}},
      {DT_NULL, {0}}};
  Put(kDynamic, dynamic);
}

}  // namespace

std::vector<uint8_t> LibraryOf(const Code& kernel, const Code& query) {
  uint64_t query_at = 0;
  const Code code = Join(kernel, query, query_at);
  Image image;
  image.PutCode(code);
  image.PutTables();
  image.PutHeaders(code.size(), query_at);
  return image.Take();
}

}  // namespace eyrie::hal::cpu::isolate
