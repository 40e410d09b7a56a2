// The cost of compiling: size and time are proportional to the bytecode,
// whatever its shape, and compiling stops when its call must stop.
#include <time.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "gtest/gtest.h"
#include "tests/support/module_builder.h"
#include "vm/jit/jit.h"
#include "vm/module/verifier.h"
#include "vm/run/bytecode_module.h"
#include "vm/run/interpreter.h"

namespace eyrie::vm {
namespace {

// Consecutive loops.
std::string Loops(int count) {
  std::string code = "entry: const.i32 1 i1 br ^h0 [] ";
  for (int i = 0; i < count; ++i) {
    absl::StrAppend(&code, "h", i, ": add.i32 i0 i1 i0 cmp.lt.i32.s i0 i1 i2 ",
                    "cond_br i2 ^h", i, " [] ^h", i + 1, " [] ");
  }
  return absl::StrCat(code, "h", count, ": return [i0]");
}

// Nested loops.
std::string Nest(int count) {
  std::string code = "entry: const.i32 1 i1 br ^h0 [] ";
  for (int i = 0; i < count; ++i) {
    absl::StrAppend(&code, "h", i, ": add.i32 i0 i1 i0 br ^h", i + 1, " [] ");
  }
  absl::StrAppend(&code, "h", count, ": br ^t", count - 1, " [] ");
  for (int i = count - 1; i >= 0; --i) {
    absl::StrAppend(&code, "t", i, ": cmp.lt.i32.s i0 i1 i2 cond_br i2 ^h", i,
                    " [] ^", i == 0 ? "end" : absl::StrCat("t", i - 1), " [] ");
  }
  return absl::StrCat(code, "end: return [i0]");
}

// Distinct constants.
std::string Constants(int count) {
  std::string code = "entry: const.f64 1.5 i4 br ^loop [] loop: ";
  for (int i = 0; i < count; ++i) {
    absl::StrAppend(&code, "const.f64 ", i, ".5 i2 add.f64 i4 i2 i4 ");
  }
  return absl::StrCat(code, "cond_br i0 ^loop [] ^end [] end: return [i0]");
}

// Returns, each of which drops all references.
std::string Returns(int count) {
  std::string code = "entry: ";
  for (int i = 0; i < count; ++i) {
    absl::StrAppend(&code, "const.ref.zero r", i, " ");
  }
  absl::StrAppend(&code, "br ^b0 [] ");
  for (int i = 0; i < count; ++i) {
    absl::StrAppend(&code, "b", i, ": cond_br i0 ^x", i, " [] ^b", i + 1,
                    " [] x", i, ": return [i0] ");
  }
  return absl::StrCat(code, "b", count, ": return [i0]");
}

// Backward branches to a loop whose condition moves registers.
std::string Conditions(int count) {
  std::string moves;
  for (int i = 0; i < count; ++i) {
    absl::StrAppend(&moves, " i", i + 3, ">i", i + 2);
  }
  std::string code = absl::StrCat(
      "entry: br ^loop [] loop: cmp.eq.i32 i0 i0 i1 cond_br i1 ^b0 [", moves,
      "] ^end [] ");
  for (int i = 0; i < count; ++i) {
    absl::StrAppend(&code, "b", i, ": cond_br i0 ^x", i, " [] ^b", i + 1,
                    " [] x", i, ": br ^loop [] ");
  }
  return absl::StrCat(code, "b", count, ": br ^end [] end: return [i0]");
}

// Distinct constants that are multiples of the bucket counts that libstdc++
// has for 10,273 to 50,000 keys.
std::string Multiples(int count) {
  constexpr uint64_t kBuckets = uint64_t{85229} * 42043 * 20753;
  std::string code = "entry: const.f64 1.5 i4 br ^loop [] loop: ";
  for (int i = 1; i <= count; ++i) {
    const auto number =
        std::bit_cast<double>(kBuckets * static_cast<uint64_t>(i));
    absl::StrAppendFormat(&code, "const.f64 %.17g i2 add.f64 i4 i2 i4 ",
                          number);
  }
  return absl::StrCat(code, "cond_br i0 ^loop [] ^end [] end: return [i0]");
}

// One block.
std::string Line(int count) {
  std::string code = "entry: ";
  for (int i = 0; i < count; ++i) absl::StrAppend(&code, "add.i32 i0 i1 i0 ");
  return absl::StrCat(code, "return [i0]");
}

// Branches to many blocks, at whose beginning many registers are live.
std::string Lives(int count) {
  std::string code = "entry: br ^b0 [] ";
  for (int i = 0; i < count; ++i) {
    absl::StrAppend(&code, "b", i, ": br_table i0 ^end [] {");
    for (int j = 1; j < 9; ++j) {
      absl::StrAppend(&code, " ^b", (i + j * j) % count, " []");
    }
    absl::StrAppend(&code, " } ");
  }
  code += "end: ";
  for (int i = 0; i < 900; ++i) {
    absl::StrAppend(&code, "add.i32 i0 i", i, " i0 ");
  }
  return absl::StrCat(code, "return [i0]");
}

// Loops in each other that access as many elements as are examined.
std::string Elements(int count) {
  std::string code = "entry: const.i32 1 i1 const.i64 1 i4 br ^h0 [] ";
  for (int i = 0; i < 50; ++i) {
    absl::StrAppend(&code, "h", i, ": ");
    for (int j = 0; j < count / 50; ++j) {
      absl::StrAppend(&code, "buffer.load.i32 r", j % 100, " i4 i2 ");
    }
    absl::StrAppend(&code, "br ^h", i + 1, " [] ");
  }
  absl::StrAppend(&code, "h50: br ^t49 [] ");
  for (int i = 49; i >= 0; --i) {
    absl::StrAppend(&code, "t", i, ": cond_br i0 ^h", i, " [] ^",
                    i == 0 ? "end" : absl::StrCat("t", i - 1), " [] ");
  }
  return absl::StrCat(code, "end: return [i0]");
}

// Calls of the function itself, with more values than registers between them.
std::string Values(int count) {
  std::string code = "entry: ";
  for (int i = 0; i < count; ++i) {
    absl::StrAppend(&code, "add.i32 i0 i", 1 + i % 60, " i", 1 + i % 61, " ");
    if (i % 8 == 0) absl::StrAppend(&code, "call 0 [i", 1 + i % 50, "] [i0] ");
  }
  return absl::StrCat(code, "return [i0]");
}

std::shared_ptr<const BytecodeModule> Create(const std::string& code,
                                             int registers) {
  tests::ModuleBuilder builder;
  auto& function = builder.AddFunction("f", "0i_i", code);
  function.i32_registers = static_cast<uint16_t>(registers + 8);
  function.ref_registers = static_cast<uint16_t>(registers);
  auto verified = LoadModule(builder.Build(), "effort");
  EXPECT_TRUE(verified.ok()) << verified.status();
  auto module =
      *BytecodeModule::Create(InterpreterHandlers(), *std::move(verified));
  module->LowerFunction(0, /*traced=*/false);
  return module;
}

double CpuSeconds() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) +
         1e-9 * static_cast<double>(time.tv_nsec);
}

