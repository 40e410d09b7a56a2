#include "abi/native/elf_note.h"

#include <elf.h>

#include <cstring>

#include "absl/strings/str_cat.h"
#include "base/byte_reader.h"
#include "base/elf_machine.h"
#include "base/status_macros.h"

namespace eyrie::native {
namespace {

constexpr char kOwner[] = "EYRIE";  // with its zero byte
constexpr uint32_t kNoteType = 1;
constexpr char kSection[] = ".note.eyrie.abi";
constexpr uint64_t kNoteAlignment = 4;

absl::Status Damaged(absl::string_view path, absl::string_view what) {
  return absl::InvalidArgumentError(
      absl::StrCat("'", path, "' is damaged: ", what, "."));
}

// Returns the file's header after checks that it is a 64-bit shared library.
absl::StatusOr<Elf64_Ehdr> ReadHeader(std::span<const uint8_t> bytes,
                                      absl::string_view path) {
  if (!IsElf(bytes)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "'", path, "' is not a shared library: it ",
        bytes.empty() ? "is empty."
                      : "does not begin with ELF's magic number."));
  }
  if (bytes.size() < sizeof(Elf64_Ehdr)) {
    return Damaged(path,
                   absl::StrCat("it has ", bytes.size(), " bytes, its header ",
                                sizeof(Elf64_Ehdr)));
  }
  const auto header = LoadLittleEndian<Elf64_Ehdr>(bytes.data());
  if (header.e_ident[EI_CLASS] != ELFCLASS64 ||
      header.e_ident[EI_DATA] != ELFDATA2LSB) {
    return absl::UnimplementedError(absl::StrCat(
        "'", path, "' is not for a 64-bit little-endian machine."));
  }
  if (header.e_type != ET_DYN) {
    return absl::InvalidArgumentError(
        absl::StrCat("'", path, "' is an ELF file of type ", header.e_type,
                     ", not a shared library (", ET_DYN, ")."));
  }
  return header;
}

uint64_t AlignNote(uint64_t size) {
  return (size + kNoteAlignment - 1) & ~(kNoteAlignment - 1);
}

// Looks for the note in one segment.
absl::Status ReadNotes(std::span<const uint8_t> segment, absl::string_view path,
                       std::optional<absl::string_view>& found) {
  ByteReader in(segment);
  while (in.remaining() >= sizeof(Elf64_Nhdr)) {
    ASSIGN_OR_RETURN(const auto note, in.Read<Elf64_Nhdr>());
    const uint64_t name_size = AlignNote(note.n_namesz);
    const uint64_t text_size = AlignNote(note.n_descsz);
    // The last note may have no padding.
    if (name_size > in.remaining() ||
        note.n_descsz > in.remaining() - name_size) {
      return Damaged(path, absl::StrCat("a note of ", note.n_namesz, " and ",
                                        note.n_descsz, " bytes is cut off"));
    }
    ASSIGN_OR_RETURN(const auto name, in.Take(name_size));
    ASSIGN_OR_RETURN(const auto text, in.Take(note.n_descsz));
    RETURN_IF_ERROR(
        in.Skip(std::min<uint64_t>(text_size - note.n_descsz, in.remaining())));
    if (note.n_type != kNoteType || note.n_namesz != sizeof(kOwner) ||
        std::memcmp(name.data(), kOwner, sizeof(kOwner)) != 0) {
      continue;
    }
    if (found) return Damaged(path, "it has two Eyrie notes");
    found = absl::string_view(reinterpret_cast<const char*>(text.data()),
                              text.size());
  }
  return absl::OkStatus();
}

template <typename T>
void Append(const T& value, std::string& out) {
  out.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

std::string NoteBytes(absl::string_view manifest) {
  std::string note;
  Append(Elf64_Nhdr{sizeof(kOwner), static_cast<Elf64_Word>(manifest.size()),
                    kNoteType},
         note);
  note.append(kOwner, sizeof(kOwner));
  note.resize(AlignNote(note.size()));
  note.append(manifest.data(), manifest.size());
  note.resize(AlignNote(note.size()));
  return note;
}

}  // namespace

bool IsElf(std::span<const uint8_t> bytes) {
  return bytes.size() >= SELFMAG &&
         std::memcmp(bytes.data(), ELFMAG, SELFMAG) == 0;
}

