// The `io_parameters` module that compiled programs import: loads parameters
// from files and stores them.
//
// Immutable; may be shared by contexts on any thread.
// Tested by parameters_module_test.cc, tools/cli_test.py.
#ifndef EYRIE_HAL_MODULE_PARAMETERS_MODULE_H_
#define EYRIE_HAL_MODULE_PARAMETERS_MODULE_H_

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "base/ref.h"
#include "hal/device.h"
#include "hal/parameters/parameter_index.h"
#include "vm/native/native_module.h"

namespace eyrie::hal {

inline constexpr char kParametersModuleName[] = "io_parameters";

// Creates the module. `devices` must be those of the context's `hal` module.
// `scopes` may be null (no parameters), and must not change afterwards.
absl::StatusOr<std::shared_ptr<const vm::NativeModule>> CreateParametersModule(
    std::vector<Ref<Device>> devices,
    std::shared_ptr<const ParameterScopes> scopes);

}  // namespace eyrie::hal

#endif  // EYRIE_HAL_MODULE_PARAMETERS_MODULE_H_
