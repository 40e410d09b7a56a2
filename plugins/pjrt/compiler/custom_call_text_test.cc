// Turns the text of VHLO into that of StableHLO, and reads custom calls.
#include "plugins/pjrt/compiler/custom_call_text.h"

#include <cstring>
#include <initializer_list>
#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "plugins/pjrt/compiler/plain_mlir.h"
#include "tests/support/status_text.h"

namespace eyrie::pjrt {
namespace {

constexpr char kUnmatched[] =
    "INTERNAL: The compiler's text of a custom call has unmatched brackets.";

struct PlainCase {
  const char* text;
  const char* want;
};

std::string Plain(absl::string_view text) {
  const absl::StatusOr<std::string> plain = PlainMlir(text);
  return plain.ok() ? *plain : StatusText(plain);
}

TEST(PlainMlir, Attributes) {
  const PlainCase kCases[] = {
      {"", ""},
      {"#vhlo.string_v1<\"\">", "\"\""},
      {"#vhlo.string_v1<\"a>\\22]\\\\\">", "\"a>\\22]\\\\\""},
      {"#vhlo.string_v1<\"#vhlo.bool_v1<true>\">", "\"#vhlo.bool_v1<true>\""},
      {"#vhlo.bool_v1<false>", "false"},
      {"#vhlo.integer_v1<-2 : i64>", "-2 : i64"},
      {"#vhlo.integer_v1<76 : ui8>", "76 : ui8"},
      {"#vhlo.float_v1<1.000000e+00 : !vhlo.f32_v1>", "1.000000e+00 : f32"},
      {"#vhlo.float_v1<0x7FC00000 : !vhlo.f32_v1>", "0x7FC00000 : f32"},
      {"#vhlo.array_v1<[]>", "[]"},
      {"#vhlo.array_v1<[#vhlo.bool_v1<true>, #vhlo.array_v1<[]>]>",
       "[true, []]"},
      {"#vhlo.dict_v1<{}>", "{}"},
      {"#vhlo.dict_v1<{#vhlo.string_v1<\"a b\"> = #vhlo.integer_v1<1 : i32>, "
       "#vhlo.string_v1<\"c\"> = #vhlo.dict_v1<{}>}>",
       "{\"a b\" = 1 : i32, \"c\" = {}}"},
      {"#vhlo.tensor_v1<dense<[0, 1]> : tensor<2xindex>>",
       "dense<[0, 1]> : tensor<2xindex>"},
      {"#vhlo.tensor_v1<dense<> : tensor<0xindex>>",
       "dense<> : tensor<0xindex>"},
      {"#vhlo.tensor_v1<dense<(1.0,-2.0)> : tensor<complex<f32>>>",
       "dense<(1.0,-2.0)> : tensor<complex<f32>>"},
      {"#vhlo.type_v1<!vhlo.f32_v1>", "f32"},
      {"#vhlo.output_operand_alias_v1<outputTupleIndices = [0], operandIndex = "
       "0, operandTupleIndices = []>",
       "#stablehlo.output_operand_alias<output_tuple_indices = [0], "
       "operand_index = 0, operand_tuple_indices = []>"},
      {"#vhlo<api_version_v1 API_VERSION_UNSPECIFIED>", "0 : i32"},
      {"#vhlo<api_version_v1 API_VERSION_ORIGINAL>", "1 : i32"},
      {"#vhlo<api_version_v1 API_VERSION_STATUS_RETURNING>", "2 : i32"},
      {"#vhlo<api_version_v1 API_VERSION_STATUS_RETURNING_UNIFIED>", "3 : i32"},
      {"#vhlo<api_version_v1 API_VERSION_TYPED_FFI>", "4 : i32"},
      // StableHLO stays as it is, whatever its words are.
      {"{operandIndex = 1 : i32, a.outputTupleIndices = dense<1> : "
       "tensor<2xi8>}",
       "{operandIndex = 1 : i32, a.outputTupleIndices = dense<1> : "
       "tensor<2xi8>}"},
      {"(i32) -> f32", "(i32) -> f32"},
      {"@name, #stablehlo<token>", "@name, #stablehlo<token>"},
      // Not known.
      {"#vhlo.precision_v1<HIGH>",
       "UNIMPLEMENTED: The custom call has 'precision', which is not "
       "supported."},
      {"#vhlo.string_v3<\"a\">",
       "UNIMPLEMENTED: The custom call has 'string_v3', which is not "
       "supported."},
      {"#vhlo.integer_v1",
       "UNIMPLEMENTED: The custom call has 'integer', which is not supported."},
      {"#vhlo.output_operand_alias_v1",
       "UNIMPLEMENTED: The custom call has 'output_operand_alias', which is "
       "not "
       "supported."},
      {"#vhlo<comparison_type_v1 SIGNED>",
       "UNIMPLEMENTED: The custom call has 'comparison_type_v1 SIGNED', which "
       "is not supported."},
      {"#vhlo",
       "UNIMPLEMENTED: The custom call has '#vhlo', which is not "
       "supported."},
      {"#vhlo.",
       "UNIMPLEMENTED: The custom call has '', which is not "
       "supported."},
      {"#vhlo.x\x1b_v1",
       "UNIMPLEMENTED: The custom call has 'x', which is not "
       "supported."},
  };
  for (const PlainCase& c : kCases) {
    SCOPED_TRACE(c.text);
    EXPECT_EQ(Plain(c.text), c.want);
  }
}

TEST(PlainMlir, Types) {
  const PlainCase kCases[] = {
      {"!vhlo.tensor_v1<3x3x!vhlo.f32_v1>", "tensor<3x3xf32>"},
      {"!vhlo.tensor_v1<!vhlo.i32_v1>", "tensor<i32>"},
      {"!vhlo.tensor_v1<?x!vhlo.bf16_v1>", "tensor<?xbf16>"},
      {"!vhlo.tensor_v1<0x!vhlo.f8E4M3FN_v1>", "tensor<0xf8E4M3FN>"},
      {"!vhlo.tensor_v1<4x!vhlo.complex_v1<!vhlo.f64_v1>>",
       "tensor<4xcomplex<f64>>"},
      {"!vhlo.bool_v1", "i1"},
      {"!vhlo.index_v1", "index"},
      {"!vhlo.ui16_v1", "ui16"},
      {"!vhlo.token_v1",
       "UNIMPLEMENTED: The custom call has 'token', which is not supported."},
      {"!vhlo.tuple_v1<!vhlo.i1_v1>",
       "UNIMPLEMENTED: The custom call has 'tuple', which is not supported."},
      {"!vhlo.func_v1<() -> ()>",
       "UNIMPLEMENTED: The custom call has 'func', which is not supported."},
      {"!vhlo.tensor_v1",
       "UNIMPLEMENTED: The custom call has 'tensor', which is not supported."},
      {"!vhlo.tuple2_v1",
       "UNIMPLEMENTED: The custom call has 'tuple2', which is not supported."},
      {"!vhlo.f32",
       "UNIMPLEMENTED: The custom call has 'f32', which is not supported."},
  };
  for (const PlainCase& c : kCases) {
    SCOPED_TRACE(c.text);
    EXPECT_EQ(Plain(c.text), c.want);
  }
}

TEST(PlainMlir, Damaged) {
  for (const char* const text : {"<",
                                 ">",
                                 "[",
                                 "]",
                                 "(",
                                 ")",
                                 "{",
                                 "}",
                                 "[}",
                                 "<]",
                                 "(>",
                                 "#vhlo<a",
                                 "#vhlo.array_v1<[",
                                 "#vhlo.array_v1<[>]",
                                 "#vhlo.string_v1<\"a>",
                                 "\"",
                                 "\"\\",
                                 "\"\\\"",
                                 "!vhlo.tensor_v1<4x",
                                 "-> )"}) {
    EXPECT_EQ(Plain(text), kUnmatched) << text;
  }
  // No recursion.
  const std::string deep(1'000'000, '<');
  EXPECT_EQ(Plain(deep), kUnmatched);
  EXPECT_EQ(Plain(deep + std::string(1'000'000, '>')).size(), 2'000'000u);
}

std::string Calls(const std::string& text) {
  const auto calls = ReadCustomCalls(text);
  if (!calls.ok()) return StatusText(calls);
  std::string out;
  for (const CustomCall& call : *calls) {
    absl::StrAppend(&out, call.target, " ", call.operand_count, "(",
                    call.operands, ") ", call.result_count, "(", call.results,
                    ") {", call.attributes, "}\n");
  }
  return out;
}

// Joins texts, each with a NUL at its end.
std::string Texts(std::initializer_list<const char*> texts) {
  std::string all;
  for (const char* const text : texts) all.append(text, std::strlen(text) + 1);
  return all;
}

TEST(CustomCallText, Calls) {
  const struct {
    std::string text;
    const char* want;
  } kCases[] = {
      {"", ""},
      {Texts({"\"f\"", "", "", ""}), "\"f\" 0() 0() {}\n"},
      // As JAX's Cholesky decomposition.
      {Texts({"#vhlo.string_v1<\"lapack_spotrf_ffi\">",
              "!vhlo.tensor_v1<3x3x!vhlo.f32_v1>",
              "!vhlo.tensor_v1<3x3x!vhlo.f32_v1>, "
              "!vhlo.tensor_v1<!vhlo.i32_v1>",
              "api_version = #vhlo<api_version_v1 API_VERSION_TYPED_FFI>, "
              "mhlo.backend_config = #vhlo.dict_v1<{#vhlo.string_v1<\"uplo\"> "
              "= #vhlo.integer_v1<76 : ui8>}>"}),
       "\"lapack_spotrf_ffi\" 1(tensor<3x3xf32>) 2(tensor<3x3xf32>, "
       "tensor<i32>) {api_version = 4 : i32, mhlo.backend_config = {\"uplo\" = "
       "76 : ui8}}\n"},
      {Texts({"\"a\"", "tensor<4x?xf32, #stablehlo.bounds<?, 5>>, tensor<i1>",
              "tensor<2xcomplex<f32>>", "", "\"b\"", "", "", ""}),
       "\"a\" 2(tensor<4x?xf32, #stablehlo.bounds<?, 5>>, tensor<i1>) "
       "1(tensor<2xcomplex<f32>>) {}\n\"b\" 0() 0() {}\n"},
      {Texts({"\"f\"", "", ""}),
       "INTERNAL: The compiler's custom calls are cut off."},
      {"\"f\"", "INTERNAL: The compiler's custom calls are cut off."},
      {Texts({"\"f\"", "tensor<", "", ""}), kUnmatched},
      {Texts({"\"f\"", "!vhlo.token_v1", "", ""}),
       "UNIMPLEMENTED: The custom call has 'token', which is not supported."},
  };
  for (const auto& c : kCases) EXPECT_EQ(Calls(c.text), c.want);
}

}  // namespace
}  // namespace eyrie::pjrt
