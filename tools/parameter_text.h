// Prints parameters for `eyrie params`.
//
// Tested by cli_test.py.
#ifndef EYRIE_TOOLS_PARAMETER_TEXT_H_
#define EYRIE_TOOLS_PARAMETER_TEXT_H_

#include <cstddef>
#include <span>
#include <string>

#include "hal/parameters/parameter_index.h"

namespace eyrie::tools {

// The longest name that is printed, in bytes.
inline constexpr size_t kMaxKey = 4096;

// Appends a scope's entries as a table, in the format of the public tools.
void AppendParameterTable(const std::string& scope,
                          std::span<const hal::Parameter> parameters,
                          std::string& out);

// Returns one JSON object that maps scopes to arrays of entries.
std::string ScopesJson(const hal::ParameterScopes& scopes);

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_PARAMETER_TEXT_H_
