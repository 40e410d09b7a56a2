// Untrusted files: modules with one to four random bytes changed. They run to
// their end under limits, with native code refused. Nothing may crash, hang or
// leak.
//
// Tests the same 20,000 variants in every run. For others, run
//   EYRIE_MUTATION_SEED=2 bazel-bin/tests/bad_input/mutation_test
#include <cctype>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "abi/call/session.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "gtest/gtest.h"
#include "tests/bad_input/sweep.h"
#include "tests/bad_input/trial.h"
#include "tests/support/campaign_size.h"
#include "vm/limits/limits.h"

namespace eyrie {
namespace {

using tests::Mishap;
using tests::Sweep;
using Bytes = std::vector<uint8_t>;

constexpr const char* kModules[] = {
    // Only bytecode.
    "3.3/vm_i64.vmfb",
    "3.9/vm_f32.vmfb",
    "3.11/vm_refs.vmfb",
    "3.12/vm_convert.vmfb",
    "3.13/vm_globals.bare.vmfb",
    "3.13/vm_buffers.vmfb",
    "3.13/vm_control.debug.vmfb",
    "3.13/vm_yield.vmfb",
    "3.13/strings.bare.vmfb",
    // With a device.
    "3.13/host_buffers.vmfb",
    "3.13/devices.vmfb",
    "3.13/empty_constant.vmfb",
    "3.3/add.bare.vmfb",
    "3.13/add.vmfb",
    "3.13/lists.bare.vmfb",
    "3.13/fences.bare.vmfb",
};

uint64_t CampaignSeed() {
  const char* text = std::getenv("EYRIE_MUTATION_SEED");
  uint64_t seed = 1;
  if (text != nullptr && !absl::SimpleAtoi(text, &seed)) {
    ADD_FAILURE() << "EYRIE_MUTATION_SEED is no number: " << text;
  }
  return seed;
}

// Changes one to four bytes. Returns a description of the changes.
std::string Damage(Bytes& module, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::string text;
  for (uint64_t left = 1 + random() % 4; left > 0; --left) {
    const size_t offset = random() % module.size();
    const auto flip = static_cast<uint8_t>(1 + random() % 255);
    module[offset] ^= flip;
    absl::StrAppend(&text, " ", offset, "^", flip);
  }
  return text;
}

class MutationTest : public testing::TestWithParam<const char*> {};

TEST_P(MutationTest, RunsToItsEnd) {
  const Bytes module = tests::ReadModule(GetParam());
  ASSERT_FALSE(module.empty());
  hal::DriverOptions driver;
  driver.allow_native_code = false;
  const auto devices = abi::OpenDevices({}, driver);
  ASSERT_TRUE(devices.ok()) << devices.status();
  vm::Limits limits;
  limits.fuel = 10000;
  limits.timeout = absl::Milliseconds(200);
  limits.max_memory = uint64_t{64} << 20;
  const uint64_t first = CampaignSeed() << 32;
  const int variants = tests::CampaignSize(5000, 20000, 20000);
  Sweep sweep(
      variants / std::size(kModules), [&](size_t i, Sweep::Report& report) {
        Bytes damaged = module;
        Damage(damaged, first + i);
        return tests::TryModule(damaged, *(*devices)[0], limits, report);
      });
  for (const Mishap& mishap : sweep.Run()) {
    Bytes damaged = module;
    const std::string damage = Damage(damaged, first + mishap.trial);
    ADD_FAILURE() << "With the bytes" << damage << ", being "
                  << tests::StageName(mishap.stage) << ": " << mishap.text;
  }
  std::cout << "  " << tests::Outcomes(sweep) << "\n";
}

INSTANTIATE_TEST_SUITE_P(Modules, MutationTest, testing::ValuesIn(kModules),
                         [](const auto& info) {
                           std::string name;
                           for (char c : std::string(info.param))
                             name += std::isalnum(c) ? c : '_';
                           return name;
                         });

}  // namespace
}  // namespace eyrie
