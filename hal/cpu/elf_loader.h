// Loads "embedded ELF" executables from memory: shared objects for x86-64 that
// need no system libraries.
//
// No byte of the file is trusted. No page is ever writable and executable at
// the same time. Loading runs no code of the file. Tested by
// elf_loader_test.cc, elf_fuzz.cc.
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

// A loaded file. The destructor unmaps it.
class ElfImage final : public Image {
 public:
  // Loads a file. Its bytes are not needed afterwards. Fails as ReadElfLayout
  // does. NOT_FOUND: the file imports a symbol. RESOURCE_EXHAUSTED: memory ran
  // out. INTERNAL: the system cannot map memory, or change its access rights.
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
  // Tables in the image.
  std::span<const uint8_t> strings_;
  std::span<const uint8_t> symbols_;
};

}  // namespace eyrie::hal::cpu

#endif  // EYRIE_HAL_CPU_ELF_LOADER_H_
