// Device buffers over pages of a mapped file.
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

// A private, writable image of a file's bytes: what is written to it neither
// the file nor another context sees. Charged for in full, though pages that
// are never written cost nothing. Null where a copy is better or all that
// there is: few bytes, a file that is not mapped, bytes that are badly aligned
// or memory that the device cannot use. RESOURCE_EXHAUSTED: the limit of the
// context's memory; `what` is what the bytes are.
absl::StatusOr<Ref<Buffer>> CreateFileImage(const HalModuleState& state,
                                            Allocator& allocator,
                                            const BufferParams& params,
                                            const MappedFile* file,
                                            std::span<const uint8_t> bytes,
                                            absl::string_view what);

}  // namespace eyrie::hal

#endif  // EYRIE_HAL_MODULE_FILE_IMAGE_H_
