// Files by way of a temporary one beside them.
//
// Tested by abi/function_io_test.cc, tools/cli_test.py.
#include "base/file_writer.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/system_error.h"

namespace eyrie {

FileWriter::FileWriter(std::string path) : path_(std::move(path)) { Open(); }

FileWriter::~FileWriter() {
  if (descriptor_ >= 0) close(descriptor_);
  if (!partial_.empty()) unlink(partial_.c_str());
}

void FileWriter::Open() {
  struct stat existing = {};
  if (stat(path_.c_str(), &existing) == 0 && !S_ISREG(existing.st_mode)) {
    if (S_ISDIR(existing.st_mode)) {
      errno = EISDIR;
      return Fail("write");
    }
    descriptor_ = open(path_.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor_ < 0) Fail("open");
    return;
  }
  std::string partial = absl::StrCat(path_, ".", getpid(), ".part");
  descriptor_ =
      open(partial.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor_ < 0) return Fail("create");
  partial_ = std::move(partial);
}

void FileWriter::Fail(const char* doing) {
  status_ = SystemError(doing, path_, errno);
}

absl::Status FileWriter::Write(std::span<const uint8_t> bytes) {
  while (status_.ok() && !bytes.empty()) {
    const ssize_t written = write(descriptor_, bytes.data(), bytes.size());
    if (written >= 0) {
      bytes = bytes.subspan(static_cast<size_t>(written));
    } else if (errno != EINTR) {
      Fail("write");
    }
  }
  return status_;
}

absl::Status FileWriter::WriteText(absl::string_view text) {
  return Write({reinterpret_cast<const uint8_t*>(text.data()), text.size()});
}

absl::Status FileWriter::Finish() {
  if (!status_.ok()) return status_;
  const bool closed = close(std::exchange(descriptor_, -1)) == 0;
  if (partial_.empty()) return status_;
  if (!closed) {
    Fail("write");
  } else if (rename(partial_.c_str(), path_.c_str()) != 0) {
    Fail("replace");
  } else {
    partial_.clear();  // it has its name
  }
  return status_;
}

}  // namespace eyrie
