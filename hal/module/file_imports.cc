// Files over host memory: hal.ex.file.from_memory.
//
// Tested by queue_imports_test.cc.
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "hal/module/arguments.h"
#include "hal/module/imports.h"

namespace eyrie::hal {

absl::StatusOr<Ref<File>> FileFromMemory(HalModuleState& state, Device&,
                                         int64_t, int32_t access,
                                         vm::Buffer& buffer, int64_t offset,
                                         int64_t length, int32_t) {
  if ((static_cast<MemoryAccess>(access) & ~memory_access::kRead) != 0) {
    return absl::PermissionDeniedError(absl::StrCat(
        "Access ", access,
        " was requested; a file over memory can only be read (access ",
        memory_access::kRead, ")."));
  }
  ASSIGN_OR_RETURN(std::span<const uint8_t> bytes,
                   ReadHostRange(buffer, offset, length));
  // Safe, because the file does not allow writes.
  std::span<uint8_t> contents(const_cast<uint8_t*>(bytes.data()), bytes.size());
  return state.Charged<File>(MakeRef<File>(contents, memory_access::kRead,
                                           Ref<vm::Buffer>::Share(&buffer)),
                             sizeof(File), "a file");
}

}  // namespace eyrie::hal
