// Loads "embedded ELF" executables from memory: shared objects that need no
// system libraries.
//
// No byte of the file is trusted. No page is ever writable and executable at
// the same time. Loading runs no code of the file. Tested by
// elf_loader_test.cc, testing/elf_fuzz.cc.
#ifndef EYRIE_HAL_CPU_ELF_LOADER_H_
#define EYRIE_HAL_CPU_ELF_LOADER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/memory_meter.h"
#include "base/work_budget.h"
#include "hal/cpu/elf_layout.h"
#include "hal/cpu/image.h"

namespace eyrie::hal::cpu {

// Memory from which another process runs an image. It has the same address
// there, where it cannot be written. Thread-safe.
class ImageMemory {
 public:
  virtual ~ImageMemory() = default;
  // Returns whole pages of zeros, or null if there is no memory. `alignment` is
  // a power of two. `work`, which may be null, pays. Fails as MovePaid does.
  virtual absl::StatusOr<uint8_t*> Allocate(size_t size, size_t alignment,
                                            WorkBudget* work) = 0;
  virtual void Free(uint8_t* data, size_t size) = 0;
};

// The limits of a context that loads an image, whose file is charged already.
// Members may be null: no limit.
struct ImageCost {
  std::shared_ptr<MemoryMeter> memory = nullptr;
  WorkBudget* work = nullptr;
};

// A loaded file. The destructor unmaps it.
class ElfImage final : public Image {
 public:
  // Loads a file. Its bytes are not needed afterwards. Fails as ReadElfLayout
  // does. NOT_FOUND: the file imports a symbol. RESOURCE_EXHAUSTED: memory ran
  // out. INTERNAL: the system cannot map memory, or change its access rights.
  // If `memory` is not null, the image is there, and is not executable here;
  // then fails with for_worker(), too. Fails as `cost`'s meter and budget do.
  static absl::StatusOr<std::unique_ptr<ElfImage>> Load(
      std::span<const uint8_t> file, ElfUse use = ElfUse::kRun,
      std::shared_ptr<ImageMemory> memory = nullptr,
      const ImageCost& cost = {});

  ~ElfImage() override;

  absl::StatusOr<Function> FindFunction(absl::string_view name) const override;

  // Returns why an isolated worker refuses the file; OK: it does not.
  const absl::Status& for_worker() const { return for_worker_; }

 private:
  friend class ElfLoader;

  ElfImage() = default;

  // The mapping, which may begin before the image.
  uint8_t* mapping_ = nullptr;
  size_t mapping_size_ = 0;
  std::shared_ptr<ImageMemory> memory_;  // of the mapping; null: mmap
  absl::Status for_worker_;
  MemoryCharge charge_;  // for the bytes that the file does not have
  // Tables in the image.
  std::span<const uint8_t> strings_;
  std::span<const uint8_t> symbols_;
};

}  // namespace eyrie::hal::cpu

#endif  // EYRIE_HAL_CPU_ELF_LOADER_H_
