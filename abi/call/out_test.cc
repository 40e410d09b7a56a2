// Tests calls whose results go into the caller's memory.
#include <array>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "abi/call/invoker.h"
#include "abi/call/result_memory.h"
#include "abi/call/session.h"
#include "abi/value/out_arrays.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "tests/support/json_text.h"
#include "tests/support/sessions.h"
#include "tests/support/status_text.h"
#include "vm/asm/assembler.h"
#include "vm/asm/disassembler.h"
#include "vm/module/verifier.h"

namespace eyrie::abi {
namespace {

using hal::ElementType;
using ArrayPtr = std::shared_ptr<const HostArray>;

struct alignas(64) Memory {
  std::array<float, 32> floats = {};

  // Returns an array over the floats from `first` on.
  ArrayPtr At(size_t first, std::vector<int64_t> shape,
              std::vector<int64_t> strides = {},
              ElementType type = ElementType::kFloat32) {
    size_t size = 1;
    for (const int64_t dimension : shape) size *= dimension;
    const std::span<const uint8_t> bytes(
        reinterpret_cast<const uint8_t*>(floats.data()), sizeof(floats));
    const size_t start = first * sizeof(float);
    return *HostArray::Borrow(
        type, shape, strides,
        strides.empty() ? bytes.subspan(start, size * sizeof(float)) : bytes,
        strides.empty() ? 0 : start);
  }
};

ArrayPtr Floats(std::vector<float> numbers) {
  const int64_t shape[] = {static_cast<int64_t>(numbers.size())};
  return *HostArray::Copy(ElementType::kFloat32, shape,
                          {reinterpret_cast<const uint8_t*>(numbers.data()),
                           numbers.size() * sizeof(float)});
}

Invoker Find(Session& session, absl::string_view function) {
  return *Invoker::Create(session, *session.Lookup(function));
}

absl::Status CallOut(Invoker& invoker, const std::vector<HostValue>& values,
                     const std::vector<HostValue>& outs,
                     std::vector<HostValue>& results) {
  std::vector<const HostValue*> given;
  for (const HostValue& value : values) given.push_back(&value);
  std::vector<const HostValue*> targets;
  for (const HostValue& out : outs) {
    targets.push_back(out.array() != nullptr || !out.is(HostValue::Kind::kNull)
                          ? &out
                          : nullptr);
  }
  return invoker.Call({.values = given, .outs = targets}, results);
}

TEST(Out, StorageOrCopies) {
  const HostValue a(Floats({1, 2, 3, 4}));
  const HostValue b(Floats({10, 20, 30, 40}));
  const struct {
    const char* file;
    const char* function;
    size_t first;
    std::vector<int64_t> strides;
    uint32_t copied;  // beyond the two arguments
  } kRows[] = {
      {"add.vmfb", "add", 0, {}, 1},
      {"add.async.vmfb", "add", 0, {}, 1},
      {"add.vmfb", "add", 1, {}, 1},
      {"add.vmfb", "add", 4, {8}, 1},
      {"add.vmfb", "add", 20, {-12}, 1},
      {"destination.vmfb", "add_into", 0, {}, 0},
      {"destination.async.vmfb", "add_into", 0, {}, 0},
      {"destination.vmfb", "add_into", 16, {}, 0},
      {"destination.vmfb", "add_into", 1, {}, 1},   // not aligned
      {"destination.vmfb", "add_into", 0, {8}, 1},  // not dense
      {"destination.vmfb", "add_into", 30, {-8}, 1},
  };
  for (const char* release : {"3.3", "3.13"}) {
    for (const auto& row : kRows) {
      SCOPED_TRACE(absl::StrCat(release, "/", row.file, " at ", row.first));
      auto session = tests::OpenSession(absl::StrCat(release, "/", row.file));
      Invoker invoker = Find(*session, row.function);
      Memory memory;
      const HostValue out(memory.At(row.first, {4}, row.strides));
      std::vector<HostValue> results;
      for (int call = 0; call < 3; ++call) {
        memory.floats.fill(0);
        ASSERT_EQ(StatusText(CallOut(invoker, {a, b}, {out}, results)), "OK");
        EXPECT_EQ(tests::JsonText(out), "[11.0, 22.0, 33.0, 44.0]");
        ASSERT_EQ(results.size(), 1u);
        EXPECT_EQ(results[0].array(), out.array());
        EXPECT_EQ(invoker.statistics().copied, 2 + row.copied);
        // Nothing else is written to.
        float sum = 0;
        for (const float number : memory.floats) sum += number;
        EXPECT_EQ(sum, 110);
      }
    }
  }
}

// Memory of an allocator holds whole results, not slots of one.
TEST(Out, ResultsInSlotsHaveNoStorage) {
  class Heap final : public hal::HostMemory {
    void* Allocate(size_t size, size_t alignment) override {
      return std::aligned_alloc(alignment, (size + 63) / 64 * 64);
    }
    void Free(void* memory, size_t) override { std::free(memory); }
  };
  const auto declared = vm::LoadModule("tests/modules/3.13/destination.vmfb");
  ASSERT_EQ(StatusText(declared), "OK");
  const std::string text = absl::StrReplaceAll(*vm::Disassemble(**declared),
                                               {{"vm.export @add_into\n",
                                                 R"(vm.export @add_into
//! func.attr "iree.abi" = e"{\"r\":[[\"stuple\",[\"ndarray\",\"f32\",1,4]]]}"
)"}});
  const auto bytes = vm::Assemble(text, "destination.vmasm");
  ASSERT_EQ(StatusText(bytes), "OK");
  const auto program = LoadProgram(*bytes, "destination.vmfb");
  ASSERT_EQ(StatusText(program), "OK");
  auto session = Session::Create(
      {*program}, *OpenDevices({}, hal::DriverOptions()), SessionOptions());
  ASSERT_EQ(StatusText(session), "OK");
  Invoker invoker = Find(**session, "add_into");
  const HostValue a(Floats({1, 2, 3, 4}));
  const HostValue* const given[] = {&a, &a};
  const ResultMemory memory(std::make_shared<Heap>(), nullptr);
  std::vector<HostValue> results;
  ASSERT_EQ(
      StatusText(invoker.Call({.values = given, .memory = &memory}, results)),
      "OK");
  ASSERT_EQ(results.size(), 1u);
  EXPECT_EQ(tests::JsonText(results[0]), "[[2.0, 4.0, 6.0, 8.0]]");
}

// Memory of the last result takes the next one.
TEST(Out, TensorsOfDevices) {
  for (const char* file : {"3.13/add.vmfb", "3.13/destination.vmfb"}) {
    auto session = tests::OpenSession(file);
    Invoker invoker = Find(*session, absl::string_view(file).find("add.") !=
                                             absl::string_view::npos
                                         ? "add"
                                         : "add_into");
    const HostValue a(Floats({1, 2, 3, 4}));
    std::vector<HostValue> results;
    ASSERT_EQ(StatusText(CallOut(invoker, {a, a}, {}, results)), "OK");
    const HostValue out = results[0];
    // The argument is the memory of the result, lent or copied.
    ASSERT_EQ(StatusText(CallOut(invoker, {out, a}, {out}, results)), "OK");
    EXPECT_EQ(tests::JsonText(out), "[3.0, 6.0, 9.0, 12.0]");
    const HostValue lent(out.array()->Lent());
    ASSERT_EQ(StatusText(CallOut(invoker, {lent, a}, {out}, results)), "OK");
    EXPECT_EQ(tests::JsonText(out), "[4.0, 8.0, 12.0, 16.0]");
    EXPECT_EQ(results[0].array()->data(), out.array()->data());
  }
}

// A result that shares the memory of an argument is copied like any other.
TEST(Out, ResultsThatAreArguments) {
  auto session = tests::OpenSession("3.13/sharing.vmfb");
  Invoker same = Find(*session, "same");
  Memory memory;
  for (size_t i = 0; i < 8; ++i) memory.floats[i] = static_cast<float>(i);
  const HostValue x(memory.At(0, {4})->Lent());
  std::vector<HostValue> results;
  ASSERT_EQ(
      StatusText(CallOut(same, {x}, {HostValue(memory.At(2, {4}))}, results)),
      "OK");
  EXPECT_EQ(tests::JsonText(HostValue(memory.At(0, {8}))),
            "[0.0, 1.0, 0.0, 1.0, 2.0, 3.0, 6.0, 7.0]");
  ASSERT_EQ(StatusText(CallOut(same, {x}, {HostValue(memory.At(3, {4}, {-4}))},
                               results)),
            "OK");
  EXPECT_EQ(tests::JsonText(x), "[1.0, 0.0, 1.0, 0.0]");
}

// Both results are the argument, which the first array overlaps.
TEST(Out, ResultsInArraysOfOthers) {
  auto session = tests::OpenSession("3.13/sharing.vmfb");
  Invoker twice = Find(*session, "twice");
  for (const std::vector<int64_t>& strides :
       std::vector<std::vector<int64_t>>{{}, {-4}, {8}}) {
    SCOPED_TRACE(strides.empty() ? 0 : strides[0]);
    Memory memory;
    for (size_t i = 0; i < 4; ++i) memory.floats[i] = static_cast<float>(i);
    const HostValue x(memory.At(0, {4})->Lent());
    const HostValue first(memory.At(3, {4}, strides));
    const HostValue second(memory.At(16, {4}));
    std::vector<HostValue> results;
    ASSERT_EQ(StatusText(CallOut(twice, {x}, {first, second}, results)), "OK");
    EXPECT_EQ(tests::JsonText(first), "[0.0, 1.0, 2.0, 3.0]");
    EXPECT_EQ(tests::JsonText(second), "[0.0, 1.0, 2.0, 3.0]");
  }
}

TEST(Out, SeveralResults) {
  auto session = tests::OpenSession("3.13/results.vmfb");
  Invoker two = Find(*session, "two_tensors");
  const HostValue x(Floats({1, 2, 3}));
  Memory memory;
  const HostValue first(memory.At(0, {3}));
  const HostValue second(memory.At(3, {3}));
  std::vector<HostValue> results;
  ASSERT_EQ(StatusText(CallOut(two, {x}, {first, second}, results)), "OK");
  EXPECT_EQ(tests::JsonText(HostValue(memory.At(0, {7}))),
            "[2.0, 4.0, 6.0, 1.0, 4.0, 9.0, 0.0]");
  ASSERT_EQ(StatusText(CallOut(two, {x}, {HostValue(), first}, results)), "OK");
  EXPECT_EQ(tests::JsonText(first), "[1.0, 4.0, 9.0]");
  EXPECT_EQ(tests::JsonText(results[0]), "[2.0, 4.0, 6.0]");
  EXPECT_NE(results[0].array()->data(), first.array()->data());
}

TEST(Out, ErrorsBeforeTheCall) {
  auto session = tests::OpenSession("3.13/results.vmfb");
  Memory memory;
  const HostValue x(Floats({1, 2, 3}));
  const HostValue good(memory.At(0, {3}));
  const struct {
    std::vector<HostValue> outs;
    const char* want;
  } kRows[] = {
      {{good, good, good},
       "Function 'two_tensors' has 2 results; arrays for 3 are given."},
      {{HostValue(1.5)},
       "Result 0: the float 1.5 is given as its memory; an array is "
       "expected."},
      {{HostValue(), HostValue(memory.At(0, {4}))},
       "Result 1: the array 4xf32 is given as its memory; dimension 0 is 4, "
       "expected 3 (3xf32)."},
      {{HostValue(memory.At(0, {3, 1}))},
       "Result 0: the array 3x1xf32 is given as its memory; the rank is 2, "
       "expected 1 (3xf32)."},
      {{HostValue(memory.At(0, {3}, {}, ElementType::kInt32))},
       "Result 0: the array 3xi32 is given as its memory; 3xf32 is expected, "
       "and results are not converted."},
      {{HostValue(good.array()->ReadOnly())},
       "Result 0: a read-only array cannot receive a result."},
      {{HostValue(memory.At(0, {3}, {0}))},
       "Result 0: an array whose elements share memory cannot receive a "
       "result."},
      {{HostValue(memory.At(0, {3}, {2}))},
       "Result 0: an array whose elements share memory cannot receive a "
       "result."},
      {{good, HostValue(memory.At(2, {3}))},
       "Result 1: the array that is given as its memory overlaps the one of "
       "result 0."},
  };
  for (const auto& row : kRows) {
    Invoker two = Find(*session, "two_tensors");
    std::vector<HostValue> results(1, HostValue(7.0));
    EXPECT_EQ(StatusText(CallOut(two, {x}, row.outs, results)),
              absl::StrCat("INVALID_ARGUMENT: ", row.want));
    EXPECT_EQ(tests::JsonText(results[0]), "7.0");
    for (const float number : memory.floats) EXPECT_EQ(number, 0);
  }
  auto scalars = tests::OpenSession("3.13/scalars.vmfb");
  Invoker pass = Find(*scalars, "pass_i32");
  std::vector<HostValue> results;
  EXPECT_EQ(StatusText(CallOut(pass, {HostValue(1)}, {good}, results)),
            "INVALID_ARGUMENT: Result 0: it is i32; only arrays are written to "
            "memory.");
}

// A dimension that the signature leaves open is known after the call.
TEST(Out, DynamicShapes) {
  auto session = tests::OpenSession("3.13/shapes.vmfb");
  Invoker twice = Find(*session, "double");
  Memory memory;
  const HostValue x(Floats({1, 2, 3}));
  std::vector<HostValue> results;
  ASSERT_EQ(
      StatusText(CallOut(twice, {x}, {HostValue(memory.At(0, {3}))}, results)),
      "OK");
  EXPECT_EQ(tests::JsonText(results[0]), "[2.0, 4.0, 6.0]");
  EXPECT_EQ(
      StatusText(CallOut(twice, {x}, {HostValue(memory.At(0, {4}))}, results)),
      "INVALID_ARGUMENT: Result 0: an array 3xf32 is returned; the array given "
      "as its memory is 4xf32.");
  // Storage may have any shape, too, and may then be left out.
  auto into = tests::OpenSession("3.13/destination.vmfb");
  Invoker square = Find(*into, "dynamic_into");
  std::array<int32_t, 3> numbers = {1, 2, 3};
  const int64_t shape[] = {3};
  const HostValue integers(
      *HostArray::Copy(ElementType::kInt32, shape,
                       {reinterpret_cast<const uint8_t*>(numbers.data()), 12}));
  const HostValue out(memory.At(0, {3}, {}, ElementType::kInt32));
  ASSERT_EQ(StatusText(CallOut(square, {integers}, {out}, results)), "OK");
  EXPECT_EQ(tests::JsonText(out), "[1, 4, 9]");
  EXPECT_EQ(square.statistics().copied, 1u);
}

TEST(Out, Overlaps) {
  Memory memory;
  const auto row = [&memory](size_t first, std::vector<int64_t> shape,
                             std::vector<int64_t> strides) {
    return memory.At(first, std::move(shape), std::move(strides));
  };
  const struct {
    ArrayPtr a, b;
    bool want;
  } kRows[] = {
      {row(0, {4}, {}), row(4, {4}, {}), false},
      {row(0, {4}, {}), row(3, {4}, {}), true},
      {row(0, {0}, {}), row(0, {4}, {}), false},
      {row(0, {4}, {8}), row(1, {4}, {8}), false},  // every second one
      {row(0, {4}, {8}), row(2, {4}, {8}), true},
      {row(7, {4}, {-8}), row(0, {4}, {8}), false},  // one of them reversed
      {row(6, {4}, {-8}), row(0, {4}, {8}), true},
      {row(0, {4, 2}, {16, 4}), row(2, {4, 2}, {16, 4}), false},  // columns
      {row(0, {4, 2}, {16, 4}), row(1, {4, 2}, {16, 4}), true},
      {row(0, {4, 3}, {16, 4}), row(3, {4}, {16}), false},
      {row(0, {4}, {}), row(2, {4}, {16}), true},
  };
  for (const auto& each : kRows) {
    EXPECT_EQ(MayOverlap(*each.a, *each.b), each.want);
    EXPECT_EQ(MayOverlap(*each.b, *each.a), each.want);
  }
}

}  // namespace
}  // namespace eyrie::abi
