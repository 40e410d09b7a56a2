// The cases of tests/modules/manifest.json, and how one is run and judged.
//
// EYRIE_MANIFEST_ONLY, a part of a module's path, leaves other modules out.
// Tested by manifest_test.cc.
#ifndef EYRIE_TESTS_INTEGRATION_MANIFEST_CASES_H_
#define EYRIE_TESTS_INTEGRATION_MANIFEST_CASES_H_

#include <memory>
#include <string>
#include <vector>

#include "abi/session.h"
#include "absl/status/statusor.h"
#include "base/ref.h"
#include "hal/device.h"
#include "hal/driver.h"
#include "nlohmann/json.hpp"

namespace eyrie::tests {

using Json = nlohmann::json;

// Programs that belong together, and the names of the devices they are for;
// none: any one device.
struct Programs : std::vector<abi::Program> {
  std::vector<std::string> devices;
};
using ProgramsOr = absl::StatusOr<Programs>;
using SessionOr = absl::StatusOr<std::unique_ptr<abi::Session>>;

// For devices that are opened without abi::OpenDevices: executables of every
// format.
hal::DriverOptions EveryFormat();

// The modules that have cases, of those asked for: what runs on the CPU.
std::vector<Json> ManifestModules();

// Those that run on Vulkan devices alone.
std::vector<Json> VulkanModules();

// A module and those it needs, verified; any number of sessions may share them.
ProgramsOr LoadPrograms(const Json& module);

// A session on these devices or, if there are none, on devices of its own. The
// last of these stands in for those that the programs need beyond.
SessionOr NewSession(const ProgramsOr& programs,
                     std::vector<Ref<hal::Device>> devices = {},
                     const vm::Limits& limits = {});

// The calls of a case: one, or a sequence on one session.
std::vector<Json> CallsOf(const Json& entry);

// Calls a function with --input texts; gives what `eyrie run` prints.
absl::StatusOr<std::string> Call(abi::Session& session, const Json& call);

// The same as bytes in hexadecimal, where results are tensors.
absl::StatusOr<std::string> CallForBits(abi::Session& session,
                                        const Json& call);

// What is wrong with a call's outcome, or nothing.
std::string Judge(const Json& call, const absl::StatusOr<std::string>& got);

// Runs a case. What is wrong with it, after the name of the call; or nothing.
std::string RunCase(const Json& module, const Json& entry,
                    const SessionOr& session);

}  // namespace eyrie::tests

#endif  // EYRIE_TESTS_INTEGRATION_MANIFEST_CASES_H_
