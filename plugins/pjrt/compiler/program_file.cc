#include "plugins/pjrt/compiler/program_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "plugins/pjrt/compiler/environment.h"

namespace eyrie::pjrt {
namespace {

constexpr int kFirstHigh = 10;  // more than the child's descriptors

absl::Status CannotCreate(int error) {
  return absl::UnavailableError(
      absl::StrCat("The system does not create the file of the compiler's "
                   "process: ",
                   std::strerror(error), "."));
}

// Reports whether files in the folder may be executed.
bool MayExecute(const std::string& folder) {
  struct statvfs system = {};
  return statvfs(folder.c_str(), &system) == 0 &&
         (system.f_flag & ST_NOEXEC) == 0;
}

}  // namespace

Descriptor WithHighNumber(int file) {
  if (file < 0) return Descriptor();
  const Descriptor given(file);
  return Descriptor(fcntl(file, F_DUPFD_CLOEXEC, kFirstHigh));
}

ProgramFile::~ProgramFile() {
  if (!remove_.empty()) unlink(remove_.c_str());
}

absl::StatusOr<ProgramFile> ProgramFile::InMemory(
    std::span<const uint8_t> image) {
  constexpr unsigned kExecutable = 0x10;  // MFD_EXEC, of Linux 6.3 and later
  int number = memfd_create("eyrie-compiler", MFD_CLOEXEC | kExecutable);
  if (number < 0) number = memfd_create("eyrie-compiler", MFD_CLOEXEC);
  Descriptor file = WithHighNumber(number);
  if (!file.is_open() || WriteAll(file.get(), image) != image.size()) {
    return CannotCreate(errno);
  }
  std::string path = absl::StrCat("/proc/self/fd/", file.get());
  return ProgramFile(std::move(file), std::move(path), "");
}

absl::StatusOr<ProgramFile> ProgramFile::InFolder(
    std::span<const uint8_t> image) {
  int error = ENOENT;
  for (const std::string& folder :
       {EnvironmentVariable("TMPDIR"), std::string(P_tmpdir),
        EnvironmentVariable("XDG_RUNTIME_DIR"), EnvironmentVariable("HOME")}) {
    if (folder.empty() || !MayExecute(folder)) continue;
    std::string path = absl::StrCat(folder, "/eyrie-compiler.XXXXXX");
    Descriptor file(mkostemp(path.data(), O_CLOEXEC));
    if (!file.is_open()) {
      error = errno;
      continue;
    }
    // Closed before it is executed: the system does not execute a file that is
    // open for writing.
    ProgramFile program(Descriptor(), path, path);
    if (WriteAll(file.get(), image) == image.size() &&
        fchmod(file.get(), 0700) == 0) {
      return program;
    }
    error = errno;
  }
  return CannotCreate(error);
}

}  // namespace eyrie::pjrt
