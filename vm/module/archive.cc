// Finds the FlatBuffer and the constants within a module file.
#include "vm/module/archive.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/allocate.h"
#include "base/byte_reader.h"
#include "base/checked_math.h"
#include "base/crc32.h"
#include "base/plain_text.h"
#include "base/status_macros.h"

namespace eyrie::vm {
namespace {

using Bytes = std::span<const uint8_t>;

constexpr uint32_t kZipLocalHeader = 0x04034B50;
constexpr uint32_t kZipDirectoryEntry = 0x02014B50;
constexpr uint32_t kZipDirectoryEnd = 0x06054B50;
constexpr uint32_t kZip64DirectoryEnd = 0x06064B50;
constexpr uint32_t kZip64Locator = 0x07064B50;
constexpr size_t kZipLocalHeaderSize = 30;
constexpr size_t kZipDirectoryEntrySize = 46;
constexpr size_t kZipDirectoryEndSize = 22;
constexpr size_t kZip64LocatorSize = 20;
constexpr size_t kZip64DirectoryEndSize = 56;
constexpr uint32_t kInZip64Field = 0xFFFFFFFF;

// Size prefix, root offset, identifier, and the smallest possible table.
constexpr size_t kLeastFlatBuffer = 16;
constexpr absl::string_view kIdentifier = "IREE";
constexpr absl::string_view kModuleMember = "module.fb";

absl::string_view Text(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Returns the bytes at an offset, or no bytes if the range is out of bounds.
Bytes At(Bytes bytes, uint64_t offset, uint64_t size) {
  if (!RangeFits(offset, size, bytes.size())) return {};
  return bytes.subspan(offset, size);
}

template <typename T>
T Get(Bytes bytes, size_t offset) {
  return LoadLittleEndian<T>(bytes.data() + offset);
}

// Returns where the contents begin of the member with its local header at
// `offset`.
std::optional<uint64_t> MemberContents(Bytes file, uint64_t offset) {
  Bytes header = At(file, offset, kZipLocalHeaderSize);
  if (header.empty() || Get<uint32_t>(header, 0) != kZipLocalHeader) {
    return std::nullopt;
  }
  uint64_t skip = kZipLocalHeaderSize + Get<uint16_t>(header, 26) +
                  uint64_t{Get<uint16_t>(header, 28)};
  if (!RangeFits(offset, skip, file.size())) return std::nullopt;
  return offset + skip;
}

struct ZipDirectory {
  uint64_t offset;
  uint64_t size;
};

// Reads the directory's position from the end record, which must be last except
// for a comment.
std::optional<ZipDirectory> FindZipDirectory(Bytes file) {
  if (file.size() < kZipDirectoryEndSize) return std::nullopt;
  uint64_t last = file.size() - kZipDirectoryEndSize;
  uint64_t first = last > 0xFFFF ? last - 0xFFFF : 0;
  for (uint64_t at = last + 1; at-- > first;) {
    if (Get<uint32_t>(file, at) != kZipDirectoryEnd ||
        at + kZipDirectoryEndSize + Get<uint16_t>(file, at + 20) !=
            file.size()) {
      continue;
    }
    ZipDirectory found = {Get<uint32_t>(file, at + 16),
                          Get<uint32_t>(file, at + 12)};
    if (found.offset != kInZip64Field) return found;
    if (at < kZip64LocatorSize) return std::nullopt;
    uint64_t locator = at - kZip64LocatorSize;
    if (Get<uint32_t>(file, locator) != kZip64Locator) return std::nullopt;
    Bytes end =
        At(file, Get<uint64_t>(file, locator + 8), kZip64DirectoryEndSize);
    if (end.empty() || Get<uint32_t>(end, 0) != kZip64DirectoryEnd) {
      return std::nullopt;
    }
    return ZipDirectory{Get<uint64_t>(end, 48), Get<uint64_t>(end, 40)};
  }
  return std::nullopt;
}

// Replaces the values of an entry that are stored in its ZIP64 field.
bool ReadZip64Field(Bytes extra, uint64_t& plain_size, uint64_t& packed_size,
                    uint64_t& header_offset) {
  ByteReader in(extra);
  while (in.remaining() >= 4) {
    uint16_t id = *in.ReadU16();
    auto field = in.Take(*in.ReadU16());
    if (!field.ok()) return false;
    if (id != 1) continue;
    ByteReader values(*field);
    for (uint64_t* value : {&plain_size, &packed_size, &header_offset}) {
      if (*value != kInZip64Field) continue;
      auto wide = values.ReadU64();
      if (!wide.ok()) return false;
      *value = *wide;
    }
    return true;
  }
  return plain_size != kInZip64Field && header_offset != kInZip64Field;
}

// Returns the members by offset, or nullopt if the directory is malformed.
absl::StatusOr<std::optional<std::vector<ArchiveMember>>> ReadZipDirectory(
    Bytes file) {
  std::vector<ArchiveMember> members;
  std::optional<ZipDirectory> place = FindZipDirectory(file);
  if (!place || !RangeFits(place->offset, place->size, file.size())) {
    return std::nullopt;
  }
  Bytes directory = file.subspan(place->offset, place->size);
  while (!directory.empty()) {
    if (directory.size() < kZipDirectoryEntrySize ||
        Get<uint32_t>(directory, 0) != kZipDirectoryEntry) {
      return std::nullopt;
    }
    uint64_t packed_size = Get<uint32_t>(directory, 20);
    uint64_t size = Get<uint32_t>(directory, 24);
    size_t name_size = Get<uint16_t>(directory, 28);
    size_t extra_size = Get<uint16_t>(directory, 30);
    size_t comment_size = Get<uint16_t>(directory, 32);
    uint64_t header = Get<uint32_t>(directory, 42);
    size_t entry_size =
        kZipDirectoryEntrySize + name_size + extra_size + comment_size;
    if (entry_size > directory.size()) return std::nullopt;
    Bytes name = directory.subspan(kZipDirectoryEntrySize, name_size);
    Bytes extra =
        directory.subspan(kZipDirectoryEntrySize + name_size, extra_size);
    if (!ReadZip64Field(extra, size, packed_size, header)) return std::nullopt;
    uint32_t crc = Get<uint32_t>(directory, 16);
    if (Get<uint16_t>(directory, 10) != 0) {  // compressed: not for modules
      size = packed_size;
      crc = 0;
    }
    std::optional<uint64_t> contents = MemberContents(file, header);
    if (!contents || !RangeFits(*contents, size, file.size())) {
      return std::nullopt;
    }
    RETURN_IF_ERROR(PushBack(
        members, ArchiveMember{std::string(Text(name)), *contents, size, crc},
        "the directory of a ZIP"));
    directory = directory.subspan(entry_size);
  }
  std::sort(members.begin(), members.end(),
            [](const ArchiveMember& a, const ArchiveMember& b) {
              return a.offset < b.offset;
            });
  return members;
}

// Each byte of the file must belong to at most one member, so that checking all
// members reads no more than the file. `members` must ascend by offset.
absl::Status CheckDisjoint(const std::vector<ArchiveMember>& members,
                           absl::string_view name) {
  for (size_t i = 1; i < members.size(); ++i) {
    const ArchiveMember& before = members[i - 1];
    if (members[i].offset - before.offset >= before.size) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        name, " is a ZIP whose members ", PlainName(before.name), " and ",
        PlainName(members[i].name), " share bytes: it is damaged."));
  }
  return absl::OkStatus();
}

bool HasIdentifier(Bytes flatbuffer) {
  return flatbuffer.size() >= 12 &&
         Text(flatbuffer.subspan(8, 4)) == kIdentifier;
}

// Returns the offset of the FlatBuffer in a ZIP file.
absl::StatusOr<uint64_t> FindInZip(Bytes file, absl::string_view name) {
  std::optional<uint64_t> contents = MemberContents(file, 0);
  if (!contents) {
    return absl::InvalidArgumentError(absl::StrCat(
        name, " is a ZIP that ends after ", file.size(),
        " bytes, within the header of its first member: it is cut short."));
  }
  if (HasIdentifier(file.subspan(*contents))) return *contents;
  absl::string_view member =
      Text(file.subspan(kZipLocalHeaderSize, Get<uint16_t>(file, 26)));
  if (member != kModuleMember) {
    return absl::InvalidArgumentError(
        absl::StrCat(name, " is a ZIP whose first member, ", member,
                     ", is not a compiled module."));
  }
  if (Get<uint16_t>(file, 8) != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat(name, " is a ZIP that compresses ", member,
                     "; a module is stored as it is."));
  }
  if (file.size() - *contents < kLeastFlatBuffer) {
    return absl::InvalidArgumentError(
        absl::StrCat(name, " is a ZIP that ends ", file.size() - *contents,
                     " bytes into ", member, ": it is cut short."));
  }
  return absl::InvalidArgumentError(absl::StrCat(
      name, " is a ZIP whose ", member, " lacks the identifier IREE."));
}

