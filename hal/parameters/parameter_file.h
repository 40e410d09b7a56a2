// A file that contains parameters, or memory or a function of the host instead.
//
// Tested by parameters_test.cc.
#ifndef EYRIE_HAL_PARAMETERS_PARAMETER_FILE_H_
#define EYRIE_HAL_PARAMETERS_PARAMETER_FILE_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/deadline.h"
#include "base/mapped_file.h"
#include "base/memory_meter.h"
#include "base/ref.h"
#include "base/writable_file.h"

namespace eyrie::hal {

// Limits of preloading; by default there are none.
struct PreloadLimits {
  std::shared_ptr<MemoryMeter> memory;  // charged until the file is closed
  Deadline deadline;
  // Receives the number of bytes read so far; must outlive Open. May be null.
  std::atomic<uint64_t>* progress = nullptr;
};

// May be shared by threads; callers must order writes to writable_bytes().
class ParameterFile final : public RefObject {
 public:
  static constexpr RefType kType{"eyrie.parameter_file"};

  enum class Mode {
    kMapped,     // mapped; pages are read when first used
    kPreloaded,  // read completely by Open
    kWritable,   // mapped; programs' writes change the file
  };

  // Opens a file. Returns the errors of MappedFile::Open or WritableFile::Open.
  // While preloading, RESOURCE_EXHAUSTED: out of memory, or over the limit;
  // DEADLINE_EXCEEDED: not read by the deadline.
  static absl::StatusOr<Ref<ParameterFile>> Open(
      const std::string& path, Mode mode, const PreloadLimits& limits = {});
  // Creates a writable file in memory.
  static Ref<ParameterFile> FromBytes(std::vector<uint8_t> bytes,
                                      std::string name);

  // Uses a part of a file that is already mapped.
  static Ref<ParameterFile> OfMapping(std::shared_ptr<const MappedFile> file);
  // Uses bytes of the host, which `owner` keeps alive. If `in_place`, devices
  // may use the bytes themselves for parameters that programs do not change.
  static Ref<ParameterFile> Borrow(std::span<const uint8_t> bytes,
                                   std::shared_ptr<const void> owner,
                                   std::string name, bool in_place);
  // Fills the target with the bytes at an offset. Must be thread-safe.
  using Reader =
      std::function<absl::Status(uint64_t offset, std::span<uint8_t> target)>;
  // Creates a file whose bytes a function of the host reads. bytes() is empty.
  static Ref<ParameterFile> OfReader(uint64_t size, Reader reader,
                                     std::string name);

  const std::string& path() const { return path_; }
  uint64_t size() const { return reader_ ? size_ : bytes_.size(); }
  std::span<const uint8_t> bytes() const { return bytes_; }
  // Returns the function that reads the bytes; null if bytes() has them.
  const Reader& reader() const { return reader_; }
  // Reports whether devices may use bytes() themselves, without writing.
  bool in_place() const { return in_place_; }
  // Returns the bytes for writing; empty if the file is read-only.
  std::span<uint8_t> writable_bytes() const { return writable_bytes_; }
  // Returns the mapping, for private mappings of its pages; null if none.
  const MappedFile* mapping() const { return mapping_.get(); }

 private:
  explicit ParameterFile(std::string path)
      : RefObject(kType), path_(std::move(path)) {}

  std::string path_;
  std::span<const uint8_t> bytes_;
  std::span<uint8_t> writable_bytes_;
  Reader reader_;
  uint64_t size_ = 0;  // if there is a reader
  bool in_place_ = false;
  // Own the bytes; only one is used.
  std::shared_ptr<const void> owner_;
  std::shared_ptr<const MappedFile> mapping_;
  std::unique_ptr<WritableFile> shared_;
  std::vector<uint8_t> loaded_;
  MemoryCharge charge_;  // of a preloaded file
};

}  // namespace eyrie::hal

#endif  // EYRIE_HAL_PARAMETERS_PARAMETER_FILE_H_
