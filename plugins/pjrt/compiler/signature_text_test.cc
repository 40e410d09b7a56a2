// Reads signatures as the compiler prints them, and damaged ones.
#include "plugins/pjrt/compiler/signature_text.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gtest/gtest.h"
#include "tests/support/status_text.h"

namespace eyrie::pjrt {
namespace {

std::string TextOf(const std::vector<ProgramArgument>& arguments) {
  return absl::StrJoin(
      arguments, ", ", [](std::string* out, const ProgramArgument& argument) {
        absl::StrAppend(out, argument.type.element, "[",
                        absl::StrJoin(argument.type.dims, ","), "]");
        if (argument.is_donated) absl::StrAppend(out, " donated");
        if (argument.memory_kind.empty()) return;
        absl::StrAppend(out, " in ", argument.memory_kind);
      });
}

std::string Read(const SignatureText& text) {
  const absl::StatusOr<ProgramSignature> signature = ReadSignature(text);
  if (!signature.ok()) return StatusText(signature);
  return absl::StrCat(TextOf(signature->arguments), " -> ",
                      TextOf(signature->results));
}

struct TypeCase {
  const char* type;
  const char* want;
};

TEST(SignatureText, FunctionTypes) {
  const TypeCase kCases[] = {
      {"() -> ()", " -> "},
      {"(tensor<4x5xf32>, tensor<ui32>) -> tensor<4xi1>",
       "f32[4,5], ui32[] -> i1[4]"},
      {"(tensor<?x4xbf16>) -> (tensor<2xcomplex<f64>>, tensor<0xf8E4M3FN>)",
       "bf16[-1,4] -> complex<f64>[2], f8E4M3FN[0]"},
      {"(tensor<4x?xf32, #stablehlo.bounds<?, 5>>) -> ()", "f32[4,-1] -> "},
      {"#vhlo.type_v1<!vhlo.func_v1<(()) -> ()>>", " -> "},
      {"#vhlo.type_v1<!vhlo.func_v1<(!vhlo.tensor_v1<4x5x!vhlo.f32_v1>, "
       "!vhlo.tensor_v1<!vhlo.ui32_v1>) -> !vhlo.tensor_v1<4x!vhlo.bool_v1>, "
       "!vhlo.tensor_v1<4x!vhlo.complex_v1<!vhlo.f32_v1>>>>",
       "f32[4,5], ui32[] -> i1[4], complex<f32>[4]"},
      {"#vhlo.type_v1<!vhlo.func_v1<(!vhlo.tensor_v1<4x?x!vhlo.f8E4M3FN_v1, "
       "#vhlo.type_extensions_v1<bounds = [?, 5]>>) -> ()>>",
       "f8E4M3FN[4,-1] -> "},
      // Not tensors of numbers.
      {"(tensor<f32>, !stablehlo.token) -> ()",
       "UNIMPLEMENTED: Argument 1 has type '!stablehlo.token'; expected a "
       "tensor of numbers."},
      {"#vhlo.type_v1<!vhlo.func_v1<(()) -> !vhlo.token_v1>>",
       "UNIMPLEMENTED: Result 0 has type '!vhlo.token_v1'; expected a tensor "
       "of numbers."},
      {"(tuple<tensor<i1>, tensor<4xi8>>) -> ()",
       "UNIMPLEMENTED: Argument 0 has type 'tuple<tensor<i1>, tensor<4xi8>>'; "
       "expected a tensor of numbers."},
      {"(tensor<*xf32>) -> ()",
       "UNIMPLEMENTED: Argument 0 has type 'tensor<*xf32>'; expected a tensor "
       "of numbers."},
      {"(tensor<2x!quant.uniform<i8:f32, 2.0>>) -> ()",
       "UNIMPLEMENTED: Argument 0 has type "
       "'tensor<2x!quant.uniform<i8:f32, 2.0>>'; expected a tensor of "
       "numbers."},
      {"(tensor<4xf32, #sparse>) -> ()",
       "UNIMPLEMENTED: Argument 0 has type 'tensor<4xf32, #sparse>'; expected "
       "a tensor of numbers."},
      {"((i32) -> f32) -> ()",
       "UNIMPLEMENTED: Argument 0 has type '(i32) -> f32'; expected a tensor "
       "of numbers."},
      {"(tensor<99999999999999999999xf32>) -> ()",
       "UNIMPLEMENTED: Argument 0 has type "
       "'tensor<99999999999999999999xf32>'; expected a tensor of numbers."},
      // Damaged.
      {"",
       "INTERNAL: The compiler prints a function type that cannot be "
       "read: ''."},
      {"(tensor<f32>)",
       "INTERNAL: The compiler prints a function type that "
       "cannot be read: '(tensor<f32>)'."},
      {"() -> (tensor<f32>",
       "INTERNAL: The compiler prints a function type "
       "that cannot be read: '() -> (tensor<f32>'."},
      {"() -> () -> ()",
       "INTERNAL: The compiler prints a function type that "
       "cannot be read: '() -> () -> ()'."},
  };
  for (const TypeCase& c : kCases) {
    SCOPED_TRACE(c.type);
    EXPECT_EQ(Read({"", "", "", "\"main\"", c.type, "", ""}), c.want);
  }
}

constexpr char kTwo[] = "(tensor<f32>, tensor<f32>) -> ()";

TEST(SignatureText, Attributes) {
  const TypeCase kCases[] = {
      {"", "f32[], f32[] -> "},
      {"[]", "f32[], f32[] -> "},
      {"[{tf.aliasing_output = 0 : i32}, {jax.buffer_donor = true}]",
       "f32[] donated, f32[] donated -> "},
      {"[{}, {jax.buffer_donor = false}]", "f32[], f32[] -> "},
      {"[{jax.buffer_donor}, {\"x y\", mhlo.memory_kind = \"a\\22{]\\0Ab\"}]",
       "f32[] donated, f32[] in a\"{]\nb -> "},
      {"[{tf.l = [1, {a = 2}, dense<[1, 2]> : tensor<2xi32>], tf.f = (i32) -> "
       "f32, sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}]>, "
       "mhlo.memory_kind = \"device\"}, {}]",
       "f32[] in device, f32[] -> "},
      {"#vhlo.array_v1<[#vhlo.dict_v1<{}>, "
       "#vhlo.dict_v1<{#vhlo.string_v1<\"jax.buffer_donor\"> = "
       "#vhlo.bool_v1<true>, #vhlo.string_v1<\"mhlo.memory_kind\"> = "
       "#vhlo.string_v1<\"pinned_host\">}>]>",
       "f32[], f32[] donated in pinned_host -> "},
      {"#vhlo.array_v1<[]>", "f32[], f32[] -> "},
      {"[{}]",
       "INTERNAL: The compiler prints attributes that cannot be read: "
       "'[{}]'."},
      {"[{}, {}, {}]",
       "INTERNAL: The compiler prints attributes that cannot be read: "
       "'[{}, {}, {}]'."},
      {"[{}, {mhlo.memory_kind = 3}]",
       "INTERNAL: The compiler prints attributes that cannot be read: "
       "'[{}, {mhlo.memory_kind = 3}]'."},
      {"[{}, {a",
       "INTERNAL: The compiler prints attributes that cannot be read: "
       "'[{}, {a'."},
  };
  for (const TypeCase& c : kCases) {
    SCOPED_TRACE(c.type);
    EXPECT_EQ(Read({"", "", "", "\"main\"", kTwo, c.type, ""}), c.want);
  }
}

struct NameCase {
  SignatureText text;
  const char* want;
};

TEST(SignatureText, NamesAndCounts) {
  const NameCase kCases[] = {
      {{"\"jit_f\"", "", "", "#vhlo.string_v1<\"main\">"}, "jit_f main 1 1"},
      {{"", "2 : i32", "4 : i32", "\"f\""}, "f f 2 4"},
      {{"", "#vhlo.integer_v1<3 : i64>", "", "\"f\""}, "f f 3 1"},
      {{"", "0 : i32", "", "\"f\""},
       "INTERNAL: The compiler prints a number of devices that cannot be read: "
       "'0 : i32'."},
      {{"", "", "x", "\"f\""},
       "INTERNAL: The compiler prints a number of devices that cannot be read: "
       "'x'."},
      {{"", "", "", "f\x1b"},
       "INTERNAL: The compiler prints a name that cannot be read: 'f?'."},
      {{"", "", "", "\"\""},
       "INTERNAL: The compiler prints a name that cannot be read: '\"\"'."},
      {{"", "", "", "\"a\\\""},
       "INTERNAL: The compiler prints a name that cannot be read: '\"a\\\"'."},
  };
  for (const NameCase& c : kCases) {
    SCOPED_TRACE(c.want);
    SignatureText text = c.text;
    text.function_type = kTwo;
    const absl::StatusOr<ProgramSignature> read = ReadSignature(text);
    EXPECT_EQ(read.ok() ? absl::StrCat(read->name, " ", read->function, " ",
                                       read->replicas, " ", read->partitions)
                        : StatusText(read),
              c.want);
  }
}

}  // namespace
}  // namespace eyrie::pjrt