struct Magic {
  absl::string_view bytes;
  const char* what;
};
constexpr Magic kMagics[] = {
    {"ML\xefR", "MLIR bytecode"},
    {"\x7f"
     "ELF",
     "an ELF binary"},
    {"BC\xc0\xde", "LLVM bitcode"},
    {"\x1f\x8b", "gzip data"},
    {"\x28\xb5\x2f\xfd", "Zstandard data"},
    {"\x93NUMPY", "a NumPy array"},
    {"\x89HDF", "an HDF5 file"},
    {"\x89PNG", "a PNG picture"},
    {"\xff\xd8\xff", "a JPEG picture"},
    {"IRPA", "a parameter archive"},
    {"GGUF", "a GGUF parameter file"},
    {"\x03\x02\x23\x07", "SPIR-V code"},
    {"%PDF", "a PDF document"},
    {"#!", "a script"},
};

// Safetensors begins with a table of JSON and its size. Text is not mistaken
// for it: read as a size, its first bytes exceed any file.
bool LooksLikeSafetensors(Bytes bytes) {
  if (bytes.size() < 10 || bytes[8] != '{') return false;
  const uint64_t table = Get<uint64_t>(bytes, 0);
  return RangeFits(8, table, bytes.size());
}

// Reports whether every byte may occur in text.
bool IsText(Bytes bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](uint8_t c) {
    return c >= 0x20 ? c != 0x7F : c == '\n' || c == '\r' || c == '\t';
  });
}

