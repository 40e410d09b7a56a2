// Flags that say where parameters come from.
//
// Tested by cli_test.py.
#ifndef EYRIE_TOOLS_PARAMETER_FLAGS_H_
#define EYRIE_TOOLS_PARAMETER_FLAGS_H_

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "hal/parameters/parameter_index.h"
#include "tools/arg_parser.h"

namespace eyrie::tools {

// The rows of --parameters and --parameter_mode.
std::span<const Flag> ParameterFlags();

// The paths of --parameters, without scopes.
std::vector<std::string> ParameterPaths(const Arguments& arguments);

// Reads the tables of all --parameters files, never null. INVALID_ARGUMENT: a
// mode that is none; else as ParameterScopes::AddFile.
absl::StatusOr<std::shared_ptr<const hal::ParameterScopes>> LoadParameters(
    const Arguments& arguments, const hal::PreloadLimits& limits = {});

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_PARAMETER_FLAGS_H_
