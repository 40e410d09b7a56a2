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
#include "base/zip.h"

namespace eyrie::vm {
namespace {

using Bytes = std::span<const uint8_t>;

// Size prefix, root offset, identifier, and the smallest possible table.
constexpr size_t kLeastFlatBuffer = 16;
constexpr size_t kZipNameOffset = 30;  // in a member's header
constexpr absl::string_view kZipMagic = "PK\x03\x04";
constexpr absl::string_view kIdentifier = "IREE";
constexpr absl::string_view kModuleMember = "module.fb";

absl::string_view Text(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

template <typename T>
T Get(Bytes bytes, size_t offset) {
  return LoadLittleEndian<T>(bytes.data() + offset);
}

bool HasIdentifier(Bytes flatbuffer) {
  return flatbuffer.size() >= 12 &&
         Text(flatbuffer.subspan(8, 4)) == kIdentifier;
}

// Returns the offset of the FlatBuffer in a ZIP file.
absl::StatusOr<uint64_t> FindInZip(Bytes file, absl::string_view name) {
  const std::optional<uint64_t> contents = ZipContents(file, 0);
  if (!contents) {
    return absl::InvalidArgumentError(absl::StrCat(
        name, " is a ZIP that ends after ", file.size(),
        " bytes, within the header of its first member: it is cut short."));
  }
  if (HasIdentifier(file.subspan(*contents))) return *contents;
  absl::string_view member =
      Text(file.subspan(kZipNameOffset, Get<uint16_t>(file, 26)));
  if (member != kModuleMember) {
    return absl::InvalidArgumentError(
        absl::StrCat(name, " is a ZIP whose first member, ", member,
                     ", is not a compiled module."));
  }
  if (Get<uint16_t>(file, 8) != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat(name, " is a ZIP that compresses ", member,
                     "; a module must be stored uncompressed."));
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
                     " bytes; there is not enough memory to copy them."));
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
  is_zip_ = absl::StartsWith(Text(bytes_), kZipMagic);
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
  if (is_zip_) RETURN_IF_ERROR(ReadMembers());

  if (reinterpret_cast<uintptr_t>(flatbuffer_.data()) % 16 != 0) {
    uint64_t padded = *CheckedAlignUp<uint64_t>(size, kArchiveAlignment);
    aligned_flatbuffer_ =
        static_cast<uint8_t*>(std::aligned_alloc(kArchiveAlignment, padded));
    if (aligned_flatbuffer_ == nullptr) {
      return absl::ResourceExhaustedError(absl::StrCat(
          "There is not enough memory for a FlatBuffer of ", size, " bytes."));
    }
    std::memcpy(aligned_flatbuffer_, flatbuffer_.data(), size);
    flatbuffer_ = {aligned_flatbuffer_, size};
  }
  return absl::OkStatus();
}

absl::Status Archive::ReadMembers() {
  ASSIGN_OR_RETURN(ZipDirectory directory, ReadZip(bytes_, name_));
  members_ = std::move(directory.members);
  std::sort(members_.begin(), members_.end(),
            [](const ZipMember& a, const ZipMember& b) {
              return a.packed.data() < b.packed.data();
            });
  checked_ = NewArray<std::atomic<bool>>(members_.size());
  if (checked_ != nullptr) return absl::OkStatus();
  return CannotAllocate(members_.size(), 1, "the directory of a ZIP");
}

absl::string_view Archive::MemberAt(uint64_t offset) const {
  if (offset >= bytes_.size()) return {};
  const uint8_t* const at = bytes_.data() + offset;
  auto it = std::lower_bound(
      members_.begin(), members_.end(), at,
      [](const ZipMember& m, const uint8_t* p) { return m.packed.data() < p; });
  if (it == members_.end() || it->packed.data() != at) return {};
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
  const uint8_t* const at = bytes_.data() + OffsetOf(bytes);
  auto it = std::upper_bound(
      members_.begin(), members_.end(), at,
      [](const uint8_t* p, const ZipMember& m) { return p < m.packed.data(); });
  if (it == members_.begin()) return absl::OkStatus();
  const ZipMember& member = *--it;
  std::atomic<bool>& checked = checked_[it - members_.begin()];
  if (member.crc == 0 || member.method != kZipStored ||
      at >= member.packed.data() + member.packed.size() ||
      checked.load(std::memory_order_relaxed)) {
    return absl::OkStatus();
  }
  const uint32_t found = Crc32(member.packed);
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
