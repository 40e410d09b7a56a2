// All new content is first written to an unnamed file in the same folder. Then
//  * a missing file is created by giving the new one its name, so it appears
//    with all its content;
//  * a file with one name, if mode, owner and attributes can be copied, is
//    replaced by a rename: readers see either the old or the new content;
//  * any other file (several hard links, another owner, a folder in which files
//    cannot be created) is overwritten, after disk space is reserved. Only a
//    disk error in this last copy can lose the old content.
#include "base/file_writer.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/file_attributes.h"
#include "base/folders.h"
#include "base/signal_block.h"
#include "base/status_macros.h"
#include "base/system_error.h"

namespace eyrie {
namespace {

// The smallest run of zero bytes that becomes a hole: a page.
constexpr size_t kLeastHole = 4096;
constexpr int kMaxPartials = 100;  // names to try

bool IsZero(std::span<const uint8_t> bytes) {
  return bytes[0] == 0 &&
         std::memcmp(bytes.data(), bytes.data() + 1, bytes.size() - 1) == 0;
}

std::string PartialPath(const std::string& place, int number) {
  return absl::StrCat(place, ".", getpid(),
                      number == 0 ? "" : absl::StrCat(".", number), ".part");
}

}  // namespace

FileWriter::FileWriter(std::string path) : path_(std::move(path)) { Open(); }

FileWriter::~FileWriter() {
  if (!partial_.empty()) unlink(partial_.c_str());
}

void FileWriter::Open() {
  absl::StatusOr<FileTarget> target = FindFileTarget(path_);
  if (!target.ok()) {
    status_ = target.status();
    return;
  }
  target_ = *std::move(target);
  target_.file.reset();  // Finish opens it again
  if (target_.is_stream()) return;
  const std::string folder = FolderOf(target_.place);
  if (OpenUnnamed(folder.empty() ? "." : folder) || OpenPartial()) return;
  if (target_.kind == FileTarget::Kind::kMissing || !OpenElsewhere()) {
    Fail("create");
  }
}

bool FileWriter::OpenUnnamed(const std::string& folder) {
  // Link() needs /proc.
  if (access("/proc/self/fd", X_OK) != 0) return false;
  new_file_.reset(open(folder.c_str(), O_RDWR | O_TMPFILE | O_CLOEXEC, 0666));
  unnamed_ = new_file_.is_open();
  return unnamed_;
}

bool FileWriter::OpenPartial() {
  for (int i = 0; i < kMaxPartials; ++i) {
    std::string partial = PartialPath(target_.place, i);
    new_file_.reset(open(partial.c_str(),
                         O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                         0666));
    if (new_file_.is_open()) {
      partial_ = std::move(partial);
      return true;
    }
    if (errno != EEXIST) return false;
  }
  return false;
}

bool FileWriter::OpenElsewhere() {
  const char* const folder = std::getenv("TMPDIR");
  new_file_.reset(open(folder == nullptr ? P_tmpdir : folder,
                       O_RDWR | O_TMPFILE | O_CLOEXEC | O_EXCL, 0600));
  if (new_file_.is_open()) return true;
  new_file_.reset(memfd_create("eyrie-new-content", MFD_CLOEXEC));
  return new_file_.is_open();
}

absl::Status FileWriter::OpenStream() {
  if (!status_.ok() || !is_stream() || new_file_.is_open()) return status_;
  new_file_.reset(target_.kind == FileTarget::Kind::kDescriptor
                      ? fcntl(target_.number, F_DUPFD_CLOEXEC, 0)
                      : open(path_.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY));
  if (!new_file_.is_open()) Fail("open");
  return status_;
}

void FileWriter::Fail(const char* doing) {
  status_ = SystemError(doing, path_, errno);
}

absl::Status FileWriter::CheckRoom(uint64_t size) {
  struct statvfs room = {};
  if (!status_.ok() || is_stream() || fstatvfs(new_file_.get(), &room) != 0) {
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
  if (bytes.empty()) return status_;
  if (!is_stream() && bytes.size() >= kLeastHole && IsZero(bytes)) {
    zeros_ += bytes.size();
    return status_;
  }
  if (zeros_ != 0 && status_.ok() &&
      lseek(new_file_.get(), static_cast<off_t>(std::exchange(zeros_, 0)),
            SEEK_CUR) < 0) {
    Fail("write");
  }
  return Put(bytes);
}

absl::Status FileWriter::Put(std::span<const uint8_t> bytes) {
  RETURN_IF_ERROR(OpenStream());
  RETURN_IF_ERROR(status_);
  if (WriteAll(new_file_.get(), bytes) != bytes.size()) Fail("write");
  return status_;
}

absl::Status FileWriter::WriteText(absl::string_view text) {
  return Write({reinterpret_cast<const uint8_t*>(text.data()), text.size()});
}

absl::Status FileWriter::Finish() {
  if (!status_.ok()) return status_;
  if (is_stream()) {
    RETURN_IF_ERROR(OpenStream());  // even if nothing was written
    if (!FlushAsClose(new_file_.get())) Fail("write");
    new_file_.reset();
    return status_;
  }
  if (zeros_ != 0) {  // writing the last byte sets the file's size
    const uint8_t zero[] = {0};
    --zeros_;
    RETURN_IF_ERROR(Write(zero));
  }
  if (!FlushAsClose(new_file_.get())) Fail("write");
  if (status_.ok()) Publish();
  new_file_.reset();
  return status_;
}

void FileWriter::Publish() {
  // Again, since the file may have been created, replaced or removed.
  absl::StatusOr<FileTarget> target = FindFileTarget(path_);
  if (!target.ok()) {
    status_ = target.status();
    return;
  }
  target_ = *std::move(target);
  const SignalBlock block;  // so that no signal leaves a partial file or copy
  if (target_.kind == FileTarget::Kind::kMissing) return CreateNew();
  if (target_.kind != FileTarget::Kind::kRegular) {
    status_ = absl::FailedPreconditionError(absl::StrCat(
        "Cannot write ", path_, ": it is no longer a regular file."));
  } else if (HowMapped(target_.info) == Mapped::kForWriting) {
    status_ = absl::FailedPreconditionError(absl::StrCat(
        "Cannot replace ", path_,
        ": this process has it open for writing in another way, as a file of "
        "parameters. Its old content is kept."));
  } else if (!Replace() && status_.ok()) {
    WriteInPlace();
  }
}

bool FileWriter::Link(const std::string& name) {
  const std::string from = absl::StrCat("/proc/self/fd/", new_file_.get());
  return linkat(AT_FDCWD, from.c_str(), AT_FDCWD, name.c_str(),
                AT_SYMLINK_FOLLOW) == 0;
}

bool FileWriter::LinkPartial() {
  if (!partial_.empty()) return true;
  for (int i = 0; unnamed_ && i < kMaxPartials; ++i) {
    std::string partial = PartialPath(target_.place, i);
    if (Link(partial)) {
      partial_ = std::move(partial);
      return true;
    }
    if (errno != EEXIST) return false;
  }
  return false;
}

void FileWriter::CreateNew() {
  if (partial_.empty() && Link(target_.place)) return;
  // Replaces a file that another process has just created.
  if ((!partial_.empty() || errno == EEXIST) && LinkPartial() &&
      rename(partial_.c_str(), target_.place.c_str()) == 0) {
    partial_.clear();
    return;
  }
  Fail("create");
}

// Returns false if the file must be written in place.
bool FileWriter::Replace() {
  if (!target_.has_name || target_.info.st_nlink != 1 ||
      !CopyAttributes(target_.file.get(), new_file_.get()) || !LinkPartial() ||
      rename(partial_.c_str(), target_.place.c_str()) != 0) {
    return false;
  }
  partial_.clear();
  return true;
}

absl::Status FileWriter::CheckInPlace() const {
  if (HowMapped(target_.info) == Mapped::kNot) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      "Cannot write ", path_,
      " in place, since this process still reads from it; and it cannot be "
      "replaced without breaking its other names or changing its owner. Its "
      "old content is kept."));
}

