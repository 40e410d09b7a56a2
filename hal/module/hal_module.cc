// Builds the module from imports.def. A row whose calling convention is not
// its function's does not compile, nor does one out of order.
#include "hal/module/hal_module.h"

#include <string_view>
#include <utility>

#include "hal/module/imports.h"
#include "hal/module/types.h"
#include "vm/native_binding.h"

namespace eyrie::hal {
namespace {

constexpr vm::NativeFunction kImports[] = {
#define HAL_IMPORT(name, signature, function, first, last) \
  vm::Bind<function>(name, signature),
#include "hal/module/imports.def"
#undef HAL_IMPORT
};

constexpr bool Ascending() {
  for (size_t i = 1; i < std::size(kImports); ++i) {
    const std::string_view before = kImports[i - 1].name;
    const std::string_view name = kImports[i].name;
    if (before > name) return false;
    if (before == name && std::string_view(kImports[i - 1].signature) >=
                              std::string_view(kImports[i].signature)) {
      return false;
    }
  }
  return true;
}
static_assert(Ascending(), "rows of imports.def are out of order");

}  // namespace

absl::StatusOr<std::shared_ptr<const vm::NativeModule>> CreateHalModule(
    std::vector<Ref<Device>> devices, HalModuleOptions options) {
  auto config = std::make_shared<const HalModuleConfig>(
      HalModuleConfig{std::move(devices), std::move(options)});
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
