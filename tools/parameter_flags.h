// Flags of parameter files.
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

// Returns the paths of --parameters, without their scopes.
std::vector<std::string> ParameterPaths(const Arguments& arguments);

// Reads the tables of all --parameters files. Never returns null.
// INVALID_ARGUMENT: the mode is unknown. Otherwise fails as
// ParameterScopes::AddFile does.
absl::StatusOr<std::shared_ptr<const hal::ParameterScopes>> LoadParameters(
    const Arguments& arguments, const hal::PreloadLimits& limits = {});

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_PARAMETER_FLAGS_H_
