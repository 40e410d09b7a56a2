// Variables of the environment.
#ifndef EYRIE_PLUGINS_PJRT_COMPILER_ENVIRONMENT_H_
#define EYRIE_PLUGINS_PJRT_COMPILER_ENVIRONMENT_H_

#include <cstdlib>
#include <string>

namespace eyrie::pjrt {

// Returns the value of a variable, or "" if it is not set.
inline std::string EnvironmentVariable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace eyrie::pjrt

#endif  // EYRIE_PLUGINS_PJRT_COMPILER_ENVIRONMENT_H_