absl::Status CheckNativeElf(std::span<const uint8_t> bytes,
                            absl::string_view path) {
  ASSIGN_OR_RETURN(const Elf64_Ehdr header, ReadHeader(bytes, path));
  if (header.e_machine != ThisElfMachine()) {
    return absl::UnimplementedError(absl::StrCat(
        "'", path, "' is for another machine (ELF machine ", header.e_machine,
        "); this is ", ElfMachineName(ThisElfMachine()), "."));
  }
  // The system's loader does not check the file's offsets, so check them here.
  ByteReader in(bytes);
  for (int i = 0; i < header.e_phnum; ++i) {
    const uint64_t place = header.e_phoff + uint64_t{sizeof(Elf64_Phdr)} *
                                                static_cast<uint64_t>(i);
    if (place < header.e_phoff || !in.Seek(place).ok()) {
      return Damaged(path, "its program headers are past its end");
    }
    const absl::StatusOr<Elf64_Phdr> segment = in.Read<Elf64_Phdr>();
    if (!segment.ok()) {
      return Damaged(path, "its program headers are past its end");
    }
    if (segment->p_type == PT_LOAD &&
        (segment->p_offset > bytes.size() ||
         segment->p_filesz > bytes.size() - segment->p_offset)) {
      return Damaged(path, absl::StrCat("segment ", i, " ends past its end (",
                                        bytes.size(), " bytes)"));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<std::optional<absl::string_view>> FindAbiNote(
    std::span<const uint8_t> bytes, absl::string_view path) {
  ASSIGN_OR_RETURN(const Elf64_Ehdr header, ReadHeader(bytes, path));
  std::optional<absl::string_view> found;
  ByteReader in(bytes);
  if (!in.Seek(header.e_phoff).ok()) {
    return Damaged(path, "its program headers are past its end");
  }
  for (int i = 0; i < header.e_phnum; ++i) {
    const absl::StatusOr<Elf64_Phdr> segment = in.Read<Elf64_Phdr>();
    if (!segment.ok()) {
      return Damaged(path, "its program headers are past its end");
    }
    if (segment->p_type != PT_NOTE) continue;
    if (segment->p_offset > bytes.size() ||
        segment->p_filesz > bytes.size() - segment->p_offset) {
      return Damaged(path, "its notes are past its end");
    }
    RETURN_IF_ERROR(ReadNotes(
        bytes.subspan(segment->p_offset, segment->p_filesz), path, found));
  }
  return found;
}

std::string CreateNoteObject(absl::string_view manifest) {
  // The file header, the note, the section names, and the section table.
  constexpr char kNames[] = "\0.note.eyrie.abi\0.note.GNU-stack\0.shstrtab";
  constexpr uint32_t kNoteName = 1;
  constexpr uint32_t kStackName = kNoteName + sizeof(kSection);
  constexpr uint32_t kNamesName = kStackName + sizeof(".note.GNU-stack");
  const std::string note = NoteBytes(manifest);
  const uint64_t names_at = sizeof(Elf64_Ehdr) + note.size();
  const uint64_t sections_at = (names_at + sizeof(kNames) + 7) & ~uint64_t{7};

  Elf64_Ehdr header = {};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_ident[EI_VERSION] = EV_CURRENT;
  header.e_type = ET_REL;
  header.e_machine = ThisElfMachine();
  header.e_version = EV_CURRENT;
  header.e_shoff = sections_at;
  header.e_ehsize = sizeof(Elf64_Ehdr);
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = 4;
  header.e_shstrndx = 3;

  std::string object;
  Append(header, object);
  object += note;
  object.append(kNames, sizeof(kNames));
  object.resize(sections_at);
  Append(Elf64_Shdr{}, object);
  Append(Elf64_Shdr{kNoteName, SHT_NOTE, SHF_ALLOC, 0, sizeof(Elf64_Ehdr),
                    note.size(), 0, 0, kNoteAlignment, 0},
         object);
  Append(Elf64_Shdr{kStackName, SHT_PROGBITS, 0, 0, names_at, 0, 0, 0, 1, 0},
         object);
  Append(Elf64_Shdr{kNamesName, SHT_STRTAB, 0, 0, names_at, sizeof(kNames), 0,
                    0, 1, 0},
         object);
  return object;
}

}  // namespace eyrie::native
