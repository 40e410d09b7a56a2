// Tests linking programs with custom calls: the text, the manifest, errors.
#include "abi/native/xla/program.h"

#include <string>

#include "abi/native/manifest.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gtest/gtest.h"
#include "tests/support/status_text.h"

namespace eyrie::native {
namespace {

// Returns the program's text, with '|' for line breaks, or an error.
std::string Text(absl::string_view text) {
  const auto program = LinkProgram(text, "xla");
  if (!program.ok()) return StatusText(program);
  return program->text;
}

// Returns a program with one call.
std::string Call(absl::string_view attributes,
                 absl::string_view type = "(tensor<4xf32>) -> tensor<4xf32>",
                 absl::string_view operands = "%a") {
  return absl::StrCat("func.func @f() {\n  %r = stablehlo.custom_call @h(",
                      operands, ") {", attributes, "} : ", type, "\n}\n");
}

// Returns the functions of the manifest, or an error.
std::string Functions(absl::string_view text) {
  const auto program = LinkProgram(text, "xla");
  if (!program.ok()) return StatusText(program);
  const auto manifest = Manifest::Parse(program->manifest);
  if (!manifest.ok()) return StatusText(manifest);
  EXPECT_TRUE(manifest->partial);
  return manifest->Describe();
}

constexpr char kTyped[] = "mhlo.backend_config = {}";

TEST(Program, Text) {
  const struct {
    std::string text;
    std::string want;
  } kRows[] = {
      {Call(kTyped),
       "func.func private @\"xla.h\"(tensor<4xf32>) -> (tensor<4xf32>)\n  "
       "func.func @f() {\n  %r = func.call @\"xla.h\"(%a) : (tensor<4xf32>) -> "
       "tensor<4xf32>\n}\n"},
      // Assertions of dynamic dimensions stay.
      {"func.func @f() {\n  stablehlo.custom_call @shape_assertion(%b, %n) "
       "{api_version = 2 : i32, error_message = \"{0}\"} : (tensor<i1>, "
       "tensor<i64>) -> ()\n  %r = stablehlo.custom_call @h(%a) {api_version = "
       "4 : i32} : (tensor<?xf32>) -> tensor<i32>\n}\n",
       "func.func private @\"xla.h\"(tensor<?xf32>) -> (tensor<i32>)\n  "
       "func.func @f() {\n  stablehlo.custom_call @shape_assertion(%b, %n) "
       "{api_version = 2 : i32, error_message = \"{0}\"} : (tensor<i1>, "
       "tensor<i64>) -> ()\n  %r = func.call @\"xla.h\"(%a) : (tensor<?xf32>) "
       "-> tensor<i32>\n}\n"},
      // Tokens become tensors, which no handler gets.
      {"func.func @f(%t: !stablehlo.token) {\n  %n = stablehlo.create_token : "
       "!stablehlo.token\n  %u = stablehlo.after_all %t, %n : "
       "!stablehlo.token\n  %r:2 = stablehlo.custom_call @h(%u, %a) "
       "{api_version = 4 : i32} : (!stablehlo.token, tensor<i32>) -> "
       "(!stablehlo.token, tensor<i32>)\n}\n",
       "func.func private @\"xla.h\"(tensor<i32>) -> (tensor<i32>)\n  "
       "func.func private @\"xla.h.tokens\"(%arg0: tensor<i1>, %arg1: "
       "tensor<i32>) -> (tensor<i1>, tensor<i32>) {\n    %0:1 = func.call "
       "@\"xla.h\"(%arg1) : (tensor<i32>) -> (tensor<i32>)\n    return %arg0, "
       "%0#0 : tensor<i1>, tensor<i32>\n  }\n  func.func @f(%t: tensor<i1>) "
       "{\n  %n = stablehlo.constant dense<false> : tensor<i1>\n  %u = "
       "stablehlo.and %t, %n : tensor<i1>\n  %r:2 = func.call "
       "@\"xla.h.tokens\"(%u, %a) : (tensor<i1>, tensor<i32>) -> (tensor<i1>, "
       "tensor<i32>)\n}\n"},
      // Comments, locations and strings stay as they are.
      {"module @m {\n  func.func public @main(%arg0: tensor<i32>) {\n"
       "    // stablehlo.custom_call @no\n"
       "    %0:2 = stablehlo.custom_call @a.b(%arg0, %1#0) {api_version = 4 : "
       "i32} : (tensor<i32>, tensor<f64>) -> (tensor<i32>, tensor<f64>) "
       "loc(#loc3)\n  }\n}\n#loc3 = loc(\"stablehlo.custom_call\")\n",
       "module @m {\n  func.func private @\"xla.a.b\"(tensor<i32>, "
       "tensor<f64>) "
       "-> (tensor<i32>, tensor<f64>)\n  "
       "func.func public @main(%arg0: tensor<i32>) {\n"
       "    // stablehlo.custom_call @no\n"
       "    %0:2 = func.call @\"xla.a.b\"(%arg0, %1#0) : (tensor<i32>, "
       "tensor<f64>) -> (tensor<i32>, tensor<f64>) "
       "loc(#loc3)\n  }\n}\n#loc3 = loc(\"stablehlo.custom_call\")\n"},
  };
  for (const auto& row : kRows) EXPECT_EQ(Text(row.text), row.want);
}

TEST(Program, OneImportForEachKindOfCall) {
  const auto call = [](absl::string_view config, absl::string_view type) {
    return absl::StrCat("  %r = stablehlo.custom_call @\"h:1\"(%a) {",
                        "mhlo.backend_config = {", config, "}} : (tensor<",
                        type, ">) -> tensor<", type, ">\n");
  };
  const auto program = LinkProgram(
      absl::StrCat("func.func @f() {\n", call("", "f32"), call("", "2xf32"),
                   call("", "f32"), call("a = 1 : i32", "f32"), "}"),
      "m");
  ASSERT_TRUE(program.ok()) << program.status();
  EXPECT_EQ(absl::StrJoin(program->targets, " "), "h:1");
  for (const char* name : {"m.h_1\"", "m.h_1.2\"", "m.h_1.3\""}) {
    const std::string declared = absl::StrCat("func.func private @\"", name);
    const size_t at = program->text.find(declared);
    ASSERT_NE(at, program->text.npos) << name;
    EXPECT_EQ(program->text.find(declared, at + 1), program->text.npos) << name;
  }
  EXPECT_FALSE(absl::StrContains(program->text, "m.h_1.4"));
}

TEST(Program, Manifest) {
  const struct {
    std::string text;
    std::string want;
  } kRows[] = {
      {Call(kTyped), "xla.h: xla_ffi (4xf32) -> (4xf32)\n"},
      {Call(kTyped, "() -> ()", ""), "xla.h: xla_ffi () -> ()\n"},
      {Call(kTyped, "(tensor<?x2xui8>, tensor<complex<f32>>) -> tensor<2xi1>",
            "%a, %b"),
       "xla.h: xla_ffi (?x2xu8, c64) -> (2xpred)\n"},
      {Call(kTyped, "() -> !stablehlo.token", ""),
       "xla.h: xla_ffi () -> (token)\n"},
      {Call("mhlo.backend_config = {}, output_operand_aliases = [#stablehlo."
            "output_operand_alias<output_tuple_indices = [1], operand_index = "
            "1, operand_tuple_indices = []>]",
            "(!stablehlo.token, tensor<4xf32>) -> (!stablehlo.token, "
            "tensor<4xf32>)",
            "%t, %a"),
       "xla.h: xla_ffi (token, 4xf32) -> (token, inout 1)\n"},
      // Layouts that are row-major are not listed.
      {Call("mhlo.backend_config = {}, operand_layouts = [dense<[0, 1]> : "
            "tensor<2xindex>, dense<0> : tensor<1xindex>, dense<> : "
            "tensor<0xindex>], result_layouts = [dense<[1, 0]> : "
            "tensor<2xindex>, dense<[1, 2, 0]> : tensor<3xindex>]",
            "(tensor<2x3xf32>, tensor<2xi64>, tensor<i64>) -> "
            "(tensor<2x3xf32>, tensor<1x2x3xf32>)",
            "%a, %b, %c"),
       "xla.h: xla_ffi (2x3xf32 [0,1], 2xs64, s64) -> (2x3xf32, 1x2x3xf32 "
       "[1,2,0])\n"},
      {Call("api_version = 4 : i32, backend_config = {}, "
            "output_operand_aliases = [#stablehlo.output_operand_alias<"
            "output_tuple_indices = [1], operand_index = 0, "
            "operand_tuple_indices = []>], has_side_effect = true",
            "(tensor<4xf32>) -> (tensor<i32>, tensor<4xf32>)"),
       "xla.h: xla_ffi (4xf32) -> (s32, inout 0)\n"},
      {Call("mhlo.backend_config = {i = -3 : i8, u = 255 : ui8, b = true, f = "
            "1.500000e+00 : f32, n = 0x7F800000 : f32, e = 1.000000e-05, k = 7,"
            " s = \"a\\22\\0A&\", \"x y\" = array<i64: 1, -2>, z = array<i32>, "
            "d = dense<[[1, 2], [3, 4]]> : tensor<2x2xi16>, p = dense<3> : "
            "tensor<2xi32>, h = dense<\"0x0100000002000000\"> : tensor<2xi32>, "
            "c = dense<(1.0, -2.0)> : tensor<1xcomplex<f32>>, o = {q = 1 : "
            "i1}}"),
       "xla.h: xla_ffi (4xf32) -> (4xf32) "
       "b=true:pred&c=[(1,-2)]:c64&d=[1,2,3,4]:s16&e=1.0000000000000001e-05:"
       "f64&f=1.5:f32&h=[1,"
       "2]:s32&i=-3:s8&k=7:s64&n=inf:f32&o={q=true:pred}&p=[3,3]:s32&s=a\"%0A%"
       "26&u=255:u8&x%20y=[1,-2]:s64&z=[]:s32\n"},
  };
  for (const auto& row : kRows) EXPECT_EQ(Functions(row.text), row.want);
}

TEST(Program, Errors) {
  const struct {
    std::string text;
    const char* want;
  } kRows[] = {
      {"func.func @f() {}", "INVALID_ARGUMENT: The program has no stablehlo."},
      {"ML\xEFR\x01", "UNIMPLEMENTED: The program is MLIR's bytecode; print"},
      {"func.func @f() { \"stablehlo.custom_call\"() : () -> () }",
       "UNIMPLEMENTED: In line 1 of the program is an operation in MLIR's "
       "generic form"},
      {Call("backend_config = \"x\", api_version = 2 : i32"),
       "UNIMPLEMENTED: It uses api_version 2 of custom calls, and no "
       "dictionary as its backend_config; only handlers of XLA FFI, "
       "api_version 4, can be called. (custom call @h in line 2)"},
      {Call(""), "UNIMPLEMENTED: It uses api_version 1 of custom calls"},
      {Call(kTyped, "(tensor<4xf32>) -> tensor<?xf32>"),
       "UNIMPLEMENTED: The type of its result 0, tensor<?xf32>, has a "
       "dimension that is not known before the call"},
      {Call("mhlo.backend_config = {}, indices_of_shape_operands = dense<1> : "
            "tensor<1xi64>"),
       "UNIMPLEMENTED: The shapes of its results are values of operands"},
      {Call("mhlo.backend_config = {}, called_computations = [@g]"),
       "UNIMPLEMENTED: It calls functions of the program."},
      {"func.func @f() {\n  %r = stablehlo.after_all %0, %1, %2 : "
       "!stablehlo.token\n}",
       "UNIMPLEMENTED: The operation in line 2 joins 3 tokens; it may join "
       "two."},
      {Call(kTyped, "(tensor<4xf32>) -> tuple<tensor<4xf32>>"),
       "UNIMPLEMENTED: The type tuple<tensor<4xf32>> is not a tensor"},
      {Call(kTyped, "(tensor<2xindex>) -> tensor<4xf32>"),
       "UNIMPLEMENTED: The type tensor<2xindex> has elements that handlers do "
       "not know."},
      {Call("mhlo.backend_config = {}, operand_layouts = []"
            ", result_layouts = [dense<0> : tensor<1xindex>, dense<> : "
            "tensor<0xindex>]"),
       "INVALID_ARGUMENT: It has 2 layouts for 1 results."},
      {Call("mhlo.backend_config = {}, operand_layouts = [dense<[0, 0]> : "
            "tensor<2xindex>]",
            "(tensor<2x2xf32>) -> tensor<4xf32>"),
       "has the layout [0, 0], which is not a permutation"},
      {Call("mhlo.backend_config = {}, operand_layouts = [dense<0> : "
            "tensor<1xindex>]",
            "(tensor<2x2xf32>) -> tensor<4xf32>"),
       "Layout 0 of its operands has 1 dimensions, and the type is "
       "tensor<2x2xf32>."},
      {Call("mhlo.backend_config = {}, output_operand_aliases = [#stablehlo."
            "output_operand_alias<output_tuple_indices = [], operand_index = "
            "1, operand_tuple_indices = []>]"),
       "It has an alias of result 0 and operand 1, which do not exist."},
      {Call("mhlo.backend_config = {a}"), "is unit a, which handlers cannot"},
      {Call("mhlo.backend_config = {a = [1 : i32]}"),
       "is the attribute [1 : i32], which handlers cannot get"},
      {Call("mhlo.backend_config = {a = 300 : ui8}"), "(in line 2 of the MLIR"},
      {Call("mhlo.backend_config = {a = 0x7F : f32}"),
       "the number 0x7F has not the size of its type, f32."},
      {Call("mhlo.backend_config = {a = dense<0> : tensor<4294967296xi8>}"),
       "UNIMPLEMENTED: In line 2 of the MLIR text is a constant of type"},
      {Call("mhlo.backend_config = {a = dense<[1, 2]> : tensor<3xi8>}"),
       "has 2 bytes; expected 3."},
      {Call("mhlo.backend_config = {a = 1, a = 1}"), "a second time"},
      {Call("mhlo.backend_config = {a = "), "is expected, but"},
      {"func.func @f(\xFF", "INVALID_ARGUMENT: The program is not UTF-8."},
      {"func.func @f() { stablehlo.custom_call @\"\\FF\"() {api_version = 4} : "
       "() -> () }",
       "INVALID_ARGUMENT: The handler's name is not UTF-8. (custom call"},
      {"func.func @f() { stablehlo.custom_call @h(%a : tensor<f32>",
       "follows."},
  };
  for (const auto& row : kRows) {
    const std::string got = Functions(row.text);
    EXPECT_TRUE(absl::StrContains(got, row.want)) << row.text << "\n"
                                                  << got << "\n"
                                                  << row.want;
  }
}

}  // namespace
}  // namespace eyrie::native
