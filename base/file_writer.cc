// Files that get their names when they are whole.
//
// Tested by abi/function_io_test.cc, tools/cli_test.py.
#include "base/file_writer.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "base/system_error.h"

namespace eyrie {
namespace {

// Zeros that are worth a hole in a file, in bytes: a page.
constexpr size_t kLeastHole = 4096;

bool IsZero(std::span<const uint8_t> bytes) {
  return bytes[0] == 0 &&
         std::memcmp(bytes.data(), bytes.data() + 1, bytes.size() - 1) == 0;
}

std::string DescriptorPath(int descriptor) {
  return absl::StrCat("/proc/self/fd/", descriptor);
}

std::string PartialPath(const std::string& path) {
  return absl::StrCat(path, ".", getpid(), ".part");
}

}  // namespace

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
  regular_ = true;
  if (!OpenUnnamed()) OpenPartial();
}

bool FileWriter::OpenUnnamed() {
  // Names are given by way of /proc.
  if (access("/proc/self/fd", X_OK) != 0) return false;
  const size_t slash = path_.rfind('/');
  const std::string folder =
      slash == path_.npos ? "." : path_.substr(0, slash + 1);
  descriptor_ = open(folder.c_str(), O_WRONLY | O_TMPFILE | O_CLOEXEC, 0666);
  unnamed_ = descriptor_ >= 0;
  return unnamed_;
}

void FileWriter::OpenPartial() {
  std::string partial = PartialPath(path_);
  descriptor_ =
      open(partial.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor_ < 0) return Fail("create");
  partial_ = std::move(partial);
}

void FileWriter::Fail(const char* doing) {
  status_ = SystemError(doing, path_, errno);
}

absl::Status FileWriter::CheckRoom(uint64_t size) {
  struct statvfs room = {};
  if (!status_.ok() || !regular_ || fstatvfs(descriptor_, &room) != 0) {
    return status_;
  }
  const uint64_t left = uint64_t{room.f_bavail} * room.f_frsize;
  if (size > left) {
    status_ = absl::ResourceExhaustedError(
        absl::StrCat("Cannot write ", path_, ": it takes ", size,
                     " bytes; its file system has ", left, " left."));
  }
  return status_;
}

absl::Status FileWriter::Write(std::span<const uint8_t> bytes) {
  if (regular_ && bytes.size() >= kLeastHole && IsZero(bytes)) {
    zeros_ += bytes.size();
    return status_;
  }
  if (zeros_ != 0 && status_.ok() &&
      lseek(descriptor_, static_cast<off_t>(std::exchange(zeros_, 0)),
            SEEK_CUR) < 0) {
    Fail("write");
  }
  return Put(bytes);
}

absl::Status FileWriter::Put(std::span<const uint8_t> bytes) {
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

bool FileWriter::Link() {
  const std::string from = DescriptorPath(descriptor_);
  const auto link_as = [&from](const std::string& name) {
    return linkat(AT_FDCWD, from.c_str(), AT_FDCWD, name.c_str(),
                  AT_SYMLINK_FOLLOW) == 0;
  };
  if (link_as(path_)) return true;
  if (errno != EEXIST) return false;
  // A name is replaced by another one only.
  std::string partial = PartialPath(path_);
  unlink(partial.c_str());  // of a process that was killed
  if (!link_as(partial)) return false;
  partial_ = std::move(partial);
  return true;
}

absl::Status FileWriter::Finish() {
  if (!status_.ok()) return status_;
  if (zeros_ != 0) {  // the last byte makes the file's size
    const uint8_t zero[] = {0};
    --zeros_;
    RETURN_IF_ERROR(Write(zero));
  }
  if (unnamed_ && !Link()) Fail("create");
  const bool closed = close(std::exchange(descriptor_, -1)) == 0;
  if (!regular_ || !status_.ok()) return status_;
  if (!closed) {
    Fail("write");
  } else if (!partial_.empty() &&
             rename(partial_.c_str(), path_.c_str()) != 0) {
    Fail("replace");
  } else {
    partial_.clear();  // it has its name
  }
  return status_;
}

}  // namespace eyrie
