// Builds the module from imports.def. A row does not compile if its calling
// convention does not match its function, or if it is out of order.
#include "hal/vmvx/module.h"

#include <utility>

#include "hal/vmvx/elementwise.h"
#include "hal/vmvx/microkernels.h"
#include "vm/native/native_binding.h"

namespace eyrie::hal::vmvx {
namespace {

constexpr vm::NativeFunction kImports[] = {
#define VMVX_IMPORT(name, signature, ...) \
  vm::Bind<__VA_ARGS__>(name, signature),
#include "hal/vmvx/imports.def"
#undef VMVX_IMPORT
};

static_assert(vm::RowsAscend(kImports));

}  // namespace

absl::Status FillX32(vm::ModuleState& state, int32_t value,
                     vm::Buffer& out_buffer, int64_t out_offset,
                     int64_t out_row_stride, int64_t size0, int64_t size1) {
  const Extent extent = {size0, size1};
  const Operand out = {"out", &out_buffer, out_offset, out_row_stride, 1};
  RETURN_IF_ERROR(CheckExtent(extent));
  if (extent.empty()) return absl::OkStatus();
  RETURN_IF_ERROR(CheckTarget(out, extent, sizeof(value)));
  Any<int32_t>* to = BeginTarget<int32_t>(out);
  const Pace pace = Pace::Of(sizeof(value), {1});
  return InChunks(state, extent, pace,
                  [&](int64_t i, int64_t j, int64_t count) {
                    Any<int32_t>* row = to + i * out_row_stride + j;
                    for (int64_t n = 0; n < count; ++n) row[n] = value;
                    return absl::OkStatus();
                  });
}

std::shared_ptr<const vm::NativeModule> CreateModule() {
  auto module = vm::NativeModule::Create("vmvx", /*version=*/0, kImports, [] {
    return absl::StatusOr<std::unique_ptr<vm::ModuleState>>(
        std::make_unique<vm::ModuleState>());
  });
  // Create fails only for invalid calling conventions and duplicate rows.
  return *std::move(module);
}

}  // namespace eyrie::hal::vmvx
