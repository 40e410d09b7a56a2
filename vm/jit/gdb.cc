#include "vm/jit/gdb.h"

#include <elf.h>

#include <cstddef>
#include <cstring>
#include <mutex>
#include <utility>

#include "absl/strings/string_view.h"
#include "base/elf_machine.h"
#include "vm/run/compiled.h"

// Symbols that gdb looks up by name, with the layout that its manual defines.
extern "C" {

struct jit_code_entry {
  jit_code_entry* next_entry;
  jit_code_entry* prev_entry;
  const char* symfile_addr;
  uint64_t symfile_size;
};

struct jit_descriptor {
  uint32_t version;
  uint32_t action_flag;  // 1 registers relevant_entry, 2 removes it
  jit_code_entry* relevant_entry;
  jit_code_entry* first_entry;
};

__attribute__((visibility("default"))) jit_descriptor __jit_debug_descriptor = {
    1, 0, nullptr, nullptr};

// gdb sets a breakpoint here.
__attribute__((visibility("default"), noinline)) void
__jit_debug_register_code() {
  asm volatile("" : : : "memory");
}

}  // extern "C"

namespace eyrie::vm::jit {
namespace {

constexpr uint32_t kRegister = 1;
constexpr uint32_t kTakeOut = 2;

std::mutex& ListMutex() {
  static std::mutex mutex;
  return mutex;
}

void Tell(uint32_t action, jit_code_entry* entry) {
  __jit_debug_descriptor.action_flag = action;
  __jit_debug_descriptor.relevant_entry = entry;
  __jit_debug_register_code();
}

// From DWARF 3, "Call Frame Information".
enum : uint8_t {
  kNop = 0x00,
  kAdvance4 = 0x04,
  kDefCfa = 0x0C,
  kDefCfaOffset = 0x0E,
  kDefCfaExpression = 0x0F,
  kOffset = 0x80,   // ORed with a register
  kRestore = 0xC0,  // likewise
  kOpDeref = 0x06,
  kOpPlusUconst = 0x23,
  kOpBreg0 = 0x70,
};

// Returns how many words a call pushes.
uint64_t PushedByCall() { return kUnwindRules.call_pushes ? 1 : 0; }

class Bytes {
 public:
  size_t size() const { return bytes_.size(); }
  std::vector<uint8_t> Take() { return std::move(bytes_); }
  const std::vector<uint8_t>& bytes() const { return bytes_; }

  void Byte(uint8_t byte) { bytes_.push_back(byte); }
  template <typename T>
  void Add(const T& value) {
    const auto* from = reinterpret_cast<const uint8_t*>(&value);
    bytes_.insert(bytes_.end(), from, from + sizeof(T));
  }
  void Append(const std::vector<uint8_t>& more) {
    bytes_.insert(bytes_.end(), more.begin(), more.end());
  }
  void Text(absl::string_view text) {
    bytes_.insert(bytes_.end(), text.begin(), text.end());
    Byte(0);
  }
  void Unsigned(uint64_t value) {  // LEB128
    for (; value >= 0x80; value >>= 7) Byte(static_cast<uint8_t>(value | 0x80));
    Byte(static_cast<uint8_t>(value));
  }
  void Signed(int64_t value) {
    for (; value < -64 || value > 63; value >>= 7) {
      Byte(static_cast<uint8_t>(value) | 0x80);
    }
    Byte(static_cast<uint8_t>(value) & 0x7F);
  }
  void Align(size_t to) {
    while (bytes_.size() % to != 0) Byte(kNop);
  }

 private:
  std::vector<uint8_t> bytes_;
};

// Adds an entry of .debug_frame, which begins with its length.
void AddEntry(Bytes content, Bytes& to) {
  while ((content.size() + 4) % 8 != 0) content.Byte(kNop);
  to.Add(static_cast<uint32_t>(content.size()));
  to.Append(content.bytes());
}

Bytes CommonEntry() {
  Bytes entry;
  entry.Add(uint32_t{0xFFFFFFFF});  // marks a common entry
  entry.Byte(1);                    // version
  entry.Text("");                   // no augmentation
  entry.Unsigned(1);                // code alignment factor
  entry.Signed(-8);                 // data alignment factor
  entry.Byte(kUnwindRules.return_address);
  entry.Byte(kDefCfa);
  entry.Unsigned(kUnwindRules.stack_pointer);
  entry.Unsigned(PushedByCall() * 8);
  if (kUnwindRules.call_pushes) {
    entry.Byte(kOffset | kUnwindRules.return_address);
    entry.Unsigned(1);
  }
  return entry;
}

void AddCfaInCpp(Bytes& entry) {
  Bytes where;
  where.Byte(kOpBreg0 + kUnwindRules.state);
  where.Signed(offsetof(CompiledState, left));
  where.Byte(kOpDeref);
  where.Byte(kOpPlusUconst);
  where.Unsigned(8);
  entry.Byte(kDefCfaExpression);
  entry.Unsigned(where.size());
  entry.Append(where.bytes());
}

Bytes EntryOf(uint64_t address, uint64_t size, const Unwinding& unwinding) {
  Bytes entry;
  entry.Add(uint32_t{0});  // offset of the common entry
  entry.Add(address);
  entry.Add(size);
  uint64_t at = 0;
  uint32_t known = 0;  // number of registers pushed
  bool in_cpp = false;
  for (const UnwindRow& row : unwinding.rows) {
    if (row.offset != at) {
      entry.Byte(kAdvance4);
      entry.Add(static_cast<uint32_t>(row.offset - at));
      at = row.offset;
    }
    if (row.in_cpp) {
      AddCfaInCpp(entry);
      in_cpp = true;
      continue;
    }
    if (std::exchange(in_cpp, false)) {
      entry.Byte(kDefCfa);
      entry.Unsigned(kUnwindRules.stack_pointer);
    } else {
      entry.Byte(kDefCfaOffset);
    }
    entry.Unsigned((PushedByCall() + row.words) * 8);
    for (; known > row.words; --known) {
      if (known > unwinding.pushed.size()) continue;
      entry.Byte(kRestore | unwinding.pushed[known - 1]);
    }
    for (; known < row.words; ++known) {
      if (known >= unwinding.pushed.size()) continue;
      entry.Byte(kOffset | unwinding.pushed[known]);
      entry.Unsigned(PushedByCall() + known + 1);
    }
  }
  return entry;
}

Bytes FramesOf(uint64_t address, uint64_t size, const Unwinding& unwinding) {
  Bytes frames;
  AddEntry(CommonEntry(), frames);
  AddEntry(EntryOf(address, size, unwinding), frames);
  return frames;
}

enum Section { kNull, kText, kFrames, kSymbols, kStrings, kSections };

// Collects the file's contents except for its header, and the position of each
// section.
class SymbolFileWriter {
 public:
  SymbolFileWriter() {
    strings_.Byte(0);
    file_.Add(Elf64_Ehdr());
  }

