// Tests reading signatures from MLIR text: which functions are found, and
// errors.
#include "abi/native/memref/source.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gtest/gtest.h"
#include "tests/support/status_text.h"

namespace eyrie::native {
namespace {

// Returns "module; f: (f32) -> (f32); g: () -> () outputs 1".
std::string Read(absl::string_view text) {
  const auto source = ReadMlirSource(text);
  if (!source.ok()) return StatusText(source);
  std::string read = source->name;
  for (const MlirFunction& function : source->functions) {
    absl::StrAppend(&read, "; ", function.name, ": ", function.type);
    if (function.outputs != 0) {
      absl::StrAppend(&read, " outputs ", function.outputs);
    }
  }
  return read;
}

TEST(MlirSource, Functions) {
  const struct {
    const char* text;
    const char* want;
  } kRows[] = {
      {"func.func @f() { return }", "; f: () -> ()"},
      {"module @m {\n  func.func @f(%a: f32, %b : index) -> i1 {",  //
       "m; f: (f32, index) -> (i1)"},
      // As MLIR prints it, with attributes and locations of arguments.
      {"#map = affine_map<(d0) -> (d0)>\nmodule attributes {a = @x} {\n"
       "func.func public @\"a.b\"(%arg0: memref<?x4xf32, strided<[?, 1], "
       "offset: ?>> {x.y = \"){\"} loc(\"f\":1:2), %arg1: "
       "memref<4xf32, affine_map<(d0) -> (d0)>>) -> (f32 {r}, memref<f32>) "
       "attributes {llvm.emit_c_interface, z = {}} {",
       "; a.b: (memref<?x4xf32, strided<[?, 1], offset: ?>>, memref<4xf32, "
       "affine_map<(d0) -> (d0)>>) -> (f32, memref<f32>)"},
      // As older releases wrote it, and with names of maps.
      {"#map0 = affine_map<(d0)[s0] -> (d0 + s0)>\n#x = 4\n"
       "func @f(%a: memref<?xf32, #map0>, %b: memref<2xf32, #y>) {}\n"
       "func private @g()\nstd.func @h() -> memref<?xf32, #map0>\n"
       "\"op\"() {func = @f, to = #z} : () -> ()",
       "; f: (memref<?xf32, affine_map<(d0)[s0] -> (d0 + s0)>>, memref<2xf32, "
       "#y>) -> (); h: () -> (memref<?xf32, affine_map<(d0)[s0] -> (d0 + "
       "s0)>>)"},
      // Private functions have no wrapper to call. A public one may have no
      // body.
      {"func.func private @h(f32) -> f32\nfunc.func @d(memref<f32>)\n"
       "func.func private @p() {}\nfunc.func nested @f(%a: f32) {}",
       "; d: (memref<f32>) -> (); f: (f32) -> ()"},
      // If some functions request wrappers, the others have none.
      {"func.func @f() {}\n"
       "func.func @g() attributes {llvm.emit_c_interface} {}",
       "; g: () -> ()"},
      // Results that buffer-results-to-out-params has converted to arguments.
      {"func.func @f(%a: memref<2xf32>, %b: memref<4xf32> {bufferize.result})"
       "{}",
       "; f: (memref<2xf32>, memref<4xf32>) -> () outputs 1"},
      // Not in comments, strings and names.
      {"// func.func @a() {}\n@func.func @b \"func.func @c\" %func.func\n"
       "func.func @f( // none\n ) {}",
       "; f: () -> ()"},
      {"module @a { module @b { func.func @f() {} } }", "a; f: () -> ()"},
  };
  for (const auto& row : kRows) EXPECT_EQ(Read(row.text), row.want);
}

TEST(MlirSource, Refuses) {
  constexpr char kNone[] =
      "INVALID_ARGUMENT: The MLIR text has no public func.func.";
  const struct {
    const char* text;
    std::string want;
  } kRows[] = {
      {"", kNone},
      {"func.func private @f(f32)", kNone},
      {"llvm.func @f() {}", kNone},
      {"\n\"func.func\"() <{}> ({})",
       "UNIMPLEMENTED: In line 2 of the MLIR text is a function in MLIR's "
       "generic form; use mlir-opt without --mlir-print-op-generic to print "
       "the supported form."},
      {"func.func f() {}",
       "INVALID_ARGUMENT: In line 1 of the MLIR text, a name, @name, is "
       "expected, but 'f() {}' follows."},
      {"func.func @f",
       "INVALID_ARGUMENT: In line 1 of the MLIR text, '(' is expected, but "
       "nothing follows."},
      {"func.func @f(\n%a f32) {}",
       "INVALID_ARGUMENT: In line 2 of the MLIR text, ':' is expected, but "
       "'f32) {}' follows."},
      {"func.func @f(%a: memref<?xf32) {}",
       "INVALID_ARGUMENT: In line 1 of the MLIR text, '>' instead of the "
       "previous ')' is expected, but ' {}' follows."},
      {"func.func @f(%a: memref<?xf32",
       "INVALID_ARGUMENT: In line 1 of the MLIR text, '>' is expected, but "
       "nothing follows."},
      {"func.func @f(%a: f32 %b: f32) {}",
       "INVALID_ARGUMENT: In line 1 of the MLIR text, ',' or ')' is expected, "
       "but '%b: f32) {}' follows."},
      {"func.func @f() attributes x {}",
       "INVALID_ARGUMENT: In line 1 of the MLIR text, '{' is expected, but "
       "'x {}' follows."},
      {"func.func @\"f\n() {}",
       "INVALID_ARGUMENT: In line 1 of the MLIR text, a string that ends on "
       "its line is expected, but 'f' follows."},
  };
  for (const auto& row : kRows) EXPECT_EQ(Read(row.text), row.want);
}

// Each use of an alias repeats its map. The budget is that of all functions.
TEST(MlirSource, LimitsAliases) {
  const std::string map = absl::StrCat("<", std::string((1 << 18) - 2, 'd'),
                                       ">");  // a quarter of the budget
  const auto text = [&map](size_t functions, size_t uses) {
    std::string all = absl::StrCat("#m = affine_map", map, "\n");
    for (size_t i = 0; i < functions; ++i) {
      absl::StrAppend(
          &all, "func.func @f(",
          absl::StrJoin(std::vector<absl::string_view>(uses, "!t<#m>"), ","),
          ")\n");
    }
    return all;
  };
  constexpr char kTooLong[] =
      "RESOURCE_EXHAUSTED: In line 2 of the MLIR text, the maps that aliases "
      "name exceed 1048576 bytes in all types.";
  constexpr char kTooMany[] =
      "RESOURCE_EXHAUSTED: In line 6 of the MLIR text, the maps that aliases "
      "name exceed 1048576 bytes in all types.";
  EXPECT_EQ(Read(text(1, 4)).size(), 4 * map.size() + 75);
  EXPECT_EQ(Read(text(1, 5)), kTooLong);
  EXPECT_EQ(Read(text(5, 1)), kTooMany);
  EXPECT_EQ(Read(text(1, 20000)), kTooLong);
}

TEST(MlirSource, MakesManifests) {
  const MlirFunction functions[] = {
      {"f", "(f32) -> ()", 0, true},
      {"g\"", "() -> ()", 2, true},
  };
  EXPECT_EQ(MemrefManifest("m", functions, 64, false),
            "{\"module\": \"m\", \"functions\": {"
            "\"f\": {\"convention\": \"memref\", \"type\": \"(f32) -> ()\"}, "
            "\"g\\\"\": {\"convention\": \"memref\", \"type\": \"() -> ()\", "
            "\"outputs\": 2}}}\n");
  EXPECT_EQ(MemrefManifest("", {functions, 1}, 32, true),
            "{\"module\": \"\", \"functions\": {\"f\": {\"convention\": "
            "\"memref\", \"type\": \"(f32) -> ()\", \"bare_pointers\": true, "
            "\"index_bits\": 32}}}\n");
}

}  // namespace
}  // namespace eyrie::native
