// Reserves and releases a stack's memory.
#include "vm/run/stack.h"

#include <sys/mman.h>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace eyrie::vm {

absl::StatusOr<std::unique_ptr<Stack>> Stack::Create(size_t bytes) {
  void* base = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (base == MAP_FAILED) {
    return absl::ResourceExhaustedError(
        absl::StrCat("A stack of ", bytes, " bytes cannot be reserved."));
  }
  // Most calls need a few KiB, so clearing a huge page of 2 MiB would be
  // wasteful. Kernels without huge pages return an error, which is harmless.
  (void)madvise(base, bytes, MADV_NOHUGEPAGE);
  return std::unique_ptr<Stack>(new Stack(static_cast<uint8_t*>(base), bytes));
}

Stack::~Stack() { munmap(base_, size()); }

}  // namespace eyrie::vm