// Returns how many times longer compiling takes here than on a machine that
// needs 20 ms for 1,000 loops: sanitizers cost time, and qemu interprets.
double Slowness(const Jit& jit) {
  const auto module = Create(Loops(1000), 0);
  const auto code = jit.NewModule(*module);
  const double begin = CpuSeconds();
  EXPECT_NE(jit.Compile(
                   *module, 0, *code, [](uint32_t) {}, [] { return false; })
                .call,
            nullptr);
  return std::max(1.0, (CpuSeconds() - begin) / 0.02);
}

// Twice this size once took from 3 s to minutes, or gigabytes.
TEST(Effort, GrowsWithTheBytecode) {
  const auto jit = *jit::Create(jit::Mode::kEager);
  const double slow = Slowness(*jit);
  const struct {
    const char* what;
    std::function<std::string(int)> code;
    int count;
    int registers;
  } kCases[] = {
      {"loops", Loops, 6000, 0},
      {"loops in each other", Nest, 5000, 0},
      {"constants", Constants, 20000, 0},
      {"returns", Returns, 1500, 1500},
      {"conditions", Conditions, 1000, 1000},
      {"multiples", Multiples, 30000, 0},
      {"line", Line, 40000, 0},
      {"lives", Lives, 1000, 1000},
      {"elements", Elements, 40000, 100},
      {"values", Values, 40000, 100},
  };
  int refused = 0;
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.what);
    const auto module = Create(c.code(c.count), c.registers);
    const auto code = jit->NewModule(*module);
    int looks = 0;
    double longest = 0;
    const double begin = CpuSeconds();
    double last = begin;
    const auto look = [&] {
      ++looks;
      const double now = CpuSeconds();
      longest = std::max(longest, now - std::exchange(last, now));
      return false;
    };
    const CompiledFunction compiled =
        jit->Compile(*module, 0, *code, [](uint32_t) {}, look);
    look();
    const uint32_t bytes = module->function(0).code_size;
    // Branches of some machines reach 1 MiB; larger code remains interpreted.
    refused += compiled.call == nullptr;
    EXPECT_TRUE(compiled.call != nullptr || bytes > 1 << 17);
    EXPECT_LT(compiled.bytes, bytes * 32);
    EXPECT_GT(looks, bytes / 512);
    EXPECT_LT(longest, 0.1 * slow);
    EXPECT_LT(last - begin, 1 * slow);
  }
  EXPECT_LE(refused, 2);
}

TEST(Effort, EndsWithTheCall) {
  const auto jit = *jit::Create(jit::Mode::kEager);
  const auto module = Create(Loops(200), 0);
  const auto code = jit->NewModule(*module);
  int most = 0;
  for (int looks = 0; most == 0; ++looks) {
    int looked = 0;
    const CompiledFunction compiled = jit->Compile(
        *module, 0, *code, [](uint32_t) {}, [&] { return ++looked > looks; });
    EXPECT_EQ(compiled.stopped, compiled.call == nullptr);
    if (compiled.call != nullptr) most = looked;
    ASSERT_LT(looks, 1000);
  }
  EXPECT_GT(most, 10);
}

// Interrupted compiling is tried again by the next call.
TEST(Effort, CompilesWhatACallHadNoTimeFor) {
  const auto jit = *jit::Create(jit::Mode::kEager);
  const auto module = Create(Loops(100), 0);
  EXPECT_EQ(module->CompileFunction(*jit, 0, [] { return true; }), nullptr);
  EXPECT_NE(module->CompileFunction(*jit, 0, [] { return false; }), nullptr);
}

// References that no instruction uses must not cause code to drop them.
TEST(Effort, LeavesUnnamedReferencesAlone) {
  const auto jit = *jit::Create(jit::Mode::kEager);
  const auto module = Create("entry: return [i0]", 16000);
  EXPECT_EQ(module->CompileFunction(*jit, 0, [] { return false; }), nullptr);
}

}  // namespace
}  // namespace eyrie::vm
