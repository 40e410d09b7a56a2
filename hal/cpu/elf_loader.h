// Loads "embedded ELF" executables: shared objects for x86-64 that need no
// system libraries, straight from memory.
//
// No byte of the file is trusted to be in range. No page is ever writable and
// executable, and no code runs here.
// Tested by elf_loader_test.cc, elf_fuzz.cc.
#ifndef EYRIE_HAL_CPU_ELF_LOADER_H_
#define EYRIE_HAL_CPU_ELF_LOADER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "hal/cpu/image.h"

namespace eyrie::hal::cpu {

// A loaded file. Unmapped with the object.
class ElfImage final : public Image {
 public:
  // Loads a file; its bytes are not needed afterwards. Fails as ReadElfLayout
  // does, or NOT_FOUND: the file imports a symbol. INTERNAL: the system cannot
  // map memory.
  static absl::StatusOr<std::unique_ptr<ElfImage>> Load(
      std::span<const uint8_t> file);

  ~ElfImage() override;

  absl::StatusOr<Function> FindFunction(absl::string_view name) const override;

 private:
  friend class ElfLoader;

  ElfImage() = default;

  // The mapping, which may begin before the image.
  uint8_t* mapping_ = nullptr;
  size_t mapping_size_ = 0;
  // In the image.
  std::span<const uint8_t> strings_;
  std::span<const uint8_t> symbols_;
};

}  // namespace eyrie::hal::cpu

#endif  // EYRIE_HAL_CPU_ELF_LOADER_H_
