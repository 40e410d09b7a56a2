#include "base/writable_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/system_error.h"

namespace eyrie {
namespace {

// Maps an open file.
absl::StatusOr<std::span<uint8_t>> Map(int descriptor,
                                       const std::string& path) {
  struct stat info;
  if (fstat(descriptor, &info) != 0) return SystemError("stat", path, errno);
  if (!S_ISREG(info.st_mode)) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, " is not a regular file."));
  }
  const size_t size = static_cast<size_t>(info.st_size);
  if (size == 0) return std::span<uint8_t>();
  void* data =
      mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  if (data == MAP_FAILED) return SystemError("map", path, errno);
  return std::span<uint8_t>(static_cast<uint8_t*>(data), size);
}

}  // namespace

absl::StatusOr<std::unique_ptr<WritableFile>> WritableFile::Open(
    const std::string& path) {
  // O_NONBLOCK: opening a pipe would wait for its other end.
  const int descriptor = open(path.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return SystemError("open", path, errno);
  const absl::StatusOr<std::span<uint8_t>> bytes = Map(descriptor, path);
  close(descriptor);  // the mapping remains
  if (!bytes.ok()) return bytes.status();
  return std::unique_ptr<WritableFile>(new WritableFile(*bytes));
}

WritableFile::~WritableFile() {
  if (!bytes_.empty()) munmap(bytes_.data(), bytes_.size());
}

}  // namespace eyrie
