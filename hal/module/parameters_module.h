// The `io_parameters` module that compiled programs import: their parameters,
// from files.
//
// Immutable; contexts on any thread share it.
// Tested by parameters_module_test.cc, tools/cli_test.py.
#ifndef EYRIE_HAL_MODULE_PARAMETERS_MODULE_H_
#define EYRIE_HAL_MODULE_PARAMETERS_MODULE_H_

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "base/ref.h"
#include "hal/device.h"
#include "hal/parameters/parameter_index.h"
#include "vm/native_module.h"

namespace eyrie::hal {

inline constexpr char kParametersModuleName[] = "io_parameters";

// `devices` are those of the context's `hal` module. The scopes may be null
// (no parameters at all) and must not change any more.
absl::StatusOr<std::shared_ptr<const vm::NativeModule>> CreateParametersModule(
    std::vector<Ref<Device>> devices,
    std::shared_ptr<const ParameterScopes> scopes);

}  // namespace eyrie::hal

#endif  // EYRIE_HAL_MODULE_PARAMETERS_MODULE_H_
