// Passes a shared object to dlopen as an anonymous file in memory.
#include "hal/cpu/system_library.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/math_library.h"
#include "base/status_macros.h"
#include "hal/cpu/elf_layout.h"

namespace eyrie::hal::cpu {
namespace {

class SystemImage final : public Image {
 public:
  ~SystemImage() override {
    if (handle_ != nullptr) dlclose(handle_);
    if (descriptor_ >= 0) close(descriptor_);
  }

  absl::Status Load(std::span<const uint8_t> file, const ElfLayout& layout);
  absl::StatusOr<Function> FindFunction(absl::string_view name) const override;

 private:
  absl::Status Store(std::span<const uint8_t> file);

  void* handle_ = nullptr;
  // Stays open as long as the library. The linker identifies a library by its
  // path, and would take another library with the same path for this one.
  int descriptor_ = -1;
};

absl::Status SystemImage::Store(std::span<const uint8_t> file) {
  descriptor_ = memfd_create("eyrie-executable", MFD_CLOEXEC);
  while (descriptor_ >= 0 && !file.empty()) {
    const ssize_t written = write(descriptor_, file.data(), file.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) break;
    file = file.subspan(static_cast<size_t>(written));
  }
  if (descriptor_ >= 0 && file.empty()) return absl::OkStatus();
  const int error = errno;
  return absl::InternalError(absl::StrCat(
      "The system cannot keep an executable in memory: ", strerror(error),
      "."));
}

absl::Status SystemImage::Load(std::span<const uint8_t> file,
                               const ElfLayout& layout) {
  RETURN_IF_ERROR(Store(file));
  const std::string path = absl::StrCat("/proc/self/fd/", descriptor_);
  OfferMathLibrary();
  handle_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  link_map* map = nullptr;
  if (handle_ == nullptr || dlinfo(handle_, RTLD_DI_LINKMAP, &map) != 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "The system's linker does not load the executable: ", dlerror(), "."));
  }
  bias_ = map->l_addr;
  for (const Elf64_Phdr& segment : layout.segments) {
    const uint64_t address = map->l_addr + segment.p_vaddr;
    ranges_.push_back({{reinterpret_cast<const uint8_t*>(address),
                        static_cast<size_t>(segment.p_memsz)},
                       (segment.p_flags & PF_X) != 0});
  }
  return absl::OkStatus();
}

absl::StatusOr<Image::Function> SystemImage::FindFunction(
    absl::string_view name) const {
  void* address = dlsym(handle_, std::string(name).c_str());
  if (address != nullptr && IsCode(reinterpret_cast<uintptr_t>(address))) {
    return Function{reinterpret_cast<uintptr_t>(address), 0};
  }
  return absl::NotFoundError(
      absl::StrCat("The system library exports no function '", name, "'."));
}

}  // namespace

absl::StatusOr<std::unique_ptr<Image>> LoadSystemLibrary(
    std::span<const uint8_t> file) {
  ASSIGN_OR_RETURN(const ElfLayout layout, ReadElfLayout(file, ElfUse::kRun));
  auto image = std::make_unique<SystemImage>();
  RETURN_IF_ERROR(image->Load(file, layout));
  return absl::StatusOr<std::unique_ptr<Image>>(std::move(image));
}

}  // namespace eyrie::hal::cpu
