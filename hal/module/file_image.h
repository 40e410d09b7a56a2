// Device buffers over private pages of a mapped file.
//
// Tested by hal_module_test.cc, parameters_module_test.cc.
#ifndef EYRIE_HAL_MODULE_FILE_IMAGE_H_
#define EYRIE_HAL_MODULE_FILE_IMAGE_H_

#include <cstdint>
#include <span>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/mapped_file.h"
#include "hal/allocator.h"
#include "hal/module/state.h"

namespace eyrie::hal {

// Creates a private, writable mapping of a file's bytes. Writes to it change
// neither the file nor other contexts' data. All bytes are charged, although
// pages that are never written use no memory. Returns null if the caller should
// copy instead: few bytes, no mapped file, misaligned bytes, or memory that the
// device cannot use. RESOURCE_EXHAUSTED: the context's memory limit is
// exceeded; `what` names the bytes in the message.
absl::StatusOr<Ref<Buffer>> CreateFileImage(const HalModuleState& state,
                                            Allocator& allocator,
                                            const BufferParams& params,
                                            const MappedFile* file,
                                            std::span<const uint8_t> bytes,
                                            absl::string_view what);

}  // namespace eyrie::hal

#endif  // EYRIE_HAL_MODULE_FILE_IMAGE_H_
