// A file that parameters lie in.
//
// Tested by parameters_test.cc.
#ifndef EYRIE_HAL_PARAMETERS_PARAMETER_FILE_H_
#define EYRIE_HAL_PARAMETERS_PARAMETER_FILE_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "base/deadline.h"
#include "base/mapped_file.h"
#include "base/memory_meter.h"
#include "base/ref.h"
#include "base/writable_file.h"

namespace eyrie::hal {

// What preloading may take. Both are without limit unless set.
struct PreloadLimits {
  std::shared_ptr<MemoryMeter> memory;  // counts a file while it is there
  Deadline deadline;
  // Says, while a file is read, how many of its bytes are; outlives the
  // reading. May be null.
  std::atomic<uint64_t>* progress = nullptr;
};

// Shared by threads; writes to a writable one are the caller's to order.
class ParameterFile final : public RefObject {
 public:
  static constexpr RefType kType{"eyrie.parameter_file"};

  enum class Mode {
    kMapped,     // read from the mapping, page by page when first used
    kPreloaded,  // read whole at once
    kWritable,   // mapped; what programs write goes to the file
  };

  // Fails as MappedFile::Open or WritableFile::Open; RESOURCE_EXHAUSTED: there
  // is no memory to preload it, or the limit is passed; DEADLINE_EXCEEDED.
  static absl::StatusOr<Ref<ParameterFile>> Open(
      const std::string& path, Mode mode, const PreloadLimits& limits = {});
  // A file in memory, writable.
  static Ref<ParameterFile> FromBytes(std::vector<uint8_t> bytes,
                                      std::string name);

  const std::string& path() const { return path_; }
  std::span<const uint8_t> bytes() const { return bytes_; }
  // Bytes to write to; empty if the file may only be read.
  std::span<uint8_t> writable_bytes() const { return writable_bytes_; }
  // The mapping whose pages may be mapped privately; null if there is none.
  const MappedFile* mapping() const { return mapping_.get(); }

 private:
  explicit ParameterFile(std::string path)
      : RefObject(kType), path_(std::move(path)) {}

  std::string path_;
  std::span<const uint8_t> bytes_;
  std::span<uint8_t> writable_bytes_;
  // What holds the bytes.
  std::shared_ptr<const MappedFile> mapping_;
  std::unique_ptr<WritableFile> shared_;
  std::vector<uint8_t> loaded_;
  MemoryCharge charge_;  // of a preloaded file
};

}  // namespace eyrie::hal

#endif  // EYRIE_HAL_PARAMETERS_PARAMETER_FILE_H_
