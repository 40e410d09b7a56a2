// Loops over buffers and lists: compiled code handles bounds, types, null and
// read-only objects, and changes during the loop, like the interpreter.
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/support/module_builder.h"
#include "vm/isa/value.h"
#include "vm/jit/jit.h"
#include "vm/module/verifier.h"
#include "vm/object/buffer.h"
#include "vm/object/list.h"
#include "vm/run/bytecode_module.h"
#include "vm/run/context.h"
#include "vm/run/interpreter.h"

namespace eyrie::vm {
namespace {

using tests::ModuleBuilder;

ModuleBuilder Sample() {
  ModuleBuilder module;
  module.name = "sample";
  // Running sums, stored in place.
  module.AddFunction(
      "sums", "0rri_i",
      "entry: const.i32 1 i2 const.i32.zero i1 const.i32.zero i3 br ^loop [] "
      "loop: ext.i32.i64.s i1 i4 buffer.load.i32 r0 i4 i6 add.i32 i3 i6 i3 "
      "buffer.store.i32 r0 i4 i3 add.i32 i1 i2 i1 cmp.lt.i32.s i1 i0 i7 "
      "cond_br i7 ^loop [] ^done [] done: return [i3]");
  // The same without stores, with bytes and a fixed index.
  module.AddFunction(
      "reads", "0rri_i",
      "entry: const.i32 1 i2 const.i32.zero i1 const.i32.zero i3 "
      "const.i64 5 i8 br ^loop [] "
      "loop: ext.i32.i64.s i1 i4 buffer.load.i8.u r0 i4 i6 "
      "buffer.load.i8.s r0 i8 i7 add.i32 i3 i6 i3 add.i32 i3 i7 i3 "
      "add.i32 i1 i2 i1 cmp.lt.i32.s i1 i0 i7 "
      "cond_br i7 ^loop [] ^done [] done: return [i3]");
  // A list that grows during the loop.
  module.AddFunction(
      "grows", "0rri_i",
      "entry: const.i32 1 i2 const.i32.zero i1 const.i32.zero i3 br ^loop [] "
      "loop: add.i32 i1 i2 i4 list.resize r0 i4 list.set.i32 r0 i1 i4 "
      "list.get.i32 r0 i1 i5 add.i32 i3 i5 i3 add.i32 i1 i2 i1 "
      "cmp.lt.i32.s i1 i0 i7 cond_br i7 ^loop [] ^done [] "
      "done: return [i3]");
  // 3: for the next function, whose list grows in a call.
  module.AddFunction("grow", "0ri_v", "entry: list.resize r0 i0 return []");
  module.AddFunction(
      "calls", "0rri_i",
      "entry: const.i32 1 i2 const.i32.zero i1 const.i32.zero i3 br ^loop [] "
      "loop: add.i32 i1 i2 i4 call 3 [r0 i4] [] list.set.i32 r0 i1 i4 "
      "list.get.i32 r0 i1 i5 add.i32 i3 i5 i3 add.i32 i1 i2 i1 "
      "cmp.lt.i32.s i1 i0 i7 cond_br i7 ^loop [] ^done [] "
      "done: return [i3]");
  // Accesses after others with the same index: a register that is written
  // between them, and constants. Only iteration 39 writes.
  module.AddFunction(
      "again", "0rri_i",
      "entry: const.i32 1 i2 const.i32.zero i1 const.i32.zero i3 "
      "const.i64 1 i10 const.i64 5 i12 const.i64 2 i14 const.i32 39 i8 "
      "br ^loop [] "
      "loop: ext.i32.i64.s i1 i4 buffer.load.i8.u r0 i4 i6 "
      "buffer.load.i8.u r0 i12 i7 add.i32 i3 i6 i3 "
      "buffer.load.i8.s r0 i4 i6 add.i32 i3 i7 i3 add.i32 i3 i6 i3 "
      "add.i64 i4 i10 i4 buffer.load.i8.u r0 i14 i7 "
      "buffer.load.i8.u r0 i4 i6 add.i32 i3 i6 i3 add.i32 i3 i7 i3 "
      "buffer.load.i8.s r0 i4 i6 add.i32 i3 i6 i3 "
      "cmp.eq.i32 i1 i8 i7 cond_br i7 ^write [] ^next [] "
      "write: buffer.store.i8 r0 i12 i3 br ^next [] "
      "next: add.i32 i1 i2 i1 cmp.lt.i32.s i1 i0 i7 "
      "cond_br i7 ^loop [] ^done [] done: return [i3]");
  // Two objects that are swapped around an inner loop.
  module.AddFunction(
      "swaps", "0rri_i",
      "entry: const.i32 1 i2 const.i32.zero i1 const.i32.zero i3 "
      "const.i64 1 i10 br ^outer [] "
      "outer: const.i64.zero i8 br ^loop [] "
      "loop: buffer.load.i32 r0 i8 i6 add.i32 i3 i6 i3 add.i32 i3 i3 i3 "
      "add.i64 i8 i10 i8 trunc.i64.i32 i8 i5 cmp.lt.i32.s i5 i0 i7 "
      "cond_br i7 ^loop [] ^swap [] "
      "swap: assign.ref r0 r2 assign.ref r1 r0 assign.ref r2 r1 "
      "add.i32 i1 i2 i1 cmp.lt.i32.s i1 i0 i7 "
      "cond_br i7 ^outer [] ^done [] done: return [i3]");
  // An object that is shared and dropped during the loop; a global holds it,
  // then another one.
  module.types = {"?"};
  module.global_refs = 1;
  module.AddRodata({5, 6, 7, 8});
  module.AddFunction(
      "drops", "0rri_i",
      "entry: const.i32 1 i2 const.i32.zero i1 const.i32.zero i3 "
      "const.i64 3 i8 const.i64 1 i10 global.store.ref 0 0 r0 br ^loop [] "
      "loop: buffer.load.i8.u r0 i8 i6 add.i32 i3 i6 i3 "
      "assign.ref r0 r2 global.load.ref 0 0 r3! discard.refs [r2 r3 r2] "
      "buffer.load.i8.u r0 i10 i6 add.i32 i3 i6 i3 "
      "const.ref.rodata 0 r2 buffer.load.i8.u r2 i10 i6 add.i32 i3 i6 i3 "
      "global.store.ref 0 0 r2! global.load.ref 0 0 r3 "
      "discard.refs [r3 r2] global.store.ref 0 0 r1 "
      "buffer.store.i8 r0 i8 i3 add.i32 i1 i2 i1 "
      "cmp.lt.i32.s i1 i0 i7 cond_br i7 ^loop [] ^done [] "
      "done: return [i3]");
  return module;
}

std::shared_ptr<const BytecodeModule> Create() {
  auto verified = LoadModule(Sample().Build(), "sample");
  EXPECT_TRUE(verified.ok()) << verified.status();
  return *BytecodeModule::Create(InterpreterHandlers(), *std::move(verified));
}

constexpr int32_t kNumbers[] = {3, -1, 4, 1, 5, 9, 2, 6, 5, 3};

Value Object(const std::string& what) {
  const std::span<const uint8_t> bytes(
      reinterpret_cast<const uint8_t*>(kNumbers), sizeof(kNumbers));
  if (what == "buffer") {
    return Value(Ref<RefObject>(*Buffer::Copy(bytes)));
  }
  if (what == "read-only") {
    return Value(Ref<RefObject>(Buffer::Borrow(bytes, nullptr)));
  }
  using Kind = ElementType::Kind;
  if (what == "list") {
    return Value(Ref<RefObject>(*List::Create({Kind::kI32})));
  }
  if (what == "wide list") {
    return Value(Ref<RefObject>(*List::Create({Kind::kI64})));
  }
  return Value(Ref<RefObject>());
}

// Returns the results of a call, and the contents of the objects afterwards.
std::string Call(const std::shared_ptr<const Jit>& jit, const char* function,
                 const std::string& first, const std::string& second,
                 int32_t turns) {
  ContextOptions options;
  options.jit = jit;
  auto context = *Context::Create({Create()}, options);
  const std::vector<Value> args = {Object(first), Object(second), Value(turns)};
  const auto results = context->Call(*context->Lookup(function), args);
  std::string text = results.ok() ? absl::StrCat((*results)[0].i32())
                                  : results.status().ToString();
  for (const Value& value : args) {
    if (value.type() != ValueType::kRef || value.ref() == nullptr) continue;
    if (const auto* buffer = RefCast<Buffer>(value.ref())) {
      for (const uint8_t byte : buffer->bytes()) {
        absl::StrAppend(&text, " ", byte);
      }
    } else if (const auto* list = RefCast<List>(value.ref())) {
      absl::StrAppend(&text, " of ", list->size());
    }
  }
  return text;
}

TEST(Views, AgreeWithTheInterpreter) {
  const auto jit = *jit::Create(jit::Mode::kEager);
  for (const char* function :
       {"sums", "reads", "grows", "calls", "again", "swaps", "drops"}) {
    for (const char* first :
         {"buffer", "read-only", "list", "wide list", "null"}) {
      for (const char* second : {"buffer", "read-only", "list", "null"}) {
        for (const int32_t turns : {1, 2, 7, 10, 11, 39, 40, 41}) {
          SCOPED_TRACE(
              absl::StrCat(function, " ", first, " ", second, " ", turns));
          EXPECT_EQ(Call(jit, function, first, second, turns),
                    Call(nullptr, function, first, second, turns));
        }
      }
    }
  }
  EXPECT_EQ(Call(jit, "grows", "list", "null", 10).substr(0, 2), "55");
  EXPECT_EQ(Call(jit, "sums", "buffer", "null", 10).substr(0, 2), "37");
  EXPECT_EQ(Call(jit, "drops", "buffer", "null", 2).substr(0, 3), "18 ");
}

// Views are also read when a hot loop is entered in the middle.
TEST(Views, AreThereOnceALoopIsHot) {
  const auto jit = *jit::Create(jit::Mode::kLazy);
  for (const char* first : {"buffer", "read-only", "null"}) {
    SCOPED_TRACE(first);
    EXPECT_EQ(Call(jit, "drops", first, "buffer", 20000),
              Call(nullptr, "drops", first, "buffer", 20000));
  }
}

}  // namespace
}  // namespace eyrie::vm
