// The C++ functions behind inline_imports.def and loader_imports.def that are
// not those of `hal` too (imports.h).
//
// Programs of the inline execution models have no device: what they allocate
// comes from the first device, whose memory they read and write themselves.
// Refs are borrowed for the call; every integer is checked.
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
#include "vm/buffer.h"
#include "vm/native_binding.h"

namespace eyrie::hal {

// inline_imports.cc

// A buffer, and its bytes as a vm.buffer, which keeps it.
using BufferAndStorage = std::tuple<Ref<Buffer>, Ref<vm::Buffer>>;

absl::StatusOr<BufferAndStorage> InlineBufferAllocate(HalModuleState&,
                                                      int32_t minimum_alignment,
                                                      int64_t size);
// With a copy of the source's range.
absl::StatusOr<BufferAndStorage> InlineBufferAllocateInitialized(
    HalModuleState&, int32_t minimum_alignment, vm::Buffer& source,
    int64_t offset, int64_t length);
absl::StatusOr<Ref<vm::Buffer>> InlineBufferStorage(HalModuleState&,
                                                    Buffer& buffer);
// The source's bytes as a device buffer: themselves if they may be written,
// else a private image.
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
// Runs at once. Bindings are a buffer, an offset and a length each.
absl::Status LoaderDispatch(HalModuleState&, Executable& executable,
                            int64_t function, int32_t count_x, int32_t count_y,
                            int32_t count_z, vm::Spread<int32_t> constants,
                            vm::Spread<vm::Buffer*, int64_t, int64_t> bindings);
absl::Status LoaderDispatchV0(
    HalModuleState&, Executable& executable, int32_t function, int32_t count_x,
    int32_t count_y, int32_t count_z, vm::Spread<int32_t> constants,
    vm::Spread<vm::Buffer*, int64_t, int64_t> bindings);

}  // namespace eyrie::hal

#endif  // EYRIE_HAL_MODULE_INLINE_IMPORTS_H_
