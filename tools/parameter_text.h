// What `eyrie params` prints of parameters.
//
// Tested by cli_test.py.
#ifndef EYRIE_TOOLS_PARAMETER_TEXT_H_
#define EYRIE_TOOLS_PARAMETER_TEXT_H_

#include <string>

#include "hal/parameters/parameter_index.h"

namespace eyrie::tools {

// Appends a scope's entries as a table, as the public tools print it.
void AppendParameterTable(const std::string& scope,
                          const hal::ParameterIndex& index, std::string& out);

// One JSON object: an array of entries by scope.
std::string ScopesJson(const hal::ParameterScopes& scopes);

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_PARAMETER_TEXT_H_
