// Tests of the verifier: what it accepts, and every error message.
#include "vm/module/verifier.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/support/module_builder.h"

namespace eyrie::vm {
namespace {

using tests::ModuleBuilder;
using Bytes = std::vector<uint8_t>;
using Change = std::function<void(ModuleBuilder&)>;

std::string Load(const Bytes& file) {
  auto module = LoadModule(file, "x.vmfb");
  return module.ok() ? "OK" : module.status().ToString();
}

// A module with this function, imports, constants and a second function.
ModuleBuilder Around(absl::string_view code, absl::string_view convention) {
  ModuleBuilder module;
  module.AddFunction("f", std::string(convention), code);
  module.AddFunction("g", "0iIr_Ir", "entry: return [i2 r0]");
  module.AddImport("ext.plain", "0ir_f");
  module.AddImport("ext.spans", "0iCrIDCiD_v");
  module.AddRodata({1, 2, 3});
  return module;
}

struct Row {
  const char* code;
  const char* want;  // "OK", or the error without its position
  const char* convention = "0v_v";
};

// Removes the position: the last " (at test.f+0x…)".
std::string WithoutPlace(const std::string& text) {
  return text.substr(0, text.rfind(" (at "));
}

void Check(const Row& row, const Change& change = {}) {
  ModuleBuilder module = Around(row.code, row.convention);
  if (change) change(module);
  EXPECT_EQ(WithoutPlace(Load(module.Build())), row.want) << row.code;
}

TEST(Verifier, AcceptsEveryFamily) {
  const char* const kBodies[] = {
      "add.i32 i0 i1 i15 add.i64 i0 i2 i14 fma.i32 i0 i1 i2 i3",
      "const.i32 -1 i0 const.i64 0x123456789 i2 const.ref.zero r7",
      "const.f32 1.5 i0 const.f64 2.5 i2 fma.f64 i0 i2 i4 i6",
      "global.load.i32 60 i0 global.store.i64 56 i2 global.load.f64 56 i2",
      "global.load.ref 3 2 r0 global.store.ref 3 2 r0!",
      "global.load.indirect.ref i0 2 r1! global.store.indirect.i32 i0 i1",
      "const.ref.rodata 0 r0 list.alloc 3 i0 r1 list.get.ref r1 i0 2 r2!",
      "select.ref i0 2 r0! r1 r2 switch.ref i0 2 r0! [r1 r2!] r3",
      "switch.i64 i0 i2 [i4 i6] i8 switch.f32 i0 i1 [] i2",
      "cast.any.ref r0! 2 r1 assign.ref r1! r2 discard.refs [r0 r1!]",
      "buffer.copy r0 i0 r1 i2 i4 buffer.hash r0 i0 i2 i4",
      "call #0 [i0 r0!] [i1] call 1 [i0 i2 r0] [i4 r1]",
      "call.variadic #1 [0 2 1] [i0 r0 i2 r1! i4 i5] []",
      "call.variadic #1 [0 0 0] [i0] []",
      "call.variadic #0 [0 0] [i0 r0] [i2]",
      "import.resolved #1 i0 trace \"t\" [i0 r1] print \"odd\" [i0 r0]",
  };
  for (const char* body : kBodies) {
    std::string code = absl::StrCat("entry: ", body, " return []");
    Check({code.c_str(), "OK"});
  }
}

TEST(Verifier, AcceptsControlFlow) {
  const Row kRows[] = {
      {"a: br ^b [] b: return []", "OK"},
      {"a: cond_br i0 ^a [] ^b [i0>i1 r0!>r1] b: return []", "OK"},
      {"a: br_table i0 ^a [] {^a [i0>i1] ^b []} b: fail i0 \"no\"", "OK"},
      {"a: br_table i0 ^a [] {}", "OK"},
      {"a: yield ^a []", "OK"},
      {"a: cond_break i0 ^a []", "OK"},
      {"a: break ^a []", "OK"},
      {"a: call.yieldable #0 [i0 r0] ^b [i1] b: return []", "OK"},
      {"a: call.variadic.yieldable #1 [0 1 0] [i0 r0 i2] ^a []", "OK"},
      {"a: return [i0 i2 r0!]", "OK", "0v_iIr"},
      {"a: return [i0]", "OK", "0iIfFr_i"},
  };
  for (const Row& row : kRows) Check(row);
}

// The register in a gap holds an argument only if the code reads it before
// writing it, and only in modules of the first releases.
TEST(Verifier, FindsTheLayoutOfArguments) {
  const struct {
    const char* code;
    uint16_t registers;
    bool fills;
    uint32_t version = 15;
    const char* convention = "0iIi_i";
  } kRows[] = {
      {"a: return [i4]", 5, false},
      {"a: return [i1]", 5, true},
      {"a: add.i32 i0 i1 i0 return [i0]", 6, true},
      {"a: add.i32 i0 i4 i1 return [i1]", 6, false},
      {"a: br ^b [i1>i0] b: return [i0]", 6, true},
      {"a: br ^b [i4>i1] b: return [i1]", 6, false},
      {"a: call 1 [] [i0] return [i1]", 6, false},
      {"a: return [i0]", 4, true},  // it has too few registers otherwise
      {"a: return [i1]", 6, false, 17},
      {"a: return [i1]", 6, false, 15, "0iiIi_i"},
  };
  for (const auto& row : kRows) {
    ModuleBuilder module;
    module.bytecode_version = row.version << 16;
    module.AddFunction("f", row.convention, row.code).i32_registers =
        row.registers;
    module.AddFunction("g", "0v_I", "a: return [i0]");
    auto verified = LoadModule(module.Build(), "x.vmfb");
    ASSERT_TRUE(verified.ok()) << row.code << " " << verified.status();
    EXPECT_EQ((*verified)->argument_layout(0) == ArgumentLayout::kFillsGaps,
              row.fills)
        << row.code;
  }
}

TEST(Verifier, RefusesInstructions) {
  const Row kRows[] = {
      {"a: .byte 0x90",
       "UNIMPLEMENTED: Code 0x90 of the core set is not a known instruction."},
      {"a: .byte 0xE0 .byte 0x3E",
       "UNIMPLEMENTED: Code 0x3e of the f32 set is not a known instruction."},
      {"a: .byte 0xE1 .byte 0xFF",
       "UNIMPLEMENTED: Code 0xff of the f64 set is not a known instruction."},
      {"a: .byte 0xE1",
       "OUT_OF_RANGE: An instruction runs past the end of the function (2 "
       "bytes)."},
      {"a: .byte 0x22 .byte 0",
       "OUT_OF_RANGE: add.i32 runs past the end of the function (3 bytes)."},
      {"a: .byte 0x0D .u16 0",
       "OUT_OF_RANGE: const.i32 runs past the end of the function (4 bytes)."},
      {"a: .byte 0x5A",
       "OUT_OF_RANGE: return runs past the end of the function (2 bytes)."},
      {"a: .byte 0x5A .u16 9 .u32 0",
       "OUT_OF_RANGE: return runs past the end of the function (8 bytes)."},
      {"a: .byte 0x5B .u16 0 .u16 9 .u16 0",
       "OUT_OF_RANGE: fail runs past the end of the function (8 bytes)."},
      {"a: .byte 0x83 .u16 0 .u32 0 .byte 0 .u16 0 .u16 3",
       "OUT_OF_RANGE: br_table runs past the end of the function (13 bytes)."},
      {"a: .byte 0x79",
       "INVALID_ARGUMENT: A block begins before the one above it has ended."},
      {"add.i32 i0 i1 i2 return []",
       "INVALID_ARGUMENT: add.i32 is outside of a block."},
      {"a: return [] return []",
       "INVALID_ARGUMENT: return is outside of a block."},
      {"a: add.i32 i0 i1 i2",
       "INVALID_ARGUMENT: The function's last block ends with add.i32, which "
       "cannot end a block."},
      {"a: return [] b:",
       "INVALID_ARGUMENT: The function's last block ends with block, which "
       "cannot end a block."},
  };
  for (const Row& row : kRows) Check(row);
}

TEST(Verifier, RefusesRegisters) {
  const Row kRows[] = {
      {"a: add.i32 i0 i1 i16",
       "OUT_OF_RANGE: Register i16 exceeds the function's 16 i32 registers."},
      {"a: add.i32 i0 r1 i2",
       "INVALID_ARGUMENT: Register r1 is used where an i32 is expected."},
      {"a: add.i64 i0 i3 i4",
       "INVALID_ARGUMENT: Register i3 cannot begin an i64, which needs an even "
       "register."},
      {"a: add.f64 i0 i2 i16",
       "OUT_OF_RANGE: Register i17 exceeds the function's 16 i32 registers."},
      {"a: cmp.nz.ref r8 i0",
       "OUT_OF_RANGE: Register r8 exceeds the function's 8 ref registers."},
      {"a: cmp.nz.ref i1 i0",
       "INVALID_ARGUMENT: Register i1 is used where a ref is expected."},
      {"a: cmp.nz.ref r0! i0",
       "INVALID_ARGUMENT: cmp.nz.ref does not move r0, but its move bit is "
       "set."},
      {"a: const.ref.zero r3!",
       "INVALID_ARGUMENT: const.ref.zero does not move r3, but its move bit is "
       "set."},
      {"a: switch.i64 i0 i2 [i4 i5] i6",
       "INVALID_ARGUMENT: Register i5 cannot begin an i64, which needs an even "
       "register."},
      {"a: switch.ref i0 2 r0 [i1] r2",
       "INVALID_ARGUMENT: Register i1 is used where a ref is expected."},
      {"a: discard.refs [i1]",
       "INVALID_ARGUMENT: Register i1 is used where a ref is expected."},
      {"a: trace \"t\" [i16]",
       "OUT_OF_RANGE: Register i16 exceeds the function's 16 i32 registers."},
      {"a: trace \"t\" [r9!]",
       "OUT_OF_RANGE: Register r9 exceeds the function's 8 ref registers."},
      {"a: br ^a [i0>i16]",
       "OUT_OF_RANGE: Register i16 exceeds the function's 16 i32 registers."},
      {"a: br ^a [r8>r0]",
       "OUT_OF_RANGE: Register r8 exceeds the function's 8 ref registers."},
      {"a: br ^a [i0>r0]",
       "INVALID_ARGUMENT: Register r0 is used where an i32 is expected."},
      {"a: br ^a [r0>i0]",
       "INVALID_ARGUMENT: Register i0 is used where a ref is expected."},
      {"a: br ^a [r0>r1!]",
       "INVALID_ARGUMENT: Register r1 is written by a branch and carries the "
       "move bit."},
  };
  for (const Row& row : kRows) Check(row);
}

TEST(Verifier, RefusesPlaces) {
  const Row kRows[] = {
      {"a: global.load.i32 61 i0",
       "OUT_OF_RANGE: global.load.i32 accesses 4 bytes of globals at 61; the "
       "module has 64."},
      {"a: global.store.f64 60 i0",
       "OUT_OF_RANGE: global.store.f64 accesses 8 bytes of globals at 60; the "
       "module has 64."},
      {"a: global.load.f32 0xFFFFFFFE i0",
       "OUT_OF_RANGE: global.load.f32 accesses 4 bytes of globals at "
       "4294967294; the module has 64."},
      {"a: global.load.ref 4 0 r0",
       "OUT_OF_RANGE: global.load.ref names global ref 4; the module has 4."},
      {"a: global.load.ref 0 4 r0",
       "OUT_OF_RANGE: global.load.ref names type 4; the module has 4."},
      {"a: const.ref.rodata 1 r0",
       "OUT_OF_RANGE: const.ref.rodata names constant 1; the module has 1."},
      {"a: import.resolved 1 i0",
       "INVALID_ARGUMENT: import.resolved asks about function 1, which is not "
       "an import."},
      {"a: import.resolved #2 i0",
       "OUT_OF_RANGE: import.resolved names import 2; the module has 2."},
      {"a: br 1 []",
       "INVALID_ARGUMENT: A branch leads to 0x1, where no block begins."},
      {"a: br 99 []",
       "OUT_OF_RANGE: A branch leads to 0x63, past the function's 8 bytes."},
      {"a: call.yieldable #0 [i0 r0] 3 [i1]",
       "INVALID_ARGUMENT: A branch leads to 0x3, where no block begins."},
      {"a: br_table i0 ^a [] {^a [] 7 []}",
       "INVALID_ARGUMENT: A branch leads to 0x7, where no block begins."},
  };
  for (const Row& row : kRows) Check(row);
}

TEST(Verifier, RefusesCalls) {
  const Row kRows[] = {
      {"a: call 2 [] []",
       "OUT_OF_RANGE: call calls function 2; the module has 2."},
      {"a: call #2 [] []",
       "OUT_OF_RANGE: call calls import 2; the module has 2."},
      {"a: call 1 [i0 i2] [i4 r1]",
       "INVALID_ARGUMENT: It has 2 arguments; the convention 0iIr_Ir has 3. "
       "(calling g)"},
      {"a: call 1 [i0 i2 r0] [i4]",
       "INVALID_ARGUMENT: It has 1 result; the convention 0iIr_Ir has 2. "
       "(calling g)"},
      {"a: call 1 [i0 i3 r0] [i4 r0]",
       "INVALID_ARGUMENT: Register i3 cannot begin an i64, which needs an even "
       "register. (calling g)"},
      {"a: call 1 [i0 i2 i3] [i4 r0]",
       "INVALID_ARGUMENT: Register i3 is used where a ref is expected. "
       "(calling g)"},
      {"a: call 1 [i0 i2 r0] [r1 r0]",
       "INVALID_ARGUMENT: Register r1 is used where an i64 is expected. "
       "(calling g)"},
      {"a: call #0 [i0 r0] [r1]",
       "INVALID_ARGUMENT: Register r1 is used where an f32 is expected. "
       "(calling ext.plain)"},
      {"a: call #1 [i0] []",
       "INVALID_ARGUMENT: A call without segments has a variadic callee, "
       "0iCrIDCiD_v. (calling ext.spans)"},
      {"a: call.variadic 1 [0 0 0] [i0 i2 r0] [i4 r1]",
       "INVALID_ARGUMENT: call.variadic calls function 1; it may call "
       "imports."},
      {"a: call.variadic #1 [0 0] [i0] []",
       "INVALID_ARGUMENT: It has 2 segments; the convention 0iCrIDCiD_v has "
       "3. (calling ext.spans)"},
      {"a: call.variadic #1 [0 1 1] [i0 r0 i2] []",
       "INVALID_ARGUMENT: It has 3 arguments; its segments and the convention "
       "0iCrIDCiD_v need 4. (calling ext.spans)"},
      {"a: call.variadic #1 [0 65535 0] [i0 r0 i2] []",
       "INVALID_ARGUMENT: It has 3 arguments; its segments and the convention "
       "0iCrIDCiD_v need 131071. (calling ext.spans)"},
      {"a: call.variadic #1 [0 1 1] [i0 i2 r0 i2] []",
       "INVALID_ARGUMENT: Register i2 is used where a ref is expected. "
       "(calling ext.spans)"},
      {"a: call.variadic #1 [0 0 0] [i0] [i1]",
       "INVALID_ARGUMENT: It has 1 result; the convention 0iCrIDCiD_v has 0. "
       "(calling ext.spans)"},
      {"a: call.variadic #0 [0] [i0 r0] [i2]",
       "INVALID_ARGUMENT: It has 1 segment; the convention 0ir_f has 2. "
       "(calling ext.plain)"},
      {"a: return [i0]",
       "INVALID_ARGUMENT: It has 1 value; the convention 0v_v has 0."},
      {"a: return [i0]",
       "INVALID_ARGUMENT: It has 1 value; the convention 0v_ii has 2.",
       "0v_ii"},
      {"a: return [i1]",
       "INVALID_ARGUMENT: Register i1 cannot begin an f64, which needs an even "
       "register.",
       "0v_F"},
  };
  for (const Row& row : kRows) Check(row);
}

TEST(Verifier, RefusesFramesAndConventions) {
  const Row kReturn = {"a: return []", "OK"};
  Check(kReturn);
  Check({"a: return []",
         "INVALID_ARGUMENT: The arguments 0iI_v need 4 i32 and 0 ref "
         "registers; the function has 2 and 8.",
         "0iI_v"},
        [](auto& m) { m.functions[0].i32_registers = 2; });
  Check({"a: return []",
         "INVALID_ARGUMENT: The arguments 0rr_v need 0 i32 and 2 ref "
         "registers; the function has 16 and 1.",
         "0rr_v"},
        [](auto& m) { m.functions[0].ref_registers = 1; });
  Check({"a: return []",
         "INVALID_ARGUMENT: The function takes a variadic span, 0CiD_v; only "
         "imports may.",
         "0CiD_v"});
  Check({"a: return []",
         "INVALID_ARGUMENT: The function has 1 blocks and declares 2."},
        [](auto& m) { m.functions[0].blocks = 2; });
  Check({"a: return []",
         "INVALID_ARGUMENT: 'x' at 1 of the calling convention \"0x\" is not a "
         "type. (of function f)",
         "0x"});
  Check({"a: return []",
         "INVALID_ARGUMENT: 'x' at 1 of the calling convention \"0x\" is not a "
         "type. (of import ext.plain)"},
        [](auto& m) { m.imports[0].convention = "0x"; });
  Check({"a: return []",
         "INVALID_ARGUMENT: Export f has no calling convention (in test).",
         ""});
  Check({"a: return []", "OK", ""},
        [](auto& m) { m.functions[0].exported = false; });
}

TEST(Verifier, ChecksVersionsAndFeatures) {
  auto version = [](uint32_t major) {
    return [major](ModuleBuilder& m) { m.bytecode_version = major << 16; };
  };
  Check({"a: discard.refs [r0] return []",
         "INVALID_ARGUMENT: discard.refs requires bytecode 16; the module has "
         "15."},
        version(15));
  Check({"a: discard.refs [r0] return []", "OK"}, version(16));
  Check({"a: call.yieldable #0 [i0 r0] ^a [i1]",
         "INVALID_ARGUMENT: call.yieldable requires bytecode 17; the module "
         "has 16."},
        version(16));
  // Before major 16, any operand may have the move bit, which has no meaning.
  Check({"a: cmp.nz.ref r0! i0 return []", "OK"}, version(15));
  Check({"a: cmp.nz.ref r0! i0 return []",
         "INVALID_ARGUMENT: cmp.nz.ref does not move r0, but its move bit is "
         "set."},
        version(16));
  Check({"a: add.f32 i0 i1 i2 return []",
         "INVALID_ARGUMENT: add.f32 needs EXT_F32; the function declares "
         "EXT_F64."},
        [](auto& m) { m.functions[0].requirements = 2; });
  Check({"a: add.f64 i0 i2 i4 return []",
         "INVALID_ARGUMENT: add.f64 needs EXT_F64; the function declares "
         "none."},
        [](auto& m) { m.functions[0].requirements = 0; });
}

TEST(Verifier, SaysWhere) {
  ModuleBuilder module =
      Around("a: add.i32 i0 i1 i2 add.i32 i0 i1 i99 return []", "0v_v");
  EXPECT_EQ(Load(module.Build()),
            "OUT_OF_RANGE: Register i99 exceeds the function's 16 i32 "
            "registers. (at test.f+0x8)");
  // The position is the branch's, not the end of the function.
  module = Around("a: br ^b [] b: br 3 []", "0v_v");
  EXPECT_TRUE(absl::EndsWith(Load(module.Build()), "(at test.f+0x9)"));
}

TEST(Verifier, KeepsSignatures) {
  auto module =
      LoadModule(Around("a: return [i0]", "0iI_i").BuildZip(), "x.vmfb");
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_EQ((*module)->signature(0).ToString(), "0iI_i");
  EXPECT_EQ((*module)->import_signature(1).ToString(), "0iCrIDCiD_v");
  EXPECT_EQ((*module)->def().name, "test");
}

// A small module that contains one of everything.
ModuleBuilder Varied() {
  ModuleBuilder module = Around(
      "a: const.i32 5 i0 const.ref.rodata 0 r0 call #0 [i0 r0] [i1] "
      "cond_br i1 ^a [i0>i1] ^b [r0!>r1] "
      "b: switch.i64 i0 i2 [i4 i6] i8 br_table i0 ^a [] {^b [i0>i3]} "
      "c: fail i0 \"message\"",
      "0iIr_v");
  module.attributes = {{"key", "value"}};
  module.dependencies = {{"ext", 1, false}};
  module.functions[0].attributes = {{"iree.abi.declaration", "func @f"}};
  module.AddRodata(Bytes(20, 7), /*external=*/true);
  return module;
}

// Any bytes may fail, but must not crash; sanitizers check this.
TEST(Verifier, SurvivesTruncation) {
  ASSERT_EQ(Load(Varied().Build()), "OK");
  for (const Bytes& file : {Varied().Build(), Varied().BuildZip()}) {
    for (size_t size = 0; size < file.size(); ++size) {
      auto module = LoadModule({file.data(), size}, "cut");
      EXPECT_FALSE(module.ok()) << size << " of " << file.size();
    }
  }
}

// Reads everything that may be read without further checks.
void Use(const VerifiedModule& module) {
  size_t sum = 0;
  const ModuleDef& def = module.def();
  for (uint32_t i = 0; i < def.functions.size(); ++i) {
    sum += module.signature(i).ToString().size() + def.FunctionName(i).size();
    for (const SourceLocation& l : def.FindLocations(i, 3)) {
      sum += l.ToString().size();
    }
  }
  for (const RodataDef& rodata : def.rodata) {
    for (uint8_t byte : rodata.bytes) sum += byte;
  }
  EXPECT_NE(sum, 0u);
}

TEST(Verifier, SurvivesFlippedBytes) {
  for (Bytes file : {Varied().Build(), Varied().BuildZip()}) {
    int refused = 0;
    for (size_t at = 0; at < file.size(); ++at) {
      for (uint8_t flip : {0x01, 0x80, 0xFF}) {
        file[at] ^= flip;
        auto module = LoadModule(file, "flipped");
        if (module.ok()) {
          Use(**module);
        } else {
          ++refused;
          EXPECT_TRUE(absl::StrContains(module.status().message(), "."))
              << module.status();
        }
        file[at] ^= flip;
      }
    }
    EXPECT_GT(refused, static_cast<int>(file.size()) / 3);
    EXPECT_EQ(Load(file), "OK");
  }
}

TEST(Verifier, SaysWhichFunctionsHaveLoops) {
  struct Row {
    const char* code;
    bool has_loop;
  };
  for (const Row& row : {
           Row{"entry: return []", false},
           {"entry: br ^next [] next: return []", false},
           {"entry: br ^entry []", true},
           {"entry: cond_br i0 ^entry [] ^out [] out: return []", true},
           {"entry: br ^b [] a: return [] b: br ^a []", true},
       }) {
    const auto module = LoadModule(Around(row.code, "0v_v").Build(), "x.vmfb");
    ASSERT_TRUE(module.ok()) << row.code << module.status();
    EXPECT_EQ((*module)->has_loop(0), row.has_loop) << row.code;
    EXPECT_FALSE((*module)->has_loop(1)) << row.code;
  }
}

}  // namespace
}  // namespace eyrie::vm