void FileWriter::WriteInPlace() {
  status_ = CheckInPlace();
  struct stat info = {};
  if (status_.ok() && fstat(new_file_.get(), &info) != 0) Fail("write");
  if (!status_.ok()) return;
  const FileSizeSignalBlock block;
  if (info.st_size > target_.info.st_size &&
      fallocate(target_.file.get(), FALLOC_FL_KEEP_SIZE, target_.info.st_size,
                info.st_size - target_.info.st_size) != 0 &&
      (errno == ENOSPC || errno == EDQUOT || errno == EFBIG)) {
    return Fail("write");
  }
  CopyInto(target_.file.get(), static_cast<uint64_t>(info.st_size));
}

void FileWriter::CopyInto(int target, uint64_t size) {
  uint8_t buffer[size_t{1} << 16];
  uint64_t done = 0;
  bool failed = false;
  while (done < size && !failed) {
    const ssize_t got = pread(new_file_.get(), buffer,
                              std::min<uint64_t>(sizeof(buffer), size - done),
                              static_cast<off_t>(done));
    if (got < 0 && errno == EINTR) continue;
    if (got == 0) errno = EIO;
    failed = got <= 0;
    if (failed) break;
    const uint64_t written = WriteAllAt(
        target, std::span(buffer).first(static_cast<size_t>(got)), done);
    done += written;
    failed = written != static_cast<uint64_t>(got);
  }
  failed = failed || ftruncate(target, static_cast<off_t>(size)) != 0 ||
           !FlushAsClose(target);
  if (!failed) return;
  Fail("write");
  status_ = absl::Status(
      status_.code(),
      absl::StrCat(status_.message(), " Its old content is lost: ", done,
                   " of ", size, " new bytes were written over it."));
}

}  // namespace eyrie
