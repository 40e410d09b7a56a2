// Damaged modules: cut at every length, and with every byte changed. Each is
// loaded, linked and called; every failure must be an error.
//
// Machine code and its addresses are left unchanged, because kernels can do
// anything that the process can. A changed byte may create an endless loop,
// which fuel ends.
#include <cctype>
#include <cstdint>
#include <iostream>
#include <string>
#include <vector>

#include "abi/call/session.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/bad_input/machine_code.h"
#include "tests/bad_input/sweep.h"
#include "tests/bad_input/trial.h"
#include "vm/limits/limits.h"

namespace eyrie {
namespace {

using tests::Mishap;
using tests::Sweep;
using Bytes = std::vector<uint8_t>;

struct Damage {
  size_t offset;  // or length, of a cut
  uint8_t flip;   // 0: a cut
};

Bytes Apply(const Bytes& module, Damage damage) {
  Bytes result = module;
  if (damage.flip == 0) {
    result.resize(damage.offset);
  } else {
    result[damage.offset] ^= damage.flip;
  }
  return result;
}

std::string Describe(const Mishap& mishap, Damage damage) {
  return absl::StrCat(damage.flip ? "with the byte at " : "cut to ",
                      damage.offset, damage.flip ? " ^ " : " bytes",
                      damage.flip ? absl::StrCat(damage.flip) : "", ", being ",
                      tests::StageName(mishap.stage), ": ", mishap.text);
}

void RunAll(const Bytes& module, const std::vector<Damage>& damages) {
  const auto devices = abi::OpenDevices({}, {});
  ASSERT_TRUE(devices.ok()) << devices.status();
  vm::Limits limits;
  limits.fuel = 10000;
  Sweep sweep(damages.size(), [&](size_t i, Sweep::Report& report) {
    return tests::TryModule(Apply(module, damages[i]), *(*devices)[0], limits,
                            report);
  });
  for (const Mishap& mishap : sweep.Run()) {
    ADD_FAILURE() << Describe(mishap, damages[mishap.trial]);
  }
  std::cout << "  " << damages.size() << " variants: " << tests::Outcomes(sweep)
            << "\n";
}

// A module without devices, and modules with a kernel: bare and as a ZIP.
class BadInputTest : public testing::TestWithParam<const char*> {};

TEST_P(BadInputTest, Whole) {
  const Bytes module = tests::ReadModule(GetParam());
  RunAll(module, {{module.size(), 0}});
}

TEST_P(BadInputTest, CutAtEveryLength) {
  const Bytes module = tests::ReadModule(GetParam());
  std::vector<Damage> damages;
  for (size_t i = 0; i < module.size(); ++i) damages.push_back({i, 0});
  RunAll(module, damages);
}

void FlipAll(const Bytes& module, uint8_t flip) {
  const std::vector<bool> code = tests::FindMachineCode(module);
  std::vector<Damage> damages;
  for (size_t i = 0; i < module.size(); ++i) {
    if (!code[i]) damages.push_back({i, flip});
  }
  RunAll(module, damages);
}

TEST_P(BadInputTest, AllBitsOfEveryByteFlipped) {
  FlipAll(tests::ReadModule(GetParam()), 0xFF);
}

TEST_P(BadInputTest, LowestBitOfEveryByteFlipped) {
  FlipAll(tests::ReadModule(GetParam()), 0x01);
}

INSTANTIATE_TEST_SUITE_P(Modules, BadInputTest,
                         testing::Values("3.13/vm_control.bare.vmfb",
                                         "3.3/add.bare.vmfb", "3.13/add.vmfb"),
                         [](const auto& info) {
                           std::string name;
                           for (char c : std::string(info.param))
                             name += std::isalnum(c) ? c : '_';
                           return name;
                         });

}  // namespace
}  // namespace eyrie
