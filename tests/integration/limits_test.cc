// Limits of compiled modules. Memory is refused in steps, and all of it is
// released. Native code is refused.
#include "vm/limits/limits.h"

#include <cstdint>
#include <string>
#include <vector>

#include "abi/call/session.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/integration/manifest_cases.h"
#include "tests/support/releases.h"

namespace eyrie::tests {
namespace {

using Devices = std::vector<Ref<hal::Device>>;

Devices NewDevices(bool native_code = true) {
  hal::DriverOptions options;
  options.allow_native_code = native_code;
  return *abi::OpenDevices({}, options);
}

std::string Release(const Json& module) { return module["release"]; }

// Returns the status code of a case's first call under a memory limit.
std::string Outcome(const ProgramsOr& programs, const Json& module,
                    const Devices& devices, uint64_t bytes) {
  vm::Limits limits;
  limits.max_memory = bytes;
  std::shared_ptr<MemoryMeter> meter;
  absl::Status status;
  {
    const SessionOr session = NewSession(programs, devices, limits);
    status = session.status();
    if (session.ok()) {
      meter = (*session)->context().memory();
      status = Call(**session, CallsOf(module["cases"][0])[0]).status();
    }
  }
  if (meter) {
    EXPECT_EQ(meter->in_use(), 0u) << module["file"];
  }
  return absl::StatusCodeToString(status.code());
}

// With rising limits, every module fails at every place that allocates, until
// it runs. The device's memory is released each time.
TEST(Limits, MemoryIsRefusedInSteps) {
  const Devices devices = NewDevices();
  int refused = 0;
  for (const Json& module : ManifestModules()) {
    if (!absl::StartsWith(Release(module), "3.13") &&
        !absl::StartsWith(Release(module), "3.3")) {
      continue;
    }
    if (CallsOf(module["cases"][0])[0].contains("fails")) continue;
    const ProgramsOr programs = LoadPrograms(module);
    ASSERT_TRUE(programs.ok()) << programs.status();
    std::string got;
    for (uint64_t bytes = 0; got != "OK" && bytes < (uint64_t{1} << 30);
         bytes = bytes * 2 + 64) {
      got = Outcome(programs, module, devices, bytes);
      refused += got == "RESOURCE_EXHAUSTED";
      if (got != "OK") {
        EXPECT_EQ(got, "RESOURCE_EXHAUSTED") << module["file"] << " " << bytes;
      }
      const hal::AllocatorStatistics statistics =
          devices[0]->allocator().statistics();
      EXPECT_EQ(statistics.host_local.live(), 0u) << module["file"];
      EXPECT_EQ(statistics.device_local.live(), 0u) << module["file"];
    }
    EXPECT_EQ(got, "OK") << module["file"];
  }
  EXPECT_GT(refused, 100);
}

// Executables of each format, in modules that do little else.
TEST(Limits, ExecutablesCostFuel) {
  const struct {
    const char* file;
    uint64_t fuel;
    const char* want;
  } kCases[] = {
      {"3.13/vm_i32.vmfb", 50, "OK"},  // without executables
      {"3.13/add.vmfb", 50, "RESOURCE_EXHAUSTED"},
      {"3.13/add.vmfb", 2000, "OK"},
      {"3.13/kernel_names.vmvx.vmfb", 90, "RESOURCE_EXHAUSTED"},
      {"3.13/kernel_names.vmvx.vmfb", 2000, "OK"},
      {"3.13/kernel_names.inline-dynamic-vmvx.vmfb", 90, "RESOURCE_EXHAUSTED"},
      {"3.13/kernel_names.inline-dynamic-vmvx.vmfb", 2000, "OK"},
  };
  for (const auto& c : kCases) {
    const auto program =
        abi::LoadProgram(absl::StrCat("tests/modules/", c.file));
    ASSERT_TRUE(program.ok()) << program.status();
    Programs programs;
    programs.push_back(*program);
    vm::Limits limits;
    limits.fuel = c.fuel;
    const SessionOr session = NewSession(programs, NewDevices(), limits);
    EXPECT_EQ(absl::StatusCodeToString(session.status().code()), c.want)
        << c.file << " " << c.fuel << " " << session.status();
  }
}

TEST(Limits, NativeCodeIsRefused) {
  for (const char* release : kReleases) {
    const struct {
      const char* file;
      const char* want;
    } kCases[] = {
        {"add", "embedded-elf"},
        {"mlp", "embedded-elf"},
        {"vm_i32", "OK"},
        {"strings", "OK"},
    };
    for (const auto& c : kCases) {
      SCOPED_TRACE(absl::StrCat(release, " ", c.file));
      const auto program = abi::LoadProgram(
          absl::StrCat("tests/modules/", release, "/", c.file, ".vmfb"));
      ASSERT_TRUE(program.ok()) << program.status();
      Programs programs;
      programs.push_back(*program);
      const SessionOr session = NewSession(programs, NewDevices(false));
      if (session.ok()) {
        EXPECT_STREQ(c.want, "OK");
        continue;
      }
      EXPECT_EQ(session.status().code(), absl::StatusCode::kUnimplemented);
      EXPECT_TRUE(absl::StrContains(session.status().message(), c.want))
          << session.status();
    }
  }
}

}  // namespace
}  // namespace eyrie::tests