  uint32_t Name(absl::string_view name) {
    const auto at = static_cast<uint32_t>(strings_.size());
    strings_.Text(name);
    return at;
  }
  Elf64_Shdr& Describe(Section section, absl::string_view name, uint32_t type) {
    headers_[section].sh_name = Name(name);
    headers_[section].sh_type = type;
    headers_[section].sh_addralign = 8;
    return headers_[section];
  }
  void Put(Section section, const Bytes& content) {
    file_.Align(8);
    headers_[section].sh_offset = file_.size();
    headers_[section].sh_size = content.size();
    file_.Append(content.bytes());
  }

  std::vector<uint8_t> Finish() {
    Put(kStrings, strings_);
    file_.Align(8);
    Elf64_Ehdr header = {};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_ident[EI_VERSION] = EV_CURRENT;
    header.e_type = ET_EXEC;
    header.e_machine = ThisElfMachine();
    header.e_version = EV_CURRENT;
    header.e_shoff = file_.size();
    header.e_ehsize = sizeof(Elf64_Ehdr);
    header.e_shentsize = sizeof(Elf64_Shdr);
    header.e_shnum = kSections;
    header.e_shstrndx = kStrings;
    file_.Add(headers_);
    std::vector<uint8_t> file = file_.Take();
    std::memcpy(file.data(), &header, sizeof(header));
    return file;
  }

 private:
  Bytes file_;
  Bytes strings_;
  Elf64_Shdr headers_[kSections] = {};
};

}  // namespace

std::vector<uint8_t> CreateObjectFile(uint64_t address, uint64_t size,
                                      const std::vector<CodeName>& names,
                                      const Unwinding& unwinding) {
  SymbolFileWriter writer;
  Elf64_Shdr& text = writer.Describe(kText, ".text", SHT_NOBITS);
  text.sh_flags = SHF_ALLOC | SHF_EXECINSTR;
  text.sh_addr = address;
  text.sh_size = size;
  writer.Describe(kFrames, ".debug_frame", SHT_PROGBITS);
  Elf64_Shdr& symbols = writer.Describe(kSymbols, ".symtab", SHT_SYMTAB);
  symbols.sh_link = kStrings;
  symbols.sh_entsize = sizeof(Elf64_Sym);
  symbols.sh_info = 1;  // index of the first symbol that is not local
  writer.Describe(kStrings, ".strtab", SHT_STRTAB);
  Bytes table;
  table.Add(Elf64_Sym());
  for (const CodeName& name : names) {
    Elf64_Sym symbol = {};
    symbol.st_name = writer.Name(name.name);
    symbol.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
    symbol.st_shndx = kText;
    symbol.st_value = address + name.offset;
    symbol.st_size = name.size;
    table.Add(symbol);
  }
  writer.Put(kFrames, FramesOf(address, size, unwinding));
  writer.Put(kSymbols, table);
  return writer.Finish();
}

struct GdbEntry::Node : jit_code_entry {};

GdbEntry::GdbEntry(std::vector<uint8_t> file)
    : file_(std::move(file)), node_(std::make_unique<Node>()) {
  node_->symfile_addr = reinterpret_cast<const char*>(file_.data());
  node_->symfile_size = file_.size();
  const std::lock_guard<std::mutex> lock(ListMutex());
  jit_code_entry*& first = __jit_debug_descriptor.first_entry;
  node_->prev_entry = nullptr;
  node_->next_entry = first;
  if (first != nullptr) first->prev_entry = node_.get();
  first = node_.get();
  Tell(kRegister, node_.get());
}

GdbEntry::~GdbEntry() {
  const std::lock_guard<std::mutex> lock(ListMutex());
  jit_code_entry* const next = node_->next_entry;
  jit_code_entry* const previous = node_->prev_entry;
  if (next != nullptr) next->prev_entry = previous;
  (previous == nullptr ? __jit_debug_descriptor.first_entry
                       : previous->next_entry) = next;
  Tell(kTakeOut, node_.get());
}

}  // namespace eyrie::vm::jit
