// Functions that use more registers than they declare.
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/support/module_builder.h"
#include "vm/module/verifier.h"

namespace eyrie::vm {
namespace {

using tests::ModuleBuilder;

// Upstream's assembler does not count arguments, and its runtime rounds up.
TEST(VerifierFrames, AreRoundedUpIfTooSmall) {
  const struct {
    const char* convention;
    const char* code;
    uint16_t i32, ref;  // as declared
    const char* want;   // the frame's, or an error
  } kRows[] = {
      {"0i_v", "a: return []", 0, 0, "1 1"},
      {"0ir_v", "a: return []", 0, 0, "1 1"},
      {"0v_v", "a: return []", 0, 0, "0 0"},  // it needs none
      {"0i_i", "a: return [i0]", 1, 0, "1 0"},
      {"0iii_i", "a: return [i0]", 3, 0, "3 0"},
      {"0iiii_v", "a: return []", 3, 0, "4 1"},
      {"0v_i", "a: add.i32 i6 i6 i7 return [i7]", 5, 9, "8 16"},
      {"0rrr_v", "a: return []", 2, 3, "2 3"},
      {"0ii_v", "a: return []", 0, 0,
       "The arguments 0ii_v need 2 i32 and 0 ref registers; the function has 0 "
       "and 0. (at test.f+0x0)"},
      {"0v_i", "a: return [i8]", 5, 0,
       "Register i8 exceeds the function's 5 i32 registers. (at test.f+0x1)"},
      {"0v_i", "a: add.i32 i7 i7 i7 return [i8]", 5, 0,
       "Register i8 exceeds the function's 8 i32 registers. (at test.f+0x8)"},
      {"0v_v", "a: return [i32765]", 32766, 0,
       "It has 1 values; the convention 0v_v has 0. (at test.f+0x1)"},
      {"0v_i", "a: return [i32766]", 20000, 0, "32767 1"},
  };
  for (const auto& row : kRows) {
    ModuleBuilder module;
    auto& function = module.AddFunction("f", row.convention, row.code);
    function.i32_registers = row.i32;
    function.ref_registers = row.ref;
    const auto verified = LoadModule(module.Build(), "x.vmfb");
    if (!verified.ok()) {
      EXPECT_EQ(verified.status().message(), row.want) << row.code;
      continue;
    }
    const FunctionDef& def = (*verified)->def().functions[0];
    EXPECT_EQ(absl::StrCat(def.i32_register_count, " ", def.ref_register_count),
              row.want)
        << row.code;
    EXPECT_EQ(def.declared_i32_count, row.i32);
    EXPECT_EQ(def.declared_ref_count, row.ref);
  }
}

}  // namespace
}  // namespace eyrie::vm
