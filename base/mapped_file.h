// Maps a file's bytes read-only. Opening takes the same time for a kilobyte and
// for a gigabyte. A page uses memory only after it is read.
//
// Tested by base_test.cc.
#ifndef EYRIE_BASE_MAPPED_FILE_H_
#define EYRIE_BASE_MAPPED_FILE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/descriptor.h"

namespace eyrie {

// Writable memory with a copy of a file's bytes. The first write to a page
// copies it; other pages are shared with the file. Writes do not change the
// file or other mappings of it. Outlives the MappedFile.
class PrivateMapping {
 public:
  PrivateMapping(const PrivateMapping&) = delete;
  PrivateMapping& operator=(const PrivateMapping&) = delete;
  ~PrivateMapping();

  // Has the same address modulo the page size as the bytes that it copies.
  std::span<uint8_t> bytes() const { return bytes_; }

 private:
  friend class MappedFile;
  PrivateMapping(void* base, size_t mapped_size, std::span<uint8_t> bytes)
      : base_(base), mapped_size_(mapped_size), bytes_(bytes) {}

  void* base_;
  size_t mapped_size_;
  std::span<uint8_t> bytes_;
};

// Immutable, thread-safe. If another process truncates a mapped file, access to
// the removed bytes faults.
class MappedFile {
 public:
  // Maps a regular file. Reads a pipe to its end, and the first 16 MiB of a
  // device. "-" is standard input, which may be any of these.
  // NOT_FOUND: the file does not exist. INVALID_ARGUMENT: it is a directory.
  // RESOURCE_EXHAUSTED: a pipe has more bytes than half of the machine's
  // memory. Other system errors have the code of SystemError().
  static absl::StatusOr<std::shared_ptr<const MappedFile>> Open(
      const std::string& path);

  // Maps a regular file of at most `most` bytes. Never blocks, as opening a
  // pipe would. Does not follow a symbolic link at the end of the path.
  // INVALID_ARGUMENT: the path is not a regular file. RESOURCE_EXHAUSTED: the
  // file is larger. Otherwise like Open.
  static absl::StatusOr<std::shared_ptr<const MappedFile>> OpenRegular(
      const std::string& path, uint64_t most);

  // Maps `size` bytes at `offset` of an open regular file; no size means all
  // bytes up to its end. Duplicates the descriptor, which the caller may close.
  // `name` is for messages and path(). INVALID_ARGUMENT: the descriptor is not
  // open, or not that of a regular file. OUT_OF_RANGE: the range exceeds the
  // file. PERMISSION_DENIED: it was not opened for reading.
  // RESOURCE_EXHAUSTED: the system has no memory for the mapping.
  static absl::StatusOr<std::shared_ptr<const MappedFile>> OpenPart(
      int descriptor, uint64_t offset, std::optional<uint64_t> size,
      const std::string& name);

  // Called with the number of bytes about to be allocated, and with 0 before
  // each piece is read. An error ends the reading and is returned.
  using Gate = absl::FunctionRef<absl::Status(uint64_t more)>;

  // Reads an open descriptor as Open reads a pipe or a device, and leaves it
  // open. `name` is for messages and path(). RESOURCE_EXHAUSTED: there is not
  // enough memory. Also returns errors of `gate`.
  static absl::StatusOr<std::shared_ptr<const MappedFile>> ReadAll(
      int descriptor, const std::string& name,
      Gate gate = [](uint64_t) { return absl::OkStatus(); });

  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  // Valid as long as this object. Aligned to at least 64 bytes, or as a part's
  // offset in its file. Empty for an empty file.
  std::span<const uint8_t> bytes() const { return {data_, size_}; }
  const std::string& path() const { return path_; }

  // Maps a part of bytes() again, writable and private. OUT_OF_RANGE: `part`
  // is empty or not within bytes(). FAILED_PRECONDITION: the bytes were read,
  // not mapped; copy them. RESOURCE_EXHAUSTED: the system has no memory for
  // another mapping.
  absl::StatusOr<std::shared_ptr<const PrivateMapping>> MapPrivately(
      std::span<const uint8_t> part) const;

 private:
  enum class Storage { kNone, kMapping, kHeap };

  static absl::StatusOr<std::shared_ptr<const MappedFile>> OpenInput();
  // Takes over the descriptor.
  static absl::StatusOr<std::shared_ptr<const MappedFile>> Map(
      int descriptor, const std::string& path);
  // Maps a part of a regular file, which has these bytes.
  static absl::StatusOr<std::shared_ptr<const MappedFile>> MapPart(
      Descriptor file, uint64_t offset, uint64_t size, const std::string& path);

  MappedFile(std::string path, const uint8_t* data, size_t size,
             Storage storage, int descriptor, uint64_t file_offset = 0)
      : path_(std::move(path)),
        data_(data),
        size_(size),
        storage_(storage),
        descriptor_(descriptor),
        file_offset_(file_offset) {}

  std::string path_;
  const uint8_t* data_;
  size_t size_;
  Storage storage_;
  int descriptor_;        // owned; -1 if not a mapping
  uint64_t file_offset_;  // of bytes(), if a mapping
};

}  // namespace eyrie

#endif  // EYRIE_BASE_MAPPED_FILE_H_
