// Tests the parser of declarations with a table.
#include "abi/signature/declaration.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace eyrie::abi {
namespace {

const char* KindText(DeclaredType::Kind kind) {
  constexpr const char* kTexts[] = {"?",      "scalar", "tensor", "view",
                                    "buffer", "bytes",  "list",   "fence"};
  return kTexts[static_cast<int>(kind)];
}

std::string ValueText(const DeclaredValue& value) {
  std::string text = absl::StrCat(value.name, ":", KindText(value.type.kind),
                                  ":", value.type.ToString());
  if (value.type.kind == DeclaredType::Kind::kScalar) {
    absl::StrAppend(&text, ":", hal::ElementTypeName(value.type.element));
  }
  if (value.storage_of) absl::StrAppend(&text, "->", *value.storage_of);
  return text;
}

std::string Parsed(absl::string_view text) {
  const auto declaration = ParseDeclaration(text);
  if (!declaration) return "none";
  std::string out = absl::StrCat(declaration->function,
                                 declaration->async ? " async" : "", " (");
  for (const auto& value : declaration->arguments) {
    absl::StrAppend(&out, " ", ValueText(value));
  }
  absl::StrAppend(&out, " ) (");
  for (const auto& value : declaration->results) {
    absl::StrAppend(&out, " ", ValueText(value));
  }
  return out + " )";
}

TEST(Declaration, Table) {
  const struct {
    const char* text;
    const char* want;
  } kRows[] = {
      {"sync func @add(%input0: tensor<4xf32>, %input1: tensor<4xf32>) -> "
       "(%output0: tensor<4xf32>)",
       "add ( input0:tensor:4xf32 input1:tensor:4xf32 ) ( "
       "output0:tensor:4xf32 )"},
      {"async func @f(%x: tensor<?x3xbf16>) -> (%y: tensor<f8E4M3FN>)",
       "f async ( x:tensor:?x3xbf16 ) ( y:tensor:f8E4M3FN )"},
      {"sync func @none() -> ()", "none ( ) ( )"},
      {"sync func @s(%a: i1, %b: index, %c: f16, %d: i8) -> (%e: f64)",
       "s ( a:scalar:i1:i1 b:scalar:index:i64 c:scalar:f16:f16 "
       "d:scalar:i8:i8 ) ( e:scalar:f64:f64 )"},
      {"sync func @l(%s: !util.buffer, %l: !util.list<?>, %v: "
       "!hal.buffer_view, %b: !hal.buffer) -> (%m: !vm.list<i32>)",
       "l ( s:bytes:!util.buffer l:list:!util.list<?> v:view:!hal.buffer_view "
       "b:buffer:!hal.buffer ) ( m:list:!vm.list<i32> )"},
      {"sync func @named(%hello: tensor<4xf32>, %out: tensor<4xf32> "
       "{iree.abi.output = 0 : index}) -> (%output0: tensor<4xf32>)",
       "named ( hello:tensor:4xf32 out:tensor:4xf32->0 ) ( "
       "output0:tensor:4xf32 )"},
      {"sync func @c(%x: tensor<2xcomplex<f32>>) -> ()",
       "c ( x:tensor:2xcf64 ) ( )"},
      {"sync func @e(%x: tensor<2x3xf32, #some.encoding<a, b>>) -> ()",
       "e ( x:tensor:2x3xf32 ) ( )"},
      {"sync func @u(%x: tensor<*xf32>, %y: !custom.thing<a, b>) -> ()",
       "u ( x:tensor:tensor<*xf32> y:?:!custom.thing<a, b> ) ( )"},
      {"sync func @x(%x: tensor<4xi48>) -> ()",
       "x ( x:tensor:tensor<4xi48> ) ( )"},
      // Dimensions that cannot be parsed.
      {"sync func @d(%x: tensor<99999999999999999999xf32>, %y: "
       "tensor<4x-1xf32>, %z: tensor<4x 5xf32>) -> (tensor<4x#xi8>)",
       "d ( x:?:tensor<99999999999999999999xf32> y:?:tensor<4x-1xf32> "
       "z:tensor:4x5xf32 ) ( :?:tensor<4x#xi8> )"},
      {"func @bare(tensor<4xf32>, i32) -> f32",
       "bare ( :tensor:4xf32 :scalar:i32:i32 ) ( :scalar:f32:f32 )"},
      {"sync func @noresults(%x: f32)", "noresults ( x:scalar:f32:f32 ) ( )"},
      {"sync func @a.b(%x: f32) -> ()", "a.b ( x:scalar:f32:f32 ) ( )"},
      // Text that is not a declaration.
      {"", "none"},
      {"hello", "none"},
      {"sync func @open(%x: tensor<4", "none"},
      {"sync func @open", "none"},
      {"sync func @odd(%x, %y: , ) -> (", "odd ( x:?: y:?: ) ( )"},
  };
  for (const auto& row : kRows) EXPECT_EQ(Parsed(row.text), row.want);
}

}  // namespace
}  // namespace eyrie::abi