// MLIR may begin with a brace too, but not followed by a string. JSON may
// contain MLIR, so it is checked first.
bool LooksLikeJson(absl::string_view text) {
  text = absl::StripLeadingAsciiWhitespace(text);
  if (absl::ConsumePrefix(&text, "[")) return true;
  if (!absl::ConsumePrefix(&text, "{")) return false;
  text = absl::StripLeadingAsciiWhitespace(text);
  return text.empty() || text[0] == '"' || text[0] == '}';
}

bool LooksLikeMlir(absl::string_view text) {
  for (const char* word : {"func.func", "module @", "module {", "module attr",
                           "util.func", "vm.module", "hal.executable", "#map",
                           "tensor<", "memref<", "stablehlo.", "torch."}) {
    if (absl::StrContains(text, word)) return true;
  }
  return false;
}

// MLIR modules begin with the same words, but have no version.
bool LooksLikeAssembly(absl::string_view text) {
  const size_t begin = text.find("vm.module @");
  if (begin == absl::string_view::npos) return false;
  const absl::string_view line =
      text.substr(begin, text.find('\n', begin) - begin);
  return absl::StrContains(line, " version ");
}

// Names the kind of text. Licences and comments may come first.
const char* DescribeText(absl::string_view text) {
  if (LooksLikeJson(text)) return "JSON text";
  if (LooksLikeAssembly(text)) return "VM assembly (see eyrie asm)";
  return LooksLikeMlir(text) ? "MLIR text" : "text";
}

}  // namespace

