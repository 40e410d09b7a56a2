// Attacks with the shape of code.
#include <bit>
#include <cstdint>
#include <iterator>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
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

// Returns `count` distinct constants that are multiples of the bucket counts
// that libstdc++ has for 10,273 to 50,000 keys.
std::string Constants(uint32_t count) {
  constexpr uint64_t kBuckets = uint64_t{85229} * 42043 * 20753;
  std::string code;
  for (uint64_t i = 1; i <= count; ++i) {
    absl::StrAppendFormat(&code, "const.f64 %.17g i2 add.f64 i4 i2 i4 ",
                          std::bit_cast<double>(kBuckets * i));
  }
  return absl::StrCat(code, "return []");
}

// Returns nested loops with `count` accesses to many buffers.
std::string Elements(uint32_t count) {
  constexpr int kLoops = 32;
  std::string code = "cond_br i0 ^h0 [] ^end [] ";
  for (int i = 0; i < kLoops; ++i) {
    absl::StrAppend(&code, "h", i, ": ");
    for (uint32_t j = 0; j < count / kLoops; ++j) {
      absl::StrAppend(&code, "buffer.load.i", j % 2 == 0 ? "32" : "8.u", " r",
                      j / 2 % 32, " i4 i2 ");
    }
    absl::StrAppend(&code, "br ^h", i + 1, " [] ");
  }
  absl::StrAppend(&code, "h", kLoops, ": br ^t", kLoops - 1, " [] ");
  for (int i = kLoops - 1; i >= 0; --i) {
    absl::StrAppend(&code, "t", i, ": cond_br i0 ^h", i, " [] ^",
                    i == 0 ? "end" : absl::StrCat("t", i - 1), " [] ");
  }
  return absl::StrCat(code, "end: return []");
}

// Returns `count` values, more at a time than registers, with calls between
// them.
std::string Values(uint32_t count) {
  std::string code;
  for (uint32_t i = 0; i < count; ++i) {
    absl::StrAppend(&code, "add.i32 i0 i", 1 + i % 60, " i", 1 + i % 61, " ");
    if (i % 8 == 0) absl::StrAppend(&code, "call 0 [i", i % 50, "] [i0] ");
  }
  return absl::StrCat(code, "return []");
}

// Returns `count` branch tables between blocks at whose beginning all registers
// are live.
std::string Lives(uint32_t count) {
  std::string code = "br ^b0 [] ";
  for (uint32_t i = 0; i < count; ++i) {
    absl::StrAppend(&code, "b", i, ": br_table i0 ^end [] {");
    for (uint32_t j = 1; j < 9; ++j) {
      absl::StrAppend(&code, " ^b", (i + j * j) % count, " []");
    }
    absl::StrAppend(&code, " } ");
  }
  code += "end: ";
  for (int i = 0; i < 128; ++i) {
    absl::StrAppend(&code, "add.i32 i0 i", i, " i0 ");
  }
  return absl::StrCat(code, "return []");
}

constexpr struct {
  const char* name;
  std::string (*code)(uint32_t count);
  uint32_t times = 1;  // the chosen count
  bool eager = false;  // attacks only the compiler
} kShapes[] = {
    {"loops", [](uint32_t count) { return Loops(count, false); }},
    {"nested loops", [](uint32_t count) { return Loops(count, true); }},
    {"branch table", Table},
    {"long block", Line},
    {"recursion", Recursion},
    {"calls", Calls},
    {"constants", Constants, 3, true},
    {"elements", Elements, 6, true},
    {"values", Values, 6, true},
    // As many as are examined.
    {"live registers", [](uint32_t count) { return Lives(count * 3 / 8); }, 1,
     true},
};

}  // namespace

Attack ShapeAttack(Random& random) {
  ModuleBuilder module = NewAttackModule();
  module.AddFunction("small", "0i_i", "entry: add.i32 i0 i0 i0 return [i0]");
  const auto& shape = kShapes[random.Below(std::size(kShapes))];
  // Half of them are as large as functions that are compiled.
  const uint32_t count = shape.times
                         << (random.OneIn(2) ? 14 : 6 + random.Below(8));
  // Calls it repeatedly, so that compiling pays.
  AddAttack(module,
            "entry: const.i32 2000 i0 br ^again [] again: call 2 [] [] "
            "const.i32 1 i1 sub.i32 i0 i1 i0 cond_br i0 ^again [] ^end [] "
            "end: return []");
  module
      .AddFunction("shape", "0v_v", absl::StrCat("entry: ", shape.code(count)))
      .i32_registers = 128;
  module.functions.back().ref_registers = 32;
  return {absl::StrCat(shape.name, " of ", count), module.Build(),
          RunArguments(random, shape.eager)};
}

}  // namespace eyrie::tests
