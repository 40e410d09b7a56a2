// Tests which types code shows, with programs in assembly.
#include "abi/signature/inferred_types.h"

#include <string>

#include "abi/signature/signature_reader.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "vm/flow/testing/program.h"

namespace eyrie::abi {
namespace {

// Returns the signature of the exported function @f. Its code begins with
// constants: %i0 is f32's code, %i1 the encoding, %i2:3 is 4, %i4:5 is 7.
std::string Inferred(absl::string_view parameters, absl::string_view code,
                     absl::string_view others = "") {
  const auto module = vm::Program(absl::StrCat(
      "vm.module @t\n"
      "vm.import @hal.buffer_view.assert cconv \"0rriiCID_v\"\n"
      "vm.import @hal.buffer_view.create cconv \"0rIIiiCID_r\"\n"
      "vm.import @hal.buffer_view.buffer cconv \"0r_r\"\n"
      "vm.import @hal.buffer_view.dim cconv \"0ri_I\"\n"
      "vm.import @hal.buffer_view.trace cconv \"0rCrD_v\"\n"
      "vm.import @x.flag cconv \"0v_i\"\n"
      "vm.export @f\nvm.func @f(",
      parameters,
      ") {\n^bb0:\n  %i0 = vm.const.i32 553648160\n  %i1 = vm.const.i32 1\n"
      "  %i2:3 = vm.const.i64 4\n  %i4:5 = vm.const.i64 7\n"
      "  %r6 = vm.const.ref.zero\n",
      code, "}\n", others));
  if (module == nullptr) return "";
  TypeInference inference(*module);
  const auto signature =
      ReadSignature("f", module->def().exports[0].function, inference);
  if (!signature.ok()) return std::string(signature.status().message());
  return absl::StrCat(signature->ToString(), " ", signature->source_name());
}

constexpr char kOne[] = "%r0: !vm.ref<?>) -> (";
constexpr char kAssert4[] =
    "  vm.call.variadic @hal.buffer_view.assert segments[65535, 65535, 65535, "
    "65535, 1](%r0, %r6, %i0, %i1, %i2)\n";
constexpr char kCreate[] =
    " = vm.call.variadic @hal.buffer_view.create segments[65535, 65535, 65535, "
    "65535, 65535, ";

TEST(InferredTypes, Arguments) {
  const struct {
    std::string code;
    const char* want;
  } kRows[] = {
      {"  vm.return\n", "f(unknown) -> () calling convention"},
      {absl::StrCat(kAssert4, "  vm.return\n"),
       "f(input0: 4xf32) -> () inferred"},
      // The first check counts.
      {absl::StrCat(
           "  vm.call.variadic @hal.buffer_view.assert segments[65535, 65535, "
           "65535, 65535, 0](%r0, %r6, %i0, %i1)\n",
           kAssert4, "  vm.return\n"),
       "f(input0: f32) -> () inferred"},
      {"  %r1 = vm.call @hal.buffer_view.buffer(%r0)\n  vm.return\n",
       "f(input0: array) -> () inferred"},
      {absl::StrCat("  %r1 = vm.call @hal.buffer_view.buffer(%r0)\n", kAssert4,
                    "  vm.return\n"),
       "f(input0: 4xf32) -> () inferred"},
      // A trace begins with a text.
      {"  vm.call.variadic @hal.buffer_view.trace segments[65535, 1](%r0, "
       "%r6)\n  vm.return\n",
       "f(unknown) -> () calling convention"},
      // A dimension that is asked for, or computed.
      {"  %i6:7 = vm.call @hal.buffer_view.dim(%r0, %i1)\n"
       "  vm.call.variadic @hal.buffer_view.assert segments[65535, 65535, "
       "65535, 65535, 2](%r0, %r6, %i0, %i1, %i6, %i4)\n  vm.return\n",
       "f(input0: ?x7xf32) -> () inferred"},
      // An element type that is computed.
      {"  %i0 = vm.add.i32 %i0, %i1\n"
       "  vm.call.variadic @hal.buffer_view.assert segments[65535, 65535, "
       "65535, 65535, 1](%r0, %r6, %i0, %i1, %i2)\n  vm.return\n",
       "f(input0: 4xunknown) -> () inferred"},
      // Only what every call checks counts; a path that fails is none.
      {absl::StrCat("  %i6 = vm.call @x.flag()\n"
                    "  vm.cond_br %i6, ^bb1(), ^bb2()\n^bb1:\n",
                    kAssert4, "  vm.br ^bb2()\n^bb2:\n  vm.return\n"),
       "f(unknown) -> () calling convention"},
      {absl::StrCat("  %i6 = vm.call @x.flag()\n"
                    "  vm.cond_br %i6, ^bb1(), ^bb2()\n^bb1:\n",
                    kAssert4, "  vm.return\n^bb2:\n  vm.fail %i1, \"no\"\n"),
       "f(input0: 4xf32) -> () inferred"},
      // A loop is a decision.
      {absl::StrCat("  vm.br ^bb1()\n^bb1:\n  %i6 = vm.call @x.flag()\n"
                    "  vm.cond_br %i6, ^bb1(), ^bb2()\n^bb2:\n",
                    kAssert4, "  vm.return\n"),
       "f(unknown) -> () calling convention"},
  };
  for (const auto& row : kRows) {
    EXPECT_EQ(Inferred(kOne, row.code), row.want) << row.code;
  }
}

TEST(InferredTypes, Results) {
  constexpr char kReturns[] = "%r0: !vm.ref<?>) -> (!vm.ref<?>";
  const std::string four =
      absl::StrCat("  %r1", kCreate, "1](%r6, %i2, %i2, %i0, %i1, %i2)\n");
  const std::string seven =
      absl::StrCat("  %r1", kCreate, "1](%r6, %i2, %i2, %i0, %i1, %i4)\n");
  const std::string matrix =
      absl::StrCat("  %r1", kCreate, "2](%r6, %i2, %i2, %i0, %i1, %i2, %i4)\n");
  const auto either = [](const std::string& a, const std::string& b) {
    return absl::StrCat("  %i6 = vm.call @x.flag()\n",
                        "  vm.cond_br %i6, ^bb1(), ^bb2()\n^bb1:\n", a,
                        "  vm.return %r1\n^bb2:\n", b, "  vm.return %r1\n");
  };
  const struct {
    std::string code;
    const char* want;
  } kRows[] = {
      {absl::StrCat(four, "  vm.return %r1\n"),
       "f(input0: unknown) -> 4xf32 inferred"},
      {absl::StrCat(kAssert4, "  vm.return %r0\n"),
       "f(input0: 4xf32) -> 4xf32 inferred"},
      {"  vm.return %r6\n", "f(unknown) -> unknown calling convention"},
      {either(four, four), "f(input0: unknown) -> 4xf32 inferred"},
      {either(four, seven), "f(input0: unknown) -> ?xf32 inferred"},
      {either(four, matrix), "f(input0: unknown) -> *xf32 inferred"},
      {either(four, "  %r1 = vm.const.ref.zero\n"),
       "f(unknown) -> unknown calling convention"},
  };
  for (const auto& row : kRows) {
    EXPECT_EQ(Inferred(kReturns, row.code), row.want) << row.code;
  }
}

// A function that calls another has its types.
TEST(InferredTypes, Calls) {
  constexpr char kTwo[] =
      "%r0: !vm.ref<?>, %r1: !vm.ref<?>) -> (!vm.ref<?>, !vm.ref<?>";
  const std::string inner = absl::StrCat(
      "vm.func @g(%r0: !vm.ref<?>, %r1: !vm.ref<?>) -> (!vm.ref<?>, "
      "!vm.ref<?>) {\n^bb0:\n  %i0 = vm.const.i32 553648160\n"
      "  %i1 = vm.const.i32 1\n  %i2:3 = vm.const.i64 4\n"
      "  %r6 = vm.const.ref.zero\n",
      kAssert4, "  %r2", kCreate,
      "0](%r6, %i2, %i2, %i0, %i1)\n  vm.return %r1, %r2\n}\n");
  EXPECT_EQ(Inferred(kTwo,
                     "  %r2, %r3 = vm.call @g(%r1, %r0)\n"
                     "  vm.return %r3, %r2\n",
                     inner),
            "f(input0: unknown, input1: 4xf32) -> (f32, unknown) inferred");
  // A function that does not look at its argument takes nothing back.
  EXPECT_EQ(Inferred(kOne,
                     "  %r1 = vm.call @hal.buffer_view.buffer(%r0)\n"
                     "  vm.call @g(%r0)\n  vm.return\n",
                     "vm.func @g(%r0: !vm.ref<?>) -> () {\n^bb0:\n"
                     "  vm.return\n}\n"),
            "f(input0: array) -> () inferred");
  // Functions that call themselves, or each other.
  EXPECT_EQ(Inferred(kTwo,
                     "  %r2, %r3 = vm.call @f(%r1, %r0)\n"
                     "  vm.return %r2, %r3\n"),
            "f(unknown, unknown) -> (unknown, unknown) calling convention");
}

}  // namespace
}  // namespace eyrie::abi
