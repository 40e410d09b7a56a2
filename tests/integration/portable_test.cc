// One program compiled for every kind of executable and execution model. All
// return the results of native code, and all but native code run if native code
// is not allowed.
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "abi/call/session.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/ref.h"
#include "gtest/gtest.h"
#include "hal/device.h"
#include "tests/integration/manifest_cases.h"

namespace eyrie::tests {
namespace {

std::vector<Ref<hal::Device>> NewDevices(bool native_code) {
  hal::DriverOptions options;
  options.allow_native_code = native_code;
  return *abi::OpenDevices({}, options);
}

bool IsPortable(const Json& module) {
  return module["source"] == "portable.mlir";
}

bool IsNative(const Json& module) {
  return module["variant"] == "plain" || module["variant"] == "inline-dynamic";
}

// Returns the result of each call of a release's native module.
std::map<std::string, std::string> NativeResults(const std::string& release) {
  std::map<std::string, std::string> results;
  for (const Json& module : ManifestModules()) {
    if (!IsPortable(module) || module["variant"] != "plain" ||
        module["release"] != release) {
      continue;
    }
    const ProgramsOr programs = LoadPrograms(module);
    for (const Json& entry : module["cases"]) {
      if (entry.contains("sequence")) continue;
      const SessionOr session = NewSession(programs);
      const auto got = session.ok()
                           ? Call(**session, entry)
                           : absl::StatusOr<std::string>(session.status());
      EXPECT_TRUE(got.ok()) << got.status();
      if (!got.ok()) continue;
      results[absl::StrCat(entry["function"].get<std::string>(),
                           entry["inputs"].dump())] = *got;
    }
  }
  return results;
}

TEST(Portable, AllGiveWhatNativeCodeGives) {
  int compared = 0;
  std::map<std::string, std::map<std::string, std::string>> by_release;
  for (const Json& module : ManifestModules()) {
    if (!IsPortable(module) || module["variant"] == "plain") continue;
    const std::string release = module["release"];
    if (!by_release.contains(release)) {
      by_release[release] = NativeResults(release);
    }
    const ProgramsOr programs = LoadPrograms(module);
    const auto devices = NewDevices(/*native_code=*/IsNative(module));
    for (const Json& entry : module["cases"]) {
      const auto want = by_release[release].find(
          absl::StrCat(entry.value("function", std::string()),
                       entry.value("inputs", Json()).dump()));
      if (want == by_release[release].end() || entry.contains("fails")) {
        continue;
      }
      Json expected = entry;
      expected["expected"] = Json::array();
      for (const absl::string_view line :
           absl::StrSplit(want->second, '\n', absl::SkipEmpty())) {
        expected["expected"].push_back(std::string(line));
      }
      EXPECT_EQ(RunCase(module, expected, NewSession(programs, devices)), "");
      ++compared;
    }
  }
  EXPECT_GT(compared, 250);
}

// Upstream's devices read and write subnormals as zeros; without a device,
// kernels compute with them.
TEST(Portable, SubnormalsAreZerosOnDevicesAlone) {
  for (const Json& module : ManifestModules()) {
    if (!IsPortable(module)) continue;
    const bool is_inline =
        absl::StartsWith(module["variant"].get<std::string>(), "inline");
    const SessionOr session = NewSession(LoadPrograms(module), {});
    ASSERT_TRUE(session.ok()) << session.status();
    const auto got = Call(
        **session,
        {{"function", "scale"}, {"inputs", {"4x8xf32=0", "4x8xf32=1e-39"}}});
    ASSERT_TRUE(got.ok()) << got.status();
    EXPECT_EQ(absl::StrContains(*got, "1E-39"), is_inline)
        << module["file"] << ": " << *got;
  }
}

TEST(Portable, NativeCodeAloneIsRefused) {
  int refused = 0;
  for (const Json& module : ManifestModules()) {
    if (!IsPortable(module)) continue;
    const SessionOr session =
        NewSession(LoadPrograms(module), NewDevices(/*native_code=*/false));
    EXPECT_EQ(session.ok(), !IsNative(module)) << module["file"];
    if (session.ok()) continue;
    EXPECT_TRUE(absl::StrContains(session.status().message(),
                                  "native code is not allowed"))
        << session.status();
    ++refused;
  }
  EXPECT_EQ(refused, 8);  // two compilers make no inline-dynamic of it
}

// A call's limits also apply to kernels in bytecode.
TEST(Portable, LimitsStopKernels) {
  for (const Json& module : ManifestModules()) {
    if (!IsPortable(module) || IsNative(module)) continue;
    vm::Limits limits;
    limits.fuel = 1000;
    const SessionOr session = NewSession(LoadPrograms(module), {}, limits);
    ASSERT_TRUE(session.ok()) << session.status();
    const auto got = Call(
        **session,
        {{"function", "matmul"}, {"inputs", {"100x90xf32=1", "90x80xf32=2"}}});
    EXPECT_EQ(got.status().code(), absl::StatusCode::kResourceExhausted)
        << module["file"] << ": " << got.status();
  }
}

}  // namespace
}  // namespace eyrie::tests