std::string DescribeForeignBytes(std::span<const uint8_t> bytes,
                                 absl::string_view name) {
  constexpr absl::string_view kNot = ", not a compiled module.";
  if (bytes.empty()) return absl::StrCat(name, " is empty", kNot);
  absl::string_view all = Text(bytes);
  for (const Magic& magic : kMagics) {
    if (absl::StartsWith(all, magic.bytes)) {
      return absl::StrCat(name, " is ", magic.what, kNot);
    }
  }
  if (LooksLikeSafetensors(bytes)) {
    return absl::StrCat(name, " is a safetensors parameter file", kNot);
  }
  if (IsText(bytes.first(std::min<size_t>(bytes.size(), 512)))) {
    return absl::StrCat(name, " is ", DescribeText(all.substr(0, 1 << 16)),
                        kNot);
  }
  if (bytes.size() >= 8 && all.substr(4, 4) == kIdentifier) {
    return absl::StrCat(name,
                        " is a module's FlatBuffer without its size prefix.");
  }
  if (bytes.size() < kLeastFlatBuffer) {
    return absl::StrCat(name, " has ", bytes.size(),
                        " bytes, too few for a compiled module.");
  }
  return absl::StrCat(name,
                      " is not a compiled module: neither a ZIP nor a "
                      "FlatBuffer with the identifier IREE.");
}

absl::StatusOr<std::shared_ptr<const Archive>> Archive::Open(
    const std::string& path) {
  ASSIGN_OR_RETURN(std::shared_ptr<const MappedFile> file,
                   MappedFile::Open(path));
  return FromFile(std::move(file));
}

absl::StatusOr<std::shared_ptr<const Archive>> Archive::FromFile(
    std::shared_ptr<const MappedFile> file) {
  const MappedFile& mapped = *file;
  return Create(std::move(file), &mapped, mapped.bytes(), mapped.path());
}

absl::StatusOr<std::shared_ptr<const Archive>> Archive::Copy(
    std::span<const uint8_t> bytes, const std::string& name) {
  size_t size = std::max<size_t>(bytes.size(), 1);
  std::optional<size_t> padded = CheckedAlignUp(size, kArchiveAlignment);
  void* copy =
      padded ? std::aligned_alloc(kArchiveAlignment, *padded) : nullptr;
  if (copy == nullptr) {
    return absl::ResourceExhaustedError(
        absl::StrCat(name, " has ", bytes.size(),
                     " bytes; no memory is left for a copy of them."));
  }
  if (!bytes.empty()) std::memcpy(copy, bytes.data(), bytes.size());
  std::shared_ptr<const void> owner(
      copy, [](const void* p) { std::free(const_cast<void*>(p)); });
  return FromOwner(std::move(owner),
                   {static_cast<const uint8_t*>(copy), bytes.size()}, name);
}

absl::StatusOr<std::shared_ptr<const Archive>> Archive::Borrow(
    std::span<const uint8_t> bytes, const std::string& name) {
  return FromOwner(nullptr, bytes, name);
}

absl::StatusOr<std::shared_ptr<const Archive>> Archive::FromOwner(
    std::shared_ptr<const void> owner, std::span<const uint8_t> bytes,
    const std::string& name) {
  return Create(std::move(owner), nullptr, bytes, name);
}

absl::StatusOr<std::shared_ptr<const Archive>> Archive::Create(
    std::shared_ptr<const void> owner, const MappedFile* file,
    std::span<const uint8_t> bytes, const std::string& name) {
  std::shared_ptr<Archive> archive(new Archive());
  archive->name_ = name;
  archive->owner_ = std::move(owner);
  archive->file_ = file;
  archive->bytes_ = bytes;
  RETURN_IF_ERROR(archive->Parse());
  return archive;
}

Archive::~Archive() { std::free(aligned_flatbuffer_); }

