// The container of a module: a ZIP file whose first member is the module's
// FlatBuffer and whose other members are large constants, or the FlatBuffer
// alone.
//
// The FlatBuffer has a size prefix and the identifier "IREE". Constants outside
// of it begin at the next 64-byte boundary of the file.
// Tested by archive_test.cc, testing/archive_fuzz.cc.
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
#include "base/zip.h"

namespace eyrie::vm {

// The alignment in bytes, from the start of the file, of the FlatBuffer and of
// constants outside of it.
inline constexpr size_t kArchiveAlignment = 64;

// An open module file. It knows where the parts are, but nothing is decoded.
// Immutable; shared by threads. Keeps the bytes alive, except for Borrow.
class Archive {
 public:
  // Maps a file; "-" reads standard input. Returns the errors of MappedFile,
  // and INVALID_ARGUMENT if the file is not a module; the message says what it
  // looks like.
  static absl::StatusOr<std::shared_ptr<const Archive>> Open(
      const std::string& path);

  // Copies the bytes to aligned memory. Messages use `name` in place of a path.
  static absl::StatusOr<std::shared_ptr<const Archive>> Copy(
      std::span<const uint8_t> bytes, const std::string& name);

  // Uses bytes that must outlive the archive and everything created from it.
  // Copies only the FlatBuffer, and only if it is not aligned to 16 bytes in
  // memory.
  static absl::StatusOr<std::shared_ptr<const Archive>> Borrow(
      std::span<const uint8_t> bytes, const std::string& name);

  // Like Borrow, but retains `owner`, which keeps the bytes alive.
  static absl::StatusOr<std::shared_ptr<const Archive>> FromOwner(
      std::shared_ptr<const void> owner, std::span<const uint8_t> bytes,
      const std::string& name);

  // Uses a file that is already open.
  static absl::StatusOr<std::shared_ptr<const Archive>> FromFile(
      std::shared_ptr<const MappedFile> file);

  Archive(const Archive&) = delete;
  Archive& operator=(const Archive&) = delete;
  ~Archive();

  // Returns the path or name given at creation.
  const std::string& name() const { return name_; }
  std::span<const uint8_t> bytes() const { return bytes_; }
  // Returns the file that contains bytes(), or null if they are in memory.
  const MappedFile* file() const { return file_; }

  // Returns the FlatBuffer with its size prefix.
  std::span<const uint8_t> flatbuffer() const { return flatbuffer_; }
  // Returns the offset of flatbuffer() in the file.
  uint64_t flatbuffer_offset() const { return flatbuffer_offset_; }

  // Returns the offset that constants outside the FlatBuffer are relative to.
  // It is beyond the end of a file without constants.
  uint64_t rodata_base() const { return rodata_base_; }

  bool is_zip() const { return is_zip_; }
  // Returns the members of a ZIP file, ascending by position. Empty otherwise.
  const std::vector<ZipMember>& members() const { return members_; }

  // Returns the name of the member whose contents begin at `offset`, or "".
  absl::string_view MemberAt(uint64_t offset) const;

  // Checks the CRC-32 of the member that contains `bytes`, which must be a part
  // of this archive. Reads each member only once. Returns OK if no member
  // contains them or the member has no CRC. Returns INVALID_ARGUMENT if the CRC
  // is wrong.
  absl::Status CheckMemberOf(std::span<const uint8_t> bytes) const;

 private:
  Archive() = default;
  static absl::StatusOr<std::shared_ptr<const Archive>> Create(
      std::shared_ptr<const void> owner, const MappedFile* file,
      std::span<const uint8_t> bytes, const std::string& name);
  absl::Status Parse();
  absl::Status ReadMembers();
  // Returns the offset in the file of a part of the archive.
  uint64_t OffsetOf(std::span<const uint8_t> bytes) const;

  std::string name_;
  std::shared_ptr<const void> owner_;
  const MappedFile* file_ = nullptr;  // same object as owner_
  std::span<const uint8_t> bytes_;
  std::span<const uint8_t> flatbuffer_;
  uint8_t* aligned_flatbuffer_ = nullptr;  // owned; null if no copy was needed
  uint64_t flatbuffer_offset_ = 0;
  uint64_t rodata_base_ = 0;
  bool is_zip_ = false;
  std::vector<ZipMember> members_;
  // One per member: whether its CRC was found to be correct.
  std::unique_ptr<std::atomic<bool>[]> checked_;
};

// Describes bytes that are not a module, as a sentence about `name`:
// "model.mlir is MLIR text, not a compiled module."
std::string DescribeForeignBytes(std::span<const uint8_t> bytes,
                                 absl::string_view name);

}  // namespace eyrie::vm

#endif  // EYRIE_VM_MODULE_ARCHIVE_H_
