// The container of a module: a ZIP whose first member is the module's
// FlatBuffer and whose others are its large constants, or the bare FlatBuffer.
//
// In either the FlatBuffer is size-prefixed with the identifier "IREE", and
// constants stored outside it begin at the next 64-byte boundary of the file.
// Tested by archive_test.cc, archive_fuzz.cc.
#ifndef EYRIE_VM_MODULE_ARCHIVE_H_
#define EYRIE_VM_MODULE_ARCHIVE_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/mapped_file.h"

namespace eyrie::vm {

// Constants outside the FlatBuffer, and the FlatBuffer itself, begin at
// multiples of this from the start of the file.
inline constexpr size_t kArchiveAlignment = 64;

// A member of the ZIP, from its central directory.
struct ArchiveMember {
  std::string name;
  uint64_t offset;  // of its bytes, from the start of the file
  uint64_t size;
  uint32_t crc = 0;  // CRC-32 of its bytes; 0: whoever wrote it kept none
};

// An open module file: where its parts are, nothing yet decoded. Immutable;
// shared by threads. Keeps the bytes alive (Borrow: the caller does).
class Archive {
 public:
  // Maps a file ("-": reads standard input). Besides MappedFile's errors,
  // INVALID_ARGUMENT: not a module; the sentence says what the file looks like.
  static absl::StatusOr<std::shared_ptr<const Archive>> Open(
      const std::string& path);

  // Copies bytes to aligned storage. `name` stands for the path in messages.
  static absl::StatusOr<std::shared_ptr<const Archive>> Copy(
      std::span<const uint8_t> bytes, const std::string& name);

  // Uses bytes that outlive the archive and all made from it. Copies only the
  // FlatBuffer, and only if it is not aligned to 16 bytes in memory.
  static absl::StatusOr<std::shared_ptr<const Archive>> Borrow(
      std::span<const uint8_t> bytes, const std::string& name);

  // As Borrow, with an owner that is released with the archive.
  static absl::StatusOr<std::shared_ptr<const Archive>> FromOwner(
      std::shared_ptr<const void> owner, std::span<const uint8_t> bytes,
      const std::string& name);

  // Uses a file that is already open.
  static absl::StatusOr<std::shared_ptr<const Archive>> FromFile(
      std::shared_ptr<const MappedFile> file);

  Archive(const Archive&) = delete;
  Archive& operator=(const Archive&) = delete;
  ~Archive();

  // The path or name given.
  const std::string& name() const { return name_; }
  std::span<const uint8_t> bytes() const { return bytes_; }
  // The file that bytes() are of, or nullptr if Open did not make this.
  const MappedFile* file() const { return file_; }

  // The FlatBuffer with its size prefix.
  std::span<const uint8_t> flatbuffer() const { return flatbuffer_; }
  // Its place in the file, prefix included.
  uint64_t flatbuffer_offset() const { return flatbuffer_offset_; }

  // Where offsets of constants outside the FlatBuffer count from; past the
  // end of the file if it has none.
  uint64_t rodata_base() const { return rodata_base_; }

  bool is_zip() const { return is_zip_; }
  // Of a ZIP, ascending by offset; a bare FlatBuffer has none.
  const std::vector<ArchiveMember>& members() const { return members_; }

  // The name of the member whose bytes begin at `offset`; empty if none.
  absl::string_view MemberAt(uint64_t offset) const;

  // Compares the CRC-32 of the member that holds `bytes`, a part of this
  // archive, with the directory's. A member is read once at most, however often
  // it is asked for. What is in no member, or has none, passes.
  // INVALID_ARGUMENT: they differ.
  absl::Status CheckMemberOf(std::span<const uint8_t> bytes) const;

 private:
  Archive() = default;
  static absl::StatusOr<std::shared_ptr<const Archive>> Create(
      std::shared_ptr<const void> owner, const MappedFile* file,
      std::span<const uint8_t> bytes, const std::string& name);
  absl::Status Parse();
  // Where a part of the archive begins in the file.
  uint64_t OffsetOf(std::span<const uint8_t> bytes) const;

  std::string name_;
  std::shared_ptr<const void> owner_;
  const MappedFile* file_ = nullptr;  // the owner
  std::span<const uint8_t> bytes_;
  std::span<const uint8_t> flatbuffer_;
  uint8_t* aligned_flatbuffer_ = nullptr;  // owned copy, if one was needed
  uint64_t flatbuffer_offset_ = 0;
  uint64_t rodata_base_ = 0;
  bool is_zip_ = false;
  std::vector<ArchiveMember> members_;
  // One per member: whether its bytes are known to be those that were written.
  std::unique_ptr<std::atomic<bool>[]> checked_;
};

// What bytes that are no module look like, as a sentence about `name`
// ("model.mlir is MLIR text, not a compiled module.").
std::string DescribeForeignBytes(std::span<const uint8_t> bytes,
                                 absl::string_view name);

}  // namespace eyrie::vm

#endif  // EYRIE_VM_MODULE_ARCHIVE_H_
