// The C++ functions of inline_imports.def and loader_imports.def that `hal`
// does not have, too (see imports.h).
//
// Programs of the inline execution models do not see devices. Their memory is
// allocated from the context's first device, and they access it directly.
// References are borrowed for the call; every integer is validated.
#ifndef EYRIE_HAL_MODULE_INLINE_IMPORTS_H_
#define EYRIE_HAL_MODULE_INLINE_IMPORTS_H_

#include <cstdint>
#include <tuple>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/ref.h"
#include "hal/buffer.h"
#include "hal/executable.h"
#include "hal/module/state.h"
#include "vm/native/native_binding.h"
#include "vm/object/buffer.h"

namespace eyrie::hal {

// inline_imports.cc

// A buffer, and a vm.buffer over its bytes, which retains the first.
using BufferAndStorage = std::tuple<Ref<Buffer>, Ref<vm::Buffer>>;

absl::StatusOr<BufferAndStorage> InlineBufferAllocate(HalModuleState&,
                                                      int32_t minimum_alignment,
                                                      int64_t size);
// Allocates a buffer that begins as a copy of the source's range.
absl::StatusOr<BufferAndStorage> InlineBufferAllocateInitialized(
    HalModuleState&, int32_t minimum_alignment, vm::Buffer& source,
    int64_t offset, int64_t length);
absl::StatusOr<Ref<vm::Buffer>> InlineBufferStorage(HalModuleState&,
                                                    Buffer& buffer);
// Returns a device buffer over the source's bytes if they are writable, else
// over a private copy (file_image.h).
absl::StatusOr<Ref<Buffer>> InlineBufferWrap(HalModuleState&,
                                             vm::Buffer& source, int64_t offset,
                                             int64_t length);
absl::StatusOr<std::tuple<int32_t, int64_t>> InlineDeviceQueryI64(
    HalModuleState&, vm::Buffer& category, vm::Buffer& key);

// loader_imports.cc

absl::StatusOr<int32_t> LoaderQuerySupport(HalModuleState&, vm::Buffer& format);
absl::StatusOr<Ref<Executable>> LoaderLoad(HalModuleState&, vm::Buffer& format,
                                           vm::Buffer& data,
                                           vm::Buffer* constants);
// Runs the kernel before it returns. Each binding is a buffer, an offset and a
// length.
absl::Status LoaderDispatch(HalModuleState&, Executable& executable,
                            int64_t function, int32_t count_x, int32_t count_y,
                            int32_t count_z, vm::Spread<int32_t> constants,
                            vm::Spread<vm::Buffer*, int64_t, int64_t> bindings);

}  // namespace eyrie::hal

#endif  // EYRIE_HAL_MODULE_INLINE_IMPORTS_H_
