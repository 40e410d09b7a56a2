// A file's bytes, mapped read-only and private: opening costs the same for a
// kilobyte and for a gigabyte, and nothing is resident before it is read.
//
// Tested by base_test.cc.
#ifndef EYRIE_BASE_MAPPED_FILE_H_
#define EYRIE_BASE_MAPPED_FILE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace eyrie {

// Writable memory that starts as a copy of a file's bytes, page by page when
// a page is first written; unwritten pages stay the file's and cost nothing.
// Neither the file nor another mapping of it sees the writes.
class PrivateMapping {
 public:
  PrivateMapping(const PrivateMapping&) = delete;
  PrivateMapping& operator=(const PrivateMapping&) = delete;
  ~PrivateMapping();

  // At the same address modulo the page size as the bytes it copies.
  std::span<uint8_t> bytes() const { return bytes_; }

 private:
  friend class MappedFile;
  PrivateMapping(void* base, size_t mapped_size, std::span<uint8_t> bytes)
      : base_(base), mapped_size_(mapped_size), bytes_(bytes) {}

  void* base_;
  size_t mapped_size_;
  std::span<uint8_t> bytes_;
};

// Immutable; shared by threads. A file that another process truncates while
// it is mapped faults on access: that is the system's, not ours.
class MappedFile {
 public:
  // Maps a regular file; reads a pipe to its end instead, and of a device the
  // first 16 MiB ("-": standard input, which may be either). NOT_FOUND: no
  // such file. INVALID_ARGUMENT: a directory. RESOURCE_EXHAUSTED: a pipe has
  // more than half of the machine's memory. INTERNAL: the system refuses, in
  // its own words.
  static absl::StatusOr<std::shared_ptr<const MappedFile>> Open(
      const std::string& path);

  // Maps a regular file of at most `most` bytes; never waits, as for the writer
  // of a pipe. INVALID_ARGUMENT: it is none, be it a link to one.
  // RESOURCE_EXHAUSTED: it is larger. Else as Open.
  static absl::StatusOr<std::shared_ptr<const MappedFile>> OpenRegular(
      const std::string& path, uint64_t most);

  // Asked before so many more bytes are allocated, and with 0 before each piece
  // is read; an error ends the reading.
  using Gate = absl::FunctionRef<absl::Status(uint64_t more)>;

  // Reads an open descriptor, which stays open, as Open does a pipe or device.
  // RESOURCE_EXHAUSTED: there is no memory; else also as the gate.
  static absl::StatusOr<std::shared_ptr<const MappedFile>> ReadAll(
      int descriptor, const std::string& name,
      Gate gate = [](uint64_t) { return absl::OkStatus(); });

  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  // Aligned to at least 64 bytes; empty for an empty file.
  std::span<const uint8_t> bytes() const { return {data_, size_}; }
  const std::string& path() const { return path_; }

  // A part of bytes() mapped once more, writable. OUT_OF_RANGE: it is no such
  // part. FAILED_PRECONDITION: the bytes were read, not mapped; copy them.
  // RESOURCE_EXHAUSTED: the system refuses another mapping.
  absl::StatusOr<std::shared_ptr<const PrivateMapping>> MapPrivately(
      std::span<const uint8_t> part) const;

 private:
  enum class Storage { kNone, kMapping, kHeap };

  static absl::StatusOr<std::shared_ptr<const MappedFile>> OpenInput();
  // Takes over the descriptor.
  static absl::StatusOr<std::shared_ptr<const MappedFile>> Map(
      int descriptor, const std::string& path);

  MappedFile(std::string path, const uint8_t* data, size_t size,
             Storage storage, int descriptor)
      : path_(std::move(path)),
        data_(data),
        size_(size),
        storage_(storage),
        descriptor_(descriptor) {}

  std::string path_;
  const uint8_t* data_;
  size_t size_;
  Storage storage_;
  int descriptor_;  // owned; -1 if not a mapping
};

}  // namespace eyrie

#endif  // EYRIE_BASE_MAPPED_FILE_H_
