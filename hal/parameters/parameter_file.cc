// Opens files of parameters.
//
// Tested by parameters_test.cc.
#include "hal/parameters/parameter_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "base/status_macros.h"
#include "base/system_error.h"

namespace eyrie::hal {
namespace {

absl::StatusOr<std::shared_ptr<const MappedFile>> ReadWhole(
    const std::string& path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return SystemError("open", path, errno);
  auto file = MappedFile::ReadAll(descriptor, path);
  close(descriptor);
  return file;
}

}  // namespace

absl::StatusOr<Ref<ParameterFile>> ParameterFile::Open(const std::string& path,
                                                       Mode mode) {
  Ref<ParameterFile> file = Ref<ParameterFile>::Adopt(new ParameterFile(path));
  if (mode == Mode::kWritable) {
    ASSIGN_OR_RETURN(file->shared_, WritableFile::Open(path));
    file->bytes_ = file->writable_bytes_ = file->shared_->bytes();
    return file;
  }
  ASSIGN_OR_RETURN(file->mapping_, mode == Mode::kPreloaded
                                       ? ReadWhole(path)
                                       : MappedFile::Open(path));
  file->bytes_ = file->mapping_->bytes();
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
