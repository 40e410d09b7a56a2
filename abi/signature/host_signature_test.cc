// Rows of signatures of host functions, and of errors in them.
#include "abi/signature/host_signature.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace eyrie::abi {
namespace {

// Returns the calling convention and the uniform text, or the error.
std::string ParsedHost(const std::string& text) {
  const auto signature = HostSignature::Parse(text);
  if (!signature.ok()) {
    return absl::StrCat(signature.status().code(), ": ",
                        std::string(signature.status().message()));
  }
  return absl::StrCat(signature->Convention(signature->is_async), " ",
                      signature->ToString());
}

TEST(HostSignature, Parses) {
  const struct {
    const char* text;
    const char* want;
  } kRows[] = {
      {"()", "0v_v () -> ()"},
      {" ( ) -> ( ) ", "0v_v () -> ()"},
      {"(f32)->f64", "0f_F (f32) -> f64"},
      {"(i1, i8, ui16, si32, i64, index, f16, bf16) -> (i32, f32)",
       "0iiiiIIii_if (i1, i8, ui16, si32, i64, i64, f16, bf16) -> (i32, f32)"},
      {"(tensor<?x4xf32>, tensor<f32>, tensor<*xi8>)",
       "0rrr_v (?x4xf32, f32, *xi8) -> ()"},
      {"(?x4xf32, *xf64, array) -> 4xi1",
       "0rrr_r (?x4xf32, *xf64, array) -> "
       "4xi1"},
      {"(!util.buffer, bytes, !hal.buffer_view) -> !util.list<i32>",
       "0rrr_r (bytes, bytes, array) -> list<i32>"},
      {"(list, list<f32>, [i32, bytes], {a: i32, b: [f32]}) -> (((f32,)))",
       "0rrrr_r (list, list<f32>, [i32, bytes], {a: i32, b: [f32]}) -> "
       "((f32,),)"},
      {"(x: f32, %y: ref<ns::Box<int, 2>>) -> any",
       "0fr_r (f32, ref<ns::Box<int, 2>>) -> any"},
      {"(!vm.ref<?>) -> !util.variant", "0r_r (any) -> any"},
      {"async (4xf32) -> 4xf32", "0rrr_r async (4xf32) -> 4xf32"},
  };
  for (const auto& row : kRows) EXPECT_EQ(ParsedHost(row.text), row.want);
}

TEST(HostSignature, Refuses) {
  const struct {
    const char* text;
    const char* want;
  } kRows[] = {
      {"", "3: The signature '' has its end; expected '(' and the arguments."},
      {"f32",
       "3: The signature 'f32' has 'f32' at byte 0; expected '(' and "
       "the arguments."},
      {"(f32", "3: The signature '(f32' has its end; expected ',' or ')'."},
      {"(f32) x",
       "3: The signature '(f32) x' has 'x' at byte 6; expected its "
       "end."},
      {"({i32})",
       "3: The signature '({i32})' has 'i32})' at byte 2; expected "
       "a key and ':'."},
      {"(list<>)",
       "3: The signature '(list<>)' has ')' at byte 7; expected "
       "one type in 'list<…>'."},
      {"(ref<>)",
       "3: The signature '(ref<>)' has '>)' at byte 5; expected "
       "'ref<name>'."},
      {"([ref<a>])",
       "3: The signature '([ref<a>])' has 'ref<a>])' at byte 2; "
       "expected a type other than 'ref' in a structure."},
      {"(cf64)",
       "12: A scalar of type cf64 cannot be passed to a host "
       "function."},
  };
  for (const auto& row : kRows) EXPECT_EQ(ParsedHost(row.text), row.want);
  const std::string deep =
      absl::StrCat("(", std::string(100, '['), std::string(100, ']'), ")");
  EXPECT_EQ(ParsedHost(deep).substr(0, 2), "3:");
}

}  // namespace
}  // namespace eyrie::abi
