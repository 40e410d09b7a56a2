// Attacks with the shape of code.
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "tests/fuzz/limits/attack_module.h"
#include "tests/fuzz/limits/attacks.h"
#include "tests/support/module_builder.h"

namespace eyrie::tests {
namespace {

// Returns `count` blocks that each loop over themselves, in sequence or nested.
std::string Loops(uint32_t count, bool nested) {
  std::string code = "br ^b0 [] ";
  for (uint32_t i = 0; i < count; ++i) {
    absl::StrAppend(&code, "b", i, ": add.i32 i", 1 + i % 60, " i1 i",
                    1 + (i + 7) % 60, " cond_br i0 ^b",
                    nested ? count - 1 - i : i, " [] ^b", i + 1, " [] ");
  }
  return absl::StrCat(code, "b", count, ": return []");
}

// Returns a branch table of `count` cases, each with moves.
std::string Table(uint32_t count) {
  std::string code = "br_table i0 ^end [] {";
  for (uint32_t i = 0; i < count; ++i) {
    absl::StrAppend(&code, " ^end [i", i % 60, ">i", 60 + i % 60, " r1>r2]");
  }
  return absl::StrCat(code, " } end: return []");
}

// Returns one block of `count` instructions on all registers.
std::string Line(uint32_t count) {
  std::string code;
  for (uint32_t i = 0; i < count; ++i) {
    absl::StrAppend(&code, "add.i32 i", i * 7 % 120, " i", i * 11 % 120, " i",
                    i * 13 % 120, " assign.ref r", i % 30, " r", (i + 1) % 30,
                    " ");
  }
  return absl::StrCat(code, "return []");
}

// Returns a function with `count` calls of a small one.
std::string Calls(uint32_t count) {
  std::string code;
  for (uint32_t i = 0; i < count; ++i) {
    absl::StrAppend(&code, "call 0 [i", i % 100, "] [i", (i + 3) % 100, "] ");
  }
  return absl::StrCat(code, "return []");
}

// Returns a function that calls itself at `count` places.
std::string Recursion(uint32_t count) {
  std::string code;
  for (uint32_t i = 0; i < count; ++i) absl::StrAppend(&code, "call 2 [] [] ");
  return absl::StrCat(code, "return []");
}

}  // namespace

Attack ShapeAttack(Random& random) {
  ModuleBuilder module = NewAttackModule();
  module.AddFunction("small", "0i_i", "entry: add.i32 i0 i0 i0 return [i0]");
  const uint32_t count = 1u << (6 + random.Below(9));
  std::string name, code;
  switch (random.Below(6)) {
    case 0:
      name = "loops";
      code = Loops(count, false);
      break;
    case 1:
      name = "nested loops";
      code = Loops(count, true);
      break;
    case 2:
      name = "branch table";
      code = Table(count);
      break;
    case 3:
      name = "long block";
      code = Line(count);
      break;
    case 4:
      name = "recursion";
      code = Recursion(count);
      break;
    default:
      name = "calls";
      code = Calls(count);
      break;
  }
  // Calls it repeatedly, so that compiling pays.
  AddAttack(module,
            "entry: const.i32 2000 i0 br ^again [] again: call 2 [] [] "
            "const.i32 1 i1 sub.i32 i0 i1 i0 cond_br i0 ^again [] ^end [] "
            "end: return []");
  module.AddFunction("shape", "0v_v", absl::StrCat("entry: ", code))
      .i32_registers = 128;
  module.functions.back().ref_registers = 32;
  return {absl::StrCat(name, " of ", count), module.Build(),
          RunArguments(random)};
}

}  // namespace eyrie::tests
