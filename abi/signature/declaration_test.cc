// Tests the parser of declarations with a table.
#include "abi/signature/declaration.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace eyrie::abi {
namespace {

std::string ValuesText(const std::vector<Parameter>& values) {
  std::string text = "(";
  for (const Parameter& value : values) {
    absl::StrAppend(&text, text.size() > 1 ? ", " : "", value.name, ":",
                    value.type.ToString());
    if (value.storage_of) absl::StrAppend(&text, "->", *value.storage_of);
  }
  return text + ")";
}

std::string Parsed(absl::string_view text) {
  const auto declaration = ParseDeclaration(text);
  if (!declaration) return "none";
  return absl::StrCat(ValuesText(declaration->arguments), " -> ",
                      ValuesText(declaration->results));
}

TEST(Declaration, Table) {
  const struct {
    const char* text;
    const char* want;
  } kRows[] = {
      {"sync func @add(%input0: tensor<4xf32>, %input1: tensor<4xf32>) -> "
       "(%output0: tensor<4xf32>)",
       "(input0:4xf32, input1:4xf32) -> (output0:4xf32)"},
      {"async func @f(%x: tensor<?x3xf4E2M1FN>) -> (%y: tensor<f6E2M3FN>)",
       "(x:?x3xf4E2M1FN) -> (y:f6E2M3FN)"},
      {"async func @f(%x: tensor<?x3xbf16>) -> (%y: tensor<f8E4M3FN>)",
       "(x:?x3xbf16) -> (y:f8E4M3FN)"},
      {"sync func @none() -> ()", "() -> ()"},
      {"sync func @s(%a: i1, %b: index, %c: f16, %d: i8) -> (%e: f64)",
       "(a:i1, b:i64, c:f16, d:i8) -> (e:f64)"},
      {"sync func @l(%s: !util.buffer, %l: !util.list<?>, %v: "
       "!hal.buffer_view, %b: !hal.buffer) -> (%m: !vm.list<i32>)",
       "(s:bytes, l:list, v:array, b:buffer) -> (m:list<i32>)"},
      {"sync func @l(%b: !util.list<i8>, %n: !vm.list<!vm.list<f32>>, %u: "
       "!util.list<!foo.bar>, %w: !hal.fence)",
       "(b:bytes, n:list<list<f32>>, u:list, w:fence) -> ()"},
      {"sync func @named(%hello: tensor<4xf32>, %out: tensor<4xf32> "
       "{iree.abi.output = 0 : index}) -> (%output0: tensor<4xf32>)",
       "(hello:4xf32, out:4xf32->0) -> (output0:4xf32)"},
      {"sync func @c(%x: tensor<2xcomplex<f32>>) -> ()", "(x:2xcf64) -> ()"},
      {"sync func @e(%x: tensor<2x3xf32, #some.encoding<a, b>>) -> ()",
       "(x:2x3xf32) -> ()"},
      {"sync func @u(%x: tensor<*xf32>, %y: !custom.thing<a, b>) -> ()",
       "(x:*xf32, y:!custom.thing<a, b>) -> ()"},
      {"sync func @x(%x: tensor<4xi48>) -> ()", "(x:4xi48) -> ()"},
      // Dimensions that cannot be parsed.
      {"sync func @d(%x: tensor<99999999999999999999xf32>, %y: "
       "tensor<4x-1xf32>, %z: tensor<4x 5xf32>) -> (tensor<4x#xi8>)",
       "(x:tensor<99999999999999999999xf32>, y:tensor<4x-1xf32>, z:4x5xf32) -> "
       "(:tensor<4x#xi8>)"},
      {"func @bare(tensor<4xf32>, i32) -> f32", "(:4xf32, :i32) -> (:f32)"},
      {"sync func @noresults(%x: f32)", "(x:f32) -> ()"},
      {"sync func @a.b(%x: f32) -> ()", "(x:f32) -> ()"},
      // Text that is not a declaration.
      {"", "none"},
      {"hello", "none"},
      {"sync func @open(%x: tensor<4", "none"},
      {"sync func @open", "none"},
      {"sync func @odd(%x, %y: , ) -> (", "(x:unknown, y:unknown) -> ()"},
  };
  for (const auto& row : kRows) EXPECT_EQ(Parsed(row.text), row.want);
}

}  // namespace
}  // namespace eyrie::abi
