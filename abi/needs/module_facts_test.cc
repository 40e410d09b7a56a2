// Facts about code: fixtures of every release and handwritten programs.
#include "abi/needs/module_facts.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gtest/gtest.h"
#include "tests/support/releases.h"
#include "vm/flow/testing/program.h"
#include "vm/module/module_def.h"

namespace eyrie::abi {
namespace {

ModuleFacts FactsOf(const std::string& path) {
  const auto module = vm::LoadModule(absl::StrCat("tests/modules/", path));
  EXPECT_TRUE(module.ok()) << path;
  return ReadModuleFacts(**module);
}

std::string Count(const std::optional<int64_t>& count) {
  return count.has_value() ? absl::StrCat(*count) : "?";
}

// Returns the dispatches as text: "0: kernel 4x1x1 3/0".
std::string Dispatches(const ModuleFacts& facts) {
  return absl::StrJoin(
      facts.dispatches, "; ", [](std::string* out, const DispatchUse& use) {
        absl::StrAppend(
            out,
            use.executable.has_value() ? absl::StrCat(*use.executable) : "?",
            ": ",
            use.kernel.empty() ? absl::StrCat("#", Count(use.ordinal))
                               : use.kernel,
            " ",
            use.indirect ? "indirect"
                         : absl::StrCat(Count(use.workgroups[0]), "x",
                                        Count(use.workgroups[1]), "x",
                                        Count(use.workgroups[2])),
            " ", use.bindings, "/", use.constants);
      });
}

std::string Queries(const ModuleFacts& facts) {
  return absl::StrJoin(facts.queries, " ",
                       [](std::string* out, const DeviceQuery& query) {
                         absl::StrAppend(out, query.category, "=", query.key);
                       });
}

TEST(ModuleFacts, OfEveryRelease) {
  const struct {
    const char* path;
    const char* dispatches;
  } kCases[] = {
      {"3.3/add.vmfb", "0: #0 1x1x1 3/0"},
      {"3.9/add.vmfb", "0: #0 1x1x1 3/0"},
      {"3.11/add.vmfb", "0: #0 1x1x1 3/0"},
      {"3.12/add.vmfb", "0: add_dispatch_0_elementwise_4_f32 1x1x1 3/0"},
      {"3.13/add.vmfb", "0: add_dispatch_0_elementwise_4_f32 1x1x1 3/0"},
  };
  for (const auto& c : kCases) {
    const ModuleFacts facts = FactsOf(c.path);
    EXPECT_EQ(Dispatches(facts), c.dispatches) << c.path;
    EXPECT_EQ(Queries(facts),
              "hal.device.id=local* hal.executable.format=embedded-elf-x86_64")
        << c.path;
    ASSERT_EQ(facts.executables.size(), 1u) << c.path;
    EXPECT_EQ(facts.executables[0].format, "embedded-elf-x86_64");
    EXPECT_TRUE(facts.executables[0].rodata.has_value());
    ASSERT_EQ(facts.allocations.size(), 1u) << c.path;
    EXPECT_EQ(Count(facts.allocations[0].bytes), "16");
    EXPECT_TRUE(facts.allocations[0].transient);
    ASSERT_EQ(facts.target_texts.size(), 1u);
    EXPECT_EQ(facts.unfollowed, 0u);
  }
}

// Returns the bindings of all dispatches: "slot 0 16, global 2 ?; ".
std::string Buffers(const ModuleFacts& facts) {
  return absl::StrJoin(
      facts.dispatches, "; ", [](std::string* out, const DispatchUse& use) {
        absl::StrAppend(
            out, absl::StrJoin(use.buffers, ", ",
                               [](std::string* to, const BindingUse& binding) {
                                 absl::StrAppend(to, binding.buffer, " ",
                                                 Count(binding.bytes));
                               }));
      });
}

TEST(ModuleFacts, OfBindings) {
  const struct {
    const char* path;
    const char* buffers;
  } kCases[] = {
      {"3.3/add.vmfb", "slot 0 16, slot 1 16, slot 2 16"},
      {"3.13/add.vmfb", "slot 0 16, slot 1 16, slot 2 16"},
      // Dispatches share a buffer: a slot, or the result of a call.
      {"3.13/mlp.vmfb",
       "slot 0 16, slot 2 64; slot 2 64, slot 1 12; call 133 ?, call 192 48, "
       "call 1dc 16, call 2a0 ?; call 2a0 ?, call 228 32, call 262 ?"},
  };
  for (const auto& c : kCases) {
    EXPECT_EQ(Buffers(FactsOf(c.path)), c.buffers) << c.path;
  }
}

TEST(ModuleFacts, OfTwoDevices) {
  const ModuleFacts facts = FactsOf("3.13/two_devices.two.vmfb");
  ASSERT_EQ(facts.executables.size(), 2u);
  EXPECT_EQ(facts.executables[0].rodata, facts.executables[1].rodata);
  for (const DispatchUse& use : facts.dispatches) {
    EXPECT_TRUE(use.executable.has_value());
    EXPECT_FALSE(use.kernel.empty());
  }
}

TEST(ModuleFacts, OfParameters) {
  for (const char* release : tests::kReleases) {
    const ModuleFacts facts =
        FactsOf(absl::StrCat(release, "/parameters.vmfb"));
    EXPECT_EQ(facts.unknown_parameters, 0u);
    EXPECT_FALSE(facts.parameters.empty());
    for (const ParameterUse& parameter : facts.parameters) {
      EXPECT_FALSE(parameter.key.empty());
      EXPECT_GT(parameter.bytes, 0u);
    }
  }
}

// Calls by name, with their number.
TEST(ModuleFacts, OfCalls) {
  const auto module = vm::Program(
      "vm.module @t\nvm.import @x.f cconv \"0v_v\"\n"
      "vm.func @a() -> () {\n^bb0:\n  vm.call @b()\n  vm.call @x.f()\n"
      "  vm.call @b()\n  vm.return\n}\n"
      "vm.func @b() -> () {\n^bb0:\n  vm.call @a()\n  vm.return\n}\n");
  ASSERT_NE(module, nullptr);
  const ModuleFacts facts = ReadModuleFacts(*module);
  EXPECT_EQ(absl::StrJoin(facts.calls, " ",
                          [](std::string* out, const CallEdge& call) {
                            absl::StrAppend(out, call.caller, "->",
                                            call.import ? "x" : "", call.callee,
                                            "*", call.count);
                          }),
            "0->1*2 0->x0*1 1->0*1");
}

// Invalid tables: keys outside their text, and half an entry.
TEST(ModuleFacts, OfDamagedParameters) {
  const struct {
    const char* keys;   // pairs of 32 bits
    const char* spans;  // triples of 64
    size_t unknown;
    const char* want;
  } kCases[] = {
      {"0000000001000000", "000000000000000000000000000000000800000000000000",
       0, "a 8"},
      {"0200000001000000", "100000000000000000000000000000000800000000000000",
       0, "c 24"},
      {"0300000001000000", "000000000000000000000000000000000800000000000000",
       1, ""},
      {"00000000ffffffff", "000000000000000000000000000000000800000000000000",
       1, ""},
      {"0000000001000000", "0000000000000000", 1, ""},
      {"00000000010000", "000000000000000000000000000000000800000000000000", 1,
       ""},
      {"0000000001000000", "ffffffffffffffff00000000000000000800000000000000",
       0, "a 18446744073709551615"},
  };
  for (const auto& c : kCases) {
    const auto module = vm::Program(absl::StrCat(
        "vm.module @t\nvm.import @io_parameters.load cconv "
        "\"0rIrrrIiirrr_r\"\nvm.rodata[0] = ",
        c.keys, "\nvm.rodata[1] = \"abc\"\nvm.rodata[2] = ", c.spans,
        "\nvm.func @f() -> () {\n^bb0:\n  %r0 = vm.const.ref.zero\n"
        "  %i0 = vm.const.i32.zero\n  %i2:3 = vm.const.i64.zero\n"
        "  %r1 = vm.const.ref.rodata 0\n  %r2 = vm.const.ref.rodata 1\n"
        "  %r3 = vm.const.ref.rodata 2\n"
        "  %r0 = vm.call @io_parameters.load(%r0, %i2, %r0, %r0, %r0, %i2, "
        "%i0, %i0, %r1, %r2, %r3)\n  vm.return\n}\n"));
    ASSERT_NE(module, nullptr);
    const ModuleFacts facts = ReadModuleFacts(*module);
    EXPECT_EQ(facts.unknown_parameters, c.unknown) << c.keys;
    EXPECT_EQ(absl::StrJoin(facts.parameters, " ",
                            [](std::string* out, const ParameterUse& use) {
                              absl::StrAppend(out, use.scope, use.key, " ",
                                              use.bytes);
                            }),
              c.want)
        << c.keys;
  }
}

}  // namespace
}  // namespace eyrie::abi
