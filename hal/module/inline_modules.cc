#include "hal/module/inline_modules.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "hal/module/import_adapters.h"
#include "hal/module/imports.h"
#include "hal/module/inline_imports.h"
#include "vm/native/native_binding.h"

namespace eyrie::hal {
namespace {

#define HAL_IMPORT(name, signature, function, first, last, ...) \
  vm::Bind<function>(name, signature),
constexpr vm::NativeFunction kInlineImports[] = {
#include "hal/module/inline_imports.def"
};
constexpr vm::NativeFunction kLoaderImports[] = {
#include "hal/module/loader_imports.def"
};
#undef HAL_IMPORT
static_assert(vm::RowsAscend(kInlineImports));
static_assert(vm::RowsAscend(kLoaderImports));

absl::StatusOr<std::shared_ptr<const vm::NativeModule>> Create(
    const char* name, uint32_t version,
    std::span<const vm::NativeFunction> imports,
    std::vector<Ref<Device>> devices, HalModuleOptions options) {
  if (devices.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "The module ", name, " needs a device to take memory from."));
  }
  DeviceGroup group(std::move(devices), options.observer);
  auto config = std::make_shared<const HalModuleConfig>(
      HalModuleConfig{std::move(group), std::move(options)});
  return vm::NativeModule::Create(
      name, version, imports,
      [config]() -> absl::StatusOr<std::unique_ptr<vm::ModuleState>> {
        return std::make_unique<HalModuleState>(config);
      });
}

}  // namespace

absl::StatusOr<std::shared_ptr<const vm::NativeModule>> CreateHalInlineModule(
    std::vector<Ref<Device>> devices, HalModuleOptions options) {
  return Create("hal_inline", kHalInlineModuleVersion, kInlineImports,
                std::move(devices), std::move(options));
}

absl::StatusOr<std::shared_ptr<const vm::NativeModule>> CreateHalLoaderModule(
    std::vector<Ref<Device>> devices, HalModuleOptions options) {
  return Create("hal_loader", kHalLoaderModuleVersion, kLoaderImports,
                std::move(devices), std::move(options));
}

}  // namespace eyrie::hal
