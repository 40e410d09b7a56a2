#include "hal/module/hal_module.h"

#include <utility>

#include "hal/module/descriptor_imports.h"
#include "hal/module/import_adapters.h"
#include "hal/module/imports.h"
#include "hal/module/types.h"
#include "vm/native/native_binding.h"

namespace eyrie::hal {
namespace {

constexpr vm::NativeFunction kImports[] = {
#define HAL_IMPORT(name, signature, function, first, last, ...) \
  vm::Bind<function, kQuick<function>>(name, signature),
#include "hal/module/imports.def"
#undef HAL_IMPORT
};

static_assert(vm::RowsAscend(kImports));

}  // namespace

absl::StatusOr<std::shared_ptr<const vm::NativeModule>> CreateHalModule(
    std::vector<Ref<Device>> devices, HalModuleOptions options) {
  DeviceGroup group(std::move(devices), options.observer);
  auto config = std::make_shared<const HalModuleConfig>(
      HalModuleConfig{std::move(group), std::move(options)});
  return vm::NativeModule::Create(
      "hal", kHalModuleVersion, kImports,
      [config]() -> absl::StatusOr<std::unique_ptr<vm::ModuleState>> {
        return std::make_unique<HalModuleState>(config);
      });
}

vm::RefTypes HalRefTypes() {
  vm::RefTypes types;
  for (const RefType* type : HalTypes()) types.Add(*type);
  return types;
}

}  // namespace eyrie::hal