absl::Status Archive::Parse() {
  is_zip_ = bytes_.size() >= 4 && Get<uint32_t>(bytes_, 0) == kZipLocalHeader;
  if (is_zip_) {
    ASSIGN_OR_RETURN(flatbuffer_offset_, FindInZip(bytes_, name_));
  } else if (!HasIdentifier(bytes_)) {
    return absl::InvalidArgumentError(DescribeForeignBytes(bytes_, name_));
  }
  Bytes rest = bytes_.subspan(flatbuffer_offset_);
  uint64_t size = uint64_t{Get<uint32_t>(rest, 0)} + sizeof(uint32_t);
  if (size < kLeastFlatBuffer || size > rest.size()) {
    return absl::InvalidArgumentError(absl::StrCat(
        name_, " has a FlatBuffer of ", size, " bytes, but ends ", rest.size(),
        " bytes after its start: it is cut short or damaged."));
  }
  flatbuffer_ = rest.first(size);
  rodata_base_ =
      *CheckedAlignUp<uint64_t>(flatbuffer_offset_ + size, kArchiveAlignment);
  if (is_zip_) {
    ASSIGN_OR_RETURN(auto members, ReadZipDirectory(bytes_));
    if (!members) {
      return absl::InvalidArgumentError(
          absl::StrCat(name_, " is a ZIP without the directory at its end (",
                       bytes_.size(), " bytes): it is cut short or damaged."));
    }
    members_ = *std::move(members);
    RETURN_IF_ERROR(CheckDisjoint(members_, name_));
    checked_ = NewArray<std::atomic<bool>>(members_.size());
    if (checked_ == nullptr) {
      return CannotAllocate(members_.size(), 1, "the directory of a ZIP");
    }
  }

  if (reinterpret_cast<uintptr_t>(flatbuffer_.data()) % 16 != 0) {
    uint64_t padded = *CheckedAlignUp<uint64_t>(size, kArchiveAlignment);
    aligned_flatbuffer_ =
        static_cast<uint8_t*>(std::aligned_alloc(kArchiveAlignment, padded));
    if (aligned_flatbuffer_ == nullptr) {
      return absl::ResourceExhaustedError(absl::StrCat(
          "No memory is left for the ", size, " bytes of a FlatBuffer."));
    }
    std::memcpy(aligned_flatbuffer_, flatbuffer_.data(), size);
    flatbuffer_ = {aligned_flatbuffer_, size};
  }
  return absl::OkStatus();
}

absl::string_view Archive::MemberAt(uint64_t offset) const {
  auto it = std::lower_bound(
      members_.begin(), members_.end(), offset,
      [](const ArchiveMember& m, uint64_t at) { return m.offset < at; });
  if (it == members_.end() || it->offset != offset) return {};
  return it->name;
}

uint64_t Archive::OffsetOf(std::span<const uint8_t> bytes) const {
  const std::less_equal<const uint8_t*> before;
  const bool is_copied =
      aligned_flatbuffer_ != nullptr &&
      before(flatbuffer_.data(), bytes.data()) &&
      before(bytes.data(), flatbuffer_.data() + flatbuffer_.size());
  return is_copied ? flatbuffer_offset_ + (bytes.data() - flatbuffer_.data())
                   : static_cast<uint64_t>(bytes.data() - bytes_.data());
}

absl::Status Archive::CheckMemberOf(std::span<const uint8_t> bytes) const {
  if (bytes.empty()) return absl::OkStatus();
  const uint64_t offset = OffsetOf(bytes);
  auto it = std::upper_bound(
      members_.begin(), members_.end(), offset,
      [](uint64_t at, const ArchiveMember& m) { return at < m.offset; });
  if (it == members_.begin()) return absl::OkStatus();
  const ArchiveMember& member = *--it;
  std::atomic<bool>& checked = checked_[it - members_.begin()];
  if (member.crc == 0 || offset - member.offset >= member.size ||
      checked.load(std::memory_order_relaxed)) {
    return absl::OkStatus();
  }
  const uint32_t found = Crc32(bytes_.subspan(member.offset, member.size));
  if (found != member.crc) {
    return absl::InvalidArgumentError(absl::StrCat(
        name_, " is damaged: the CRC-32 of its member ", PlainName(member.name),
        " is ", absl::Hex(found, absl::kZeroPad8),
        "; the archive's directory says ",
        absl::Hex(member.crc, absl::kZeroPad8), "."));
  }
  checked.store(true, std::memory_order_relaxed);
  return absl::OkStatus();
}

}  // namespace eyrie::vm
