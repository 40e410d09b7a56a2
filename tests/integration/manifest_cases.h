// Runs and judges the cases of tests/modules/manifest.json.
// Tested by manifest_test.cc.
#ifndef EYRIE_TESTS_INTEGRATION_MANIFEST_CASES_H_
#define EYRIE_TESTS_INTEGRATION_MANIFEST_CASES_H_

#include <memory>
#include <string>
#include <vector>

#include "abi/call/session.h"
#include "absl/status/statusor.h"
#include "base/ref.h"
#include "hal/device.h"
#include "hal/driver.h"
#include "tests/support/manifest.h"

namespace eyrie::tests {

using SessionOr = absl::StatusOr<std::unique_ptr<abi::Session>>;

// Returns options for executables of every format, for devices that are opened
// without abi::OpenDevices.
hal::DriverOptions EveryFormat();

// Creates a session on these devices, or on new ones if there are none. The
// last device is repeated if the programs need more.
SessionOr NewSession(const ProgramsOr& programs,
                     std::vector<Ref<hal::Device>> devices = {},
                     const vm::Limits& limits = {});

// Calls a function with --input texts. Returns the output of `eyrie run`.
absl::StatusOr<std::string> Call(abi::Session& session, const Json& call);

// The same, but returns the bytes of tensors in hexadecimal.
absl::StatusOr<std::string> CallForBits(abi::Session& session,
                                        const Json& call);

// Returns what is wrong with a call's outcome, or "".
std::string Judge(const Json& call, const absl::StatusOr<std::string>& got);

// Runs a case. Returns the call's name and what is wrong with it, or "".
std::string RunCase(const Json& module, const Json& entry,
                    const SessionOr& session);

}  // namespace eyrie::tests

#endif  // EYRIE_TESTS_INTEGRATION_MANIFEST_CASES_H_
