// The `hal` module that compiled programs import, over a list of devices.
//
// It answers the imports of every release from 3.1 to 3.13; imports.def has
// them. Immutable; contexts on any thread share it.
// Tested by hal_module_test.cc, imports_test.cc.
#ifndef EYRIE_HAL_MODULE_HAL_MODULE_H_
#define EYRIE_HAL_MODULE_HAL_MODULE_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "base/ref.h"
#include "hal/device.h"
#include "hal/module/state.h"
#include "vm/native_module.h"
#include "vm/ref_types.h"

namespace eyrie::hal {

// 0.7, what 3.13 has. Modules ask for at least 5, 6 or 7.
inline constexpr uint32_t kHalModuleVersion = 7;

// A module named "hal". `devices` are indexed by the programs in this order.
absl::StatusOr<std::shared_ptr<const vm::NativeModule>> CreateHalModule(
    std::vector<Ref<Device>> devices, HalModuleOptions options = {});

// vm.buffer, vm.list and every HAL type: what a bytecode module that imports
// `hal` may name.
vm::RefTypes HalRefTypes();

}  // namespace eyrie::hal

#endif  // EYRIE_HAL_MODULE_HAL_MODULE_H_
