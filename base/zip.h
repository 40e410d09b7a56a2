// Reads the directories of ZIP files, and writes ZIP files of stored members.
//
// Offsets and sizes in a ZIP are checked against the file, and no byte belongs
// to two members. ZIP64 is supported. Contents are neither inflated nor
// compared with their checksums.
// Tested by abi/tensor/npy_test.cc, vm/module/archive_test.cc.
#ifndef EYRIE_BASE_ZIP_H_
#define EYRIE_BASE_ZIP_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace eyrie {

inline constexpr uint16_t kZipStored = 0, kZipDeflated = 8;
inline constexpr uint16_t kZipEncrypted = 1;  // a flag

// A member of a ZIP, as in its directory.
struct ZipMember {
  std::string name;
  uint16_t flags = 0;
  uint16_t method = kZipStored;
  uint32_t crc = 0;                 // of its inflated bytes
  uint64_t size = 0;                // inflated, in bytes
  std::span<const uint8_t> packed;  // in the file; borrowed
};

struct ZipDirectory {
  std::vector<ZipMember> members;  // in the directory's order
  std::span<const uint8_t> rows;   // the directory, in the file; borrowed
};

// Returns the INVALID_ARGUMENT error "<file> is damaged: <what>.".
absl::Status DamagedZip(absl::string_view file, absl::string_view what);

// Reports whether the bytes begin like a ZIP.
bool LooksLikeZip(std::span<const uint8_t> bytes);

// Returns the offset of a member's contents, given that of its header, or
// nullopt if there is no header or it is cut off.
std::optional<uint64_t> ZipContents(std::span<const uint8_t> bytes,
                                    uint64_t header);

// Reads the directory. Messages begin with `file`: "The .npz file".
// INVALID_ARGUMENT: it is damaged, or members overlap. RESOURCE_EXHAUSTED:
// memory ran out.
absl::StatusOr<ZipDirectory> ReadZip(std::span<const uint8_t> bytes,
                                     absl::string_view file);

// Dates are the first day of the format, so that equal members give equal
// bytes. Names must be shorter than 64 KiB.
class ZipWriter {
 public:
  static constexpr size_t kMaxAlignment = 4096;

  ZipWriter() = default;
  // Adds members to a ZIP, whose directory `old` was read from `zip`. No member
  // may follow the directory.
  ZipWriter(std::span<const uint8_t> zip, const ZipDirectory& old);

  // Returns the offset of the contents of a member that is added at the offset
  // `at`. `size` is that of the contents.
  static uint64_t Place(uint64_t at, absl::string_view name, uint64_t size,
                        size_t alignment);
  // Aligns the contents from the start of the file, to a power of two up to
  // kMaxAlignment.
  void Add(absl::string_view name, absl::string_view contents,
           size_t alignment = 64);
  bool Has(const std::string& name) const { return names_.contains(name); }
  uint64_t count() const { return count_; }
  // Returns the offset in the file at which the bytes from Finish begin. The
  // file must be unchanged before it.
  uint64_t begin() const { return begin_; }
  // Returns the rest of the file, and leaves the writer empty.
  std::string Finish();

 private:
  uint64_t begin_ = 0;
  uint64_t count_ = 0;
  std::set<std::string> names_;
  std::string file_;  // from begin_ on
  std::string rows_;  // the directory
};

}  // namespace eyrie

#endif  // EYRIE_BASE_ZIP_H_
