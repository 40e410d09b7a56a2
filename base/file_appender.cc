// Appends under a lock, and undoes writes that fail.
#include "base/file_appender.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/file_writer.h"
#include "base/folders.h"
#include "base/signal_block.h"
#include "base/status_macros.h"
#include "base/system_error.h"

namespace eyrie {
namespace {

std::span<const uint8_t> BytesOf(const std::string& text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

// Maps a file's content. Empty if that fails.
class Content {
 public:
  Content(int file, uint64_t size) {
    if (size == 0) return;
    void* const data = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
    if (data == MAP_FAILED) return;
    bytes_ = {static_cast<const uint8_t*>(data), size};
  }
  Content(const Content&) = delete;
  Content& operator=(const Content&) = delete;
  ~Content() {
    if (!bytes_.empty()) {
      munmap(const_cast<uint8_t*>(bytes_.data()), bytes_.size());
    }
  }
  std::span<const uint8_t> bytes() const { return bytes_; }

 private:
  std::span<const uint8_t> bytes_;
};

// Ignores errors: some network file systems have no locks, and O_APPEND alone
// must suffice there.
void Lock(const Descriptor& file, int kind) {
  while (flock(file.get(), kind) != 0 && errno == EINTR) continue;
}

}  // namespace

FileAppender::FileAppender(std::string path, Adds adds)
    : path_(std::move(path)) {
  absl::StatusOr<FileTarget> target =
      FindFileTarget(path_, adds == Adds::kRecords ? WritePlace::kAtEnd
                                                   : WritePlace::kAnywhere);
  status_ = target.status();
  if (absl::IsPermissionDenied(status_) && adds == Adds::kTail &&
      FindFileTarget(path_, WritePlace::kAtEnd).ok()) {
    status_ = absl::PermissionDeniedError(absl::StrCat(
        "Cannot add to ", path_,
        ": it is append-only, and the table at its end must be rewritten."));
  }
  if (!target.ok()) return;
  target_ = *std::move(target);
  target_.file.reset();
}

absl::StatusOr<FileAppender::Locked> FileAppender::OpenLocked(int flags) const {
  while (true) {
    Locked locked;
    locked.file.reset(open(path_.c_str(), flags | O_CLOEXEC | O_NOCTTY));
    if (!locked.file.is_open() && errno == ENOENT) {
      locked.file.reset(
          open(path_.c_str(), flags | O_CREAT | O_CLOEXEC | O_NOCTTY, 0666));
      locked.created = true;
    }
    if (!locked.file.is_open()) return SystemError("open", path_, errno);
    Lock(locked.file, LOCK_EX);
    struct stat own = {};
    if (fstat(locked.file.get(), &own) != 0) {
      return SystemError("open", path_, errno);
    }
    struct stat named = {};
    if (stat(path_.c_str(), &named) != 0 || named.st_ino != own.st_ino ||
        named.st_dev != own.st_dev) {
      continue;  // replaced or removed while this process waited
    }
    if (!S_ISREG(own.st_mode)) {
      return absl::FailedPreconditionError(absl::StrCat(
          "Cannot append to ", path_, ": it is no longer a regular file."));
    }
    locked.size = static_cast<uint64_t>(own.st_size);
    return locked;
  }
}

absl::Status FileAppender::Look(LookAt look) const {
  if (!IsRegularFile(path_)) return absl::OkStatus();
  const Descriptor file(open(path_.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.is_open()) return SystemError("open", path_, errno);
  Lock(file, LOCK_SH);
  struct stat now = {};
  if (fstat(file.get(), &now) != 0) return SystemError("open", path_, errno);
  const auto size = static_cast<uint64_t>(now.st_size);
  const Content content(file.get(), size);
  if (content.bytes().size() != size) return SystemError("map", path_, errno);
  return look(content.bytes());
}

absl::Status FileAppender::WriteStream(std::span<const uint8_t> bytes) const {
  FileWriter writer(path_);
  RETURN_IF_ERROR(writer.Write(bytes));
  return writer.Finish();
}

absl::Status FileAppender::Undo(const Locked& locked, uint64_t offset,
                                std::span<const uint8_t> old_tail,
                                uint64_t written) const {
  const absl::Status failed = SystemError("append to", path_, errno);
  const int file = locked.file.get();
  struct stat now = {};
  const bool alone =  // no process has appended without the lock
      fstat(file, &now) == 0 && static_cast<uint64_t>(now.st_size) <=
                                    std::max(locked.size, offset + written);
  if (locked.created && alone && unlink(path_.c_str()) == 0) return failed;
  if (written == 0) return failed;
  if (alone && WriteAllAt(file, old_tail, offset) == old_tail.size() &&
      ftruncate(file, static_cast<off_t>(locked.size)) == 0) {
    return failed;
  }
  return absl::Status(
      failed.code(),
      absl::StrCat(failed.message(), " At offset ", offset,
                   " it has an incomplete record of ", written, " bytes."));
}

absl::Status FileAppender::Append(std::span<const uint8_t> record) {
  RETURN_IF_ERROR(status_);
  if (is_stream()) return WriteStream(record);
  ASSIGN_OR_RETURN(const Locked locked, OpenLocked(O_WRONLY | O_APPEND));
  const SignalBlock block;
  const FileSizeSignalBlock size_block;
  const uint64_t written = WriteAll(locked.file.get(), record);
  if (written == record.size() && FlushAsClose(locked.file.get())) {
    return absl::OkStatus();
  }
  return Undo(locked, locked.size, {}, written);
}

absl::Status FileAppender::ReplaceTail(MakeTail make) {
  RETURN_IF_ERROR(status_);
  if (is_stream()) {
    ASSIGN_OR_RETURN(const FileTail tail, make({}));
    return WriteStream(BytesOf(tail.bytes));
  }
  ASSIGN_OR_RETURN(const Locked locked, OpenLocked(O_RDWR));
  const int file = locked.file.get();
  const Content old(file, locked.size);
  const auto make_tail = [&]() -> absl::StatusOr<FileTail> {
    if (old.bytes().size() != locked.size) {
      return SystemError("map", path_, errno);
    }
    ASSIGN_OR_RETURN(FileTail made, make(old.bytes()));
    if (made.offset > locked.size) {
      return absl::InternalError(absl::StrCat(
          "Cannot replace the end of ", path_, ": the new end begins at byte ",
          made.offset, ", but the file has only ", locked.size, " bytes."));
    }
    return made;
  };
  const absl::StatusOr<FileTail> tail = make_tail();
  if (!tail.ok()) {
    if (locked.created) unlink(path_.c_str());
    return tail.status();
  }
  // A copy, since the mapping changes with the file.
  const auto mapped_tail = old.bytes().subspan(tail->offset);
  const std::vector<uint8_t> old_tail(mapped_tail.begin(), mapped_tail.end());
  const SignalBlock block;
  const FileSizeSignalBlock size_block;
  const uint64_t written = WriteAllAt(file, BytesOf(tail->bytes), tail->offset);
  const uint64_t end = tail->offset + tail->bytes.size();
  if (written == tail->bytes.size() &&
      (end >= locked.size || ftruncate(file, static_cast<off_t>(end)) == 0) &&
      FlushAsClose(file)) {
    return absl::OkStatus();
  }
  return Undo(locked, tail->offset, old_tail, written);
}

}  // namespace eyrie
