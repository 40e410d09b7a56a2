// Reads tests/modules/manifest.json, which lists modules and calls of them.
//
// If EYRIE_MANIFEST_ONLY is set, reads only modules with this text in their
// path.
#ifndef EYRIE_TESTS_SUPPORT_MANIFEST_H_
#define EYRIE_TESTS_SUPPORT_MANIFEST_H_

#include <string>
#include <vector>

#include "abi/call/session.h"
#include "absl/status/statusor.h"
#include "nlohmann/json.hpp"

namespace eyrie::tests {

using Json = nlohmann::json;

// Programs of one session, and the names of their devices. Without names, any
// one device will do.
struct Programs : std::vector<abi::Program> {
  std::vector<std::string> devices;
};
using ProgramsOr = absl::StatusOr<Programs>;

// Returns the selected modules that have cases and run on the CPU.
std::vector<Json> ManifestModules();

// Returns those that run on Vulkan devices only.
std::vector<Json> VulkanModules();

// Loads and verifies a module and its dependencies. Sessions may share them.
ProgramsOr LoadPrograms(const Json& module);

// Returns the calls of a case: one, or a sequence on one session.
std::vector<Json> CallsOf(const Json& entry);

}  // namespace eyrie::tests

#endif  // EYRIE_TESTS_SUPPORT_MANIFEST_H_
