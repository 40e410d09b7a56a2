// Tests which values of registers are known, with programs in assembly.
#include "vm/flow/value_flow.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "vm/flow/testing/program.h"
#include "vm/isa/opcode.h"

namespace eyrie::vm {
namespace {

std::string Text(const std::optional<KnownValue>& value) {
  if (!value.has_value()) return "?";
  switch (value->kind) {
    case KnownValue::Kind::kInteger:
      return absl::StrCat(value->number, value->wide ? "L" : "");
    case KnownValue::Kind::kRodata:
      return absl::StrCat("rodata ", value->number);
    case KnownValue::Kind::kGlobal:
      return absl::StrCat("global ", value->number);
    case KnownValue::Kind::kResult:
      return absl::StrCat("result ", value->index);
    case KnownValue::Kind::kArgument:
      return absl::StrCat("argument ", value->number);
  }
  return "";
}

// Returns the known arguments of the calls of @see, which take one each.
std::string Seen(absl::string_view code) {
  const auto module = Program(
      absl::StrCat("vm.module @t\nvm.import @x.see cconv \"0i_v\"\n"
                   "vm.import @x.see_wide cconv \"0I_v\"\n"
                   "vm.import @x.see_ref cconv \"0r_v\"\n"
                   "vm.import @x.number cconv \"0v_i\"\n"
                   "vm.type !vm.buffer\nvm.rodata[0] = \"a\"\n"
                   "vm.global.ref @g : !vm.buffer\n"
                   "vm.func @f(%i0: i32, %i1: i32, %r0: !vm.ref<?>) -> () {\n",
                   code, "}\n"));
  if (module == nullptr) return "";
  std::string seen;
  const bool followed = VisitFunction(
      *module, 0,
      [&](uint32_t, const Instruction& instruction,
          const KnownRegisters& registers) {
        if (instruction.op->op != Op::kCall) return;
        if (instruction.reads[1].list.empty()) return;
        absl::StrAppend(&seen, seen.empty() ? "" : ", ",
                        Text(registers.Get(instruction.reads[1].list[0])));
      });
  EXPECT_TRUE(followed);
  return seen;
}

TEST(ValueFlow, FollowsConstants) {
  const struct {
    const char* code;
    const char* want;
  } kCases[] = {
      {"^bb0:\n  vm.call @x.see(%i0)\n  vm.return\n", "?"},
      {"^bb0:\n  %i2 = vm.const.i32 7\n  vm.call @x.see(%i2)\n"
       "  vm.return\n",
       "7"},
      {"^bb0:\n  %i2 = vm.const.i32 -7\n  vm.call @x.see(%i2)\n"
       "  %i2 = vm.const.i32.zero\n  vm.call @x.see(%i2)\n  vm.return\n",
       "-7, 0"},
      {"^bb0:\n  %i2 = vm.const.i32 7\n  %i2 = vm.add.i32 %i2, %i0\n"
       "  vm.call @x.see(%i2)\n  vm.return\n",
       "?"},
      {"^bb0:\n  %i2:3 = vm.const.i64 -1\n  vm.call @x.see_wide(%i2)\n"
       "  %i2 = vm.trunc.i64.i32 %i2:3\n  vm.call @x.see(%i2)\n"
       "  %i4:5 = vm.ext.i32.i64.u %i2\n  vm.call @x.see_wide(%i4)\n"
       "  vm.return\n",
       "-1L, -1, 4294967295L"},
      // Half of a pair is written.
      {"^bb0:\n  %i2:3 = vm.const.i64 5\n  %i3 = vm.const.i32 1\n"
       "  vm.call @x.see_wide(%i2)\n  vm.call @x.see(%i3)\n  vm.return\n",
       "?, 1"},
      {"^bb0:\n  %i2 = vm.call @x.number()\n  vm.call @x.see(%i2)\n"
       "  vm.return\n",
       "result 0"},
      {"^bb0:\n  %r1 = vm.const.ref.rodata 0\n  vm.call @x.see_ref(%r1)\n"
       "  %r1 = vm.global.load.ref @g : !vm.buffer\n"
       "  vm.call @x.see_ref(%R1)\n  %r1 = vm.const.ref.zero\n"
       "  vm.call @x.see_ref(%r1)\n  vm.return\n",
       "rodata 0, global 0, 0"},
  };
  for (const auto& c : kCases) EXPECT_EQ(Seen(c.code), c.want) << c.code;
}

TEST(ValueFlow, FollowsBranches) {
  const struct {
    const char* code;
    const char* want;
  } kCases[] = {
      // Two paths that meet: values that both leave unchanged, or agree on.
      {"^bb0:\n  %i2 = vm.const.i32 7\n"
       "  vm.cond_br %i0, ^bb1(), ^bb2()\n"
       "^bb1:\n  %i3 = vm.const.i32 1\n  vm.br ^bb3()\n"
       "^bb2:\n  %i3 = vm.const.i32 2\n  vm.br ^bb3()\n"
       "^bb3:\n  vm.call @x.see(%i2)\n  vm.call @x.see(%i3)\n"
       "  vm.return\n",
       "7, ?"},
      {"^bb0:\n  vm.cond_br %i0, ^bb1(), ^bb2()\n"
       "^bb1:\n  %i3 = vm.const.i32 1\n  vm.br ^bb3()\n"
       "^bb2:\n  %i3 = vm.const.i32 1\n  vm.br ^bb3()\n"
       "^bb3:\n  vm.call @x.see(%i3)\n  vm.return\n",
       "1"},
      // A loop changes a register that was set before it.
      {"^bb0:\n  %i2 = vm.const.i32 7\n  %i3 = vm.const.i32 8\n"
       "  vm.br ^bb1()\n"
       "^bb1:\n  vm.call @x.see(%i2)\n  vm.call @x.see(%i3)\n"
       "  %i2 = vm.add.i32 %i2, %i0\n"
       "  vm.cond_br %i2, ^bb1(), ^bb2()\n"
       "^bb2:\n  vm.call @x.see(%i3)\n  vm.return\n",
       "?, 8, 8"},
      // Moves that swap registers; pairs that are moved in halves.
      {"^bb0:\n  %i2 = vm.const.i32 7\n  %i3 = vm.const.i32 8\n"
       "  vm.br ^bb1(%i2->%i3, %i3->%i2)\n"
       "^bb1:\n  vm.call @x.see(%i2)\n  vm.call @x.see(%i3)\n"
       "  vm.return\n",
       "8, 7"},
      {"^bb0:\n  %i2:3 = vm.const.i64 7\n"
       "  vm.br ^bb1(%i2->%i4, %i3->%i5)\n"
       "^bb1:\n  vm.call @x.see_wide(%i4)\n  vm.return\n",
       "7L"},
      {"^bb0:\n  %i2:3 = vm.const.i64 7\n  %i5 = vm.const.i32 1\n"
       "  vm.br ^bb1(%i2->%i4)\n"
       "^bb1:\n  vm.call @x.see_wide(%i4)\n  vm.return\n",
       "?"},
      // A block that is never reached.
      {"^bb0:\n  %i2 = vm.const.i32 7\n  vm.return\n"
       "^bb1:\n  vm.call @x.see(%i2)\n  vm.return\n",
       "?"},
  };
  for (const auto& c : kCases) EXPECT_EQ(Seen(c.code), c.want) << c.code;
}

// A sequence of blocks with thousands of known constants each. The analysis
// must stop early.
TEST(ValueFlow, GivesUp) {
  std::string code = "vm.module @t\nvm.func @f(%i0: i32) -> () {\n^bb0:\n";
  for (int i = 1; i < 3000; ++i) {
    absl::StrAppend(&code, "  %i", i, " = vm.const.i32 ", i, "\n");
  }
  absl::StrAppend(&code, "  vm.br ^bb1()\n");
  for (int i = 1; i < 5000; ++i) {
    absl::StrAppend(&code, "^bb", i, ":\n  vm.cond_br %i0, ^bb", i + 1,
                    "(), ^bb", i + 1, "()\n");
  }
  absl::StrAppend(&code, "^bb5000:\n  vm.return\n}\n");
  const auto module = Program(code);
  ASSERT_NE(module, nullptr);
  size_t visited = 0;
  EXPECT_FALSE(VisitFunction(
      *module, 0,
      [&](uint32_t, const Instruction&, const KnownRegisters& registers) {
        ++visited;
        EXPECT_EQ(registers.size(), 0u);
      }));
  EXPECT_EQ(visited, 2999u + 2 + 4999 * 2 + 2);
}

}  // namespace
}  // namespace eyrie::vm
