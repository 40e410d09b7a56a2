// Lowered functions, as the names of their instructions. The handlers of this
// test are the rows' texts, so that lowered code can be read as a listing.
#include "vm/lower/lowering.h"

#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/support/module_builder.h"
#include "vm/module/verifier.h"
#include "vm/run/bytecode_module.h"
#include "vm/run/interpreter.h"

namespace eyrie::vm {
namespace {

Handler Named(Form form, size_t row) {
  static const char* const kLoweredNames[] = {
#define LOWERED(name, body) #name,
#include "vm/lower/lowered.def"
#undef LOWERED
  };
  static std::string branches[kOpCount];
  static std::string turns[kOpCount];
  for (size_t i = 0; i < kOpCount && turns[i].empty(); ++i) {
    branches[i] = absl::StrCat(kOps[i].text, "+cond_br");
    turns[i] = absl::StrCat("turn:", branches[i]);
  }
  switch (form) {
    case Form::kOp:
      return kOps[row].text;
    case Form::kBranch:
      return branches[row].c_str();
    case Form::kTurn:
      return turns[row].c_str();
    case Form::kLowered:
      return kLoweredNames[row];
  }
  return nullptr;
}

std::shared_ptr<const BytecodeModule> Module(const char* convention,
                                             const char* code) {
  tests::ModuleBuilder builder;
  builder.imports.push_back({"test.native", "0iCrID_I"});
  builder.AddFunction("f", convention, code);
  auto verified = LoadModule(builder.Build(), "test.vmfb");
  EXPECT_TRUE(verified.ok()) << verified.status().message();
  if (!verified.ok()) return nullptr;
  return *BytecodeModule::Create(InterpreterHandlers(), *verified);
}

LoweredCode LowerFirst(const BytecodeModule& module,
                       LoweredPlaces* places = nullptr) {
  return Lower(module.verified(), module.functions(), 0, module.pauses(), Named,
               places);
}

// Returns "name@bytecode offset" for each instruction.
std::string Listing(const BytecodeModule& module) {
  LoweredPlaces places;
  const LoweredCode code = LowerFirst(module, &places);
  std::string text;
  for (const auto& [at, from] : places) {
    absl::StrAppend(&text, text.empty() ? "" : " ",
                    reinterpret_cast<const char*>(code[at / 8]), "@", from);
  }
  return text;
}

struct Row {
  const char* convention;
  const char* code;
  const char* want;
};

const Row kRows[] = {
    {"0v_v", "entry: return []", "ReturnNothing@1"},
    {"0i_i", "entry: add.i32 i0 i0 i1 return [i1]", "add.i32@1 Return32@8"},
    {"0I_I", "entry: return [i0]", "Return64@1"},
    {"0r_r", "entry: return [r0!]", "ReturnMany@1"},
    {"0ii_ii", "entry: return [i0 i1]", "ReturnMany@1"},

    // A branch to the next block is omitted.
    {"0v_v", "entry: br ^next [] next: return []", "ReturnNothing@9"},
    {"0i_i", "entry: br ^next [i0>i1] next: return [i1]",
     "JumpMove32x1@1 Return32@13"},
    {"0v_v", "entry: br ^last [] back: return [] last: br ^back []",
     "Jump@1 ReturnNothing@9 JumpBack@13"},
    {"0i_v",
     "entry: break ^next [] next: cond_break i0 ^last [] last: "
     "return []",
     "ReturnNothing@19"},

    // The two halves of a pair are moved together; others one by one.
    {"0II_I", "entry: br ^next [i2>i0 i3>i1] next: return [i0]",
     "JumpMove64x1@1 Return64@17"},
    {"0II_I", "entry: br ^next [i2>i1 i3>i2] next: return [i0]",
     "JumpMove32x2@1 Return64@17"},
    {"0II_I", "entry: br ^next [i2>i0 i3>i1 i0>i4] next: return [i0]",
     "JumpMoves@1 Return64@21"},
    {"0r_r", "entry: br ^next [r0!>r1] next: return [r1]",
     "JumpMoves@1 ReturnMany@13"},
    {"0i_i", "entry: br ^next [i0>i1 i0>i2 i0>i3 i0>i4] next: return [i1]",
     "JumpMoves@1 Return32@25"},

    // A comparison is combined with the branch on its own result only.
    {"0ii_i",
     "entry: cmp.lt.i32.s i0 i1 i2 cond_br i2 ^yes [] ^no [] "
     "yes: return [i0] no: return [i1]",
     "cmp.lt.i32.s+cond_br@1 Return32@25 Return32@31"},
    {"0ii_i",
     "entry: cmp.lt.i32.s i0 i1 i2 cond_br i1 ^yes [] ^no [] "
     "yes: return [i0] no: return [i1]",
     "cmp.lt.i32.s@1 cond_br@8 Return32@25 Return32@31"},
    {"0ff_i",
     "entry: cmp.lt.f32.o i0 i1 i2 cond_br i2 ^yes [i2>i0] ^no [i2>i1] "
     "yes: return [i0] no: return [i1]",
     "cmp.lt.f32.o+cond_br@1 JumpMove32x1@1 JumpMove32x1@1 Return32@33 "
     "Return32@39"},

    // In loops, only backward branches take fuel.
    {"0i_i",
     "entry: br ^head [] head: cmp.nz.i32 i0 i1 cond_br i1 ^body [] ^out [] "
     "body: sub.i32 i0 i1 i0 br ^head [] out: return [i0]",
     "cmp.nz.i32+cond_br@9 sub.i32@31 turn:cmp.nz.i32+cond_br@38 "
     "Return32@47"},
    {"0i_i",
     "entry: cmp.nz.i32 i0 i1 cond_br i1 ^entry [i1>i0] ^out [] "
     "out: return [i0]",
     "cmp.nz.i32+cond_br@1 FallBackMove32x1@1 cmp.nz.i32+cond_br@1 "
     "JumpBackMove32x1@1 Return32@27"},
    {"0i_i", "entry: cond_br i0 ^entry [i0>i1] ^out [] out: return [i0]",
     "cond_br@1 JumpBackMove32x1@1 Return32@21"},
    {"0i_i",
     "entry: br_table i0 ^a [] {^b [] ^entry []} a: return [i0] b: "
     "return [i0]",
     "br_table@1 JumpBack@1 Return32@25 Return32@31"},

    // A yieldable call and a yield continue with their block.
    {"0v_v", "entry: yield ^next [] next: return []",
     "yield@1 ReturnNothing@9"},
    {"0v_v", "entry: yield ^entry []", "yield@1 JumpBack@1"},
    {"0v_v", "entry: call.yieldable 0 [] ^next [] next: return []",
     "CallFunction@1 ReturnNothing@15"},
    {"0ir_I",
     "entry: ext.i32.i64.s i0 i2 call.variadic #0 [1 2] [i0 r0 i2 r0! i2] "
     "[i2] return [i2]",
     "ext.i32.i64.s@1 CallImport@6 Return64@34"},
};

TEST(LoweringTest, Listings) {
  for (const Row& row : kRows) {
    SCOPED_TRACE(row.code);
    const auto module = Module(row.convention, row.code);
    ASSERT_NE(module, nullptr);
    EXPECT_EQ(Listing(*module), row.want);
  }
}

TEST(LoweringTest, PlacesDoNotChangeTheCode) {
  for (const Row& row : kRows) {
    SCOPED_TRACE(row.code);
    const auto module = Module(row.convention, row.code);
    ASSERT_NE(module, nullptr);
    LoweredPlaces places;
    EXPECT_EQ(LowerFirst(*module, &places), LowerFirst(*module));
  }
}

// The operands of every instruction are where the reader expects them.
TEST(LoweringTest, LayoutsAreAligned) {
  for (const OpInfo& op : kOps) {
    SCOPED_TRACE(op.text);
    const LoweredLayout layout = LayOut(op);
    EXPECT_EQ(layout.size() % 8, 0u);
    uint32_t end = 8;
    int next = 0;
    auto check = [&](OperandKind kind) {
      const uint32_t at = layout.at[next++];
      EXPECT_GE(at, end);
      EXPECT_EQ(at % LoweredSize(kind), 0u);
      end = at + LoweredSize(kind);
    };
    for (OperandKind kind : op.reads) check(kind);
    for (OperandKind kind : op.writes) check(kind);
    EXPECT_EQ(layout.end, end);
  }
}

TEST(LoweringTest, FunctionsAreLoweredOnce) {
  const auto module = Module("0v_v", "entry: return []");
  ASSERT_NE(module, nullptr);
  const uint8_t* unlowered = module->function(0).entry;
  EXPECT_EQ(module->BytecodeOffset(0, unlowered), 0u);
  const uint8_t* entry = module->LowerFunction(0, /*traced=*/false);
  EXPECT_NE(entry, unlowered);
  EXPECT_EQ(module->function(0).entry, entry);
  EXPECT_EQ(module->LowerFunction(0, /*traced=*/false), entry);
  EXPECT_EQ(module->BytecodeOffset(0, entry), 1u);
}

}  // namespace
}  // namespace eyrie::vm
