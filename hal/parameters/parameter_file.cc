#include "hal/parameters/parameter_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "base/system_error.h"

namespace eyrie::hal {
namespace {

absl::StatusOr<std::shared_ptr<const MappedFile>> ReadWhole(
    const std::string& path, const PreloadLimits& limits,
    MemoryCharge& charge) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return SystemError("open", path, errno);
  auto file = MappedFile::ReadAll(descriptor, path, [&](uint64_t more) {
    const off_t at =
        limits.progress == nullptr ? -1 : lseek(descriptor, 0, SEEK_CUR);
    if (at >= 0) *limits.progress = static_cast<uint64_t>(at);
    if (limits.deadline.HasPassed()) {
      return absl::DeadlineExceededError(absl::StrCat(
          "The time limit expired while ", path, " was being read."));
    }
    return more == 0 ? absl::OkStatus()
                     : charge.Add(more, "a preloaded file of parameters");
  });
  close(descriptor);
  return file;
}

}  // namespace

absl::StatusOr<Ref<ParameterFile>> ParameterFile::Open(
    const std::string& path, Mode mode, const PreloadLimits& limits) {
  Ref<ParameterFile> file = Ref<ParameterFile>::Adopt(new ParameterFile(path));
  if (mode == Mode::kWritable) {
    ASSIGN_OR_RETURN(file->shared_, WritableFile::Open(path));
    file->bytes_ = file->writable_bytes_ = file->shared_->bytes();
    return file;
  }
  if (mode == Mode::kPreloaded) {
    ASSIGN_OR_RETURN(file->charge_, MemoryCharge::Take(limits.memory, 0, ""));
    ASSIGN_OR_RETURN(file->mapping_, ReadWhole(path, limits, file->charge_));
  } else {
    ASSIGN_OR_RETURN(file->mapping_, MappedFile::Open(path));
  }
  file->bytes_ = file->mapping_->bytes();
  return file;
}

Ref<ParameterFile> ParameterFile::OfMapping(
    std::shared_ptr<const MappedFile> mapping) {
  Ref<ParameterFile> file =
      Ref<ParameterFile>::Adopt(new ParameterFile(mapping->path()));
  file->bytes_ = mapping->bytes();
  file->mapping_ = std::move(mapping);
  return file;
}

Ref<ParameterFile> ParameterFile::Borrow(std::span<const uint8_t> bytes,
                                         std::shared_ptr<const void> owner,
                                         std::string name, bool in_place) {
  Ref<ParameterFile> file =
      Ref<ParameterFile>::Adopt(new ParameterFile(std::move(name)));
  file->bytes_ = bytes;
  file->owner_ = std::move(owner);
  file->in_place_ = in_place;
  return file;
}

Ref<ParameterFile> ParameterFile::OfReader(uint64_t size, Reader reader,
                                           std::string name) {
  Ref<ParameterFile> file =
      Ref<ParameterFile>::Adopt(new ParameterFile(std::move(name)));
  file->size_ = size;
  file->reader_ = std::move(reader);
  return file;
}

Ref<ParameterFile> ParameterFile::FromBytes(std::vector<uint8_t> bytes,
                                            std::string name) {
  Ref<ParameterFile> file =
      Ref<ParameterFile>::Adopt(new ParameterFile(std::move(name)));
  file->loaded_ = std::move(bytes);
  file->bytes_ = file->writable_bytes_ = file->loaded_;
  return file;
}

}  // namespace eyrie::hal
