// Tests limits of bytecode executables. Microkernels pay fuel for the elements
// they write, and stop between pieces. Decoded executables count as memory.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/memory_meter.h"
#include "base/work_budget.h"
#include "gtest/gtest.h"
#include "hal/vmvx/testing/executable_fixture.h"

namespace eyrie::hal::vmvx {
namespace {

constexpr int64_t kEver = int64_t{1} << 40;
constexpr int kWords = 1 << 20;  // of the binding
constexpr int64_t kFuel = 8192;

// Returns a kernel that calls an import. All its buffers are the binding; its
// numbers are `numbers`, in order.
std::string Caller(absl::string_view import, absl::string_view convention,
                   const std::vector<int64_t>& numbers) {
  const size_t end = convention.find('_');
  std::string body(kTakeFirst);
  std::string operands;
  size_t next = 0;
  for (size_t i = 1; i < end; ++i) {
    absl::StrAppend(&operands, i == 1 ? "" : ", ");
    if (convention[i] == 'r') {
      absl::StrAppend(&operands, "%r3");
      continue;
    }
    const size_t reg = 10 + 2 * next;
    const bool wide = convention[i] == 'I';
    const int64_t number = numbers[next++];
    absl::StrAppend(&body, "  %i", reg, wide ? absl::StrCat(":", reg + 1) : "",
                    " = vm.const.", wide ? "i64" : "i32",
                    number == 0 ? ".zero" : "");
    if (number != 0) absl::StrAppend(&body, " ", number);
    absl::StrAppend(&body, "\n");
    absl::StrAppend(&operands, "%i", reg);
  }
  absl::StrAppend(&body, "  vm.call @vmvx.", import, "(", operands,
                  ")\n  vm.return\n");
  // kHead already declares the fill.
  return Module(body, {"binding_count=1"},
                import == "fill.2d.x32"
                    ? ""
                    : absl::StrCat("vm.import @vmvx.", import, " cconv \"",
                                   convention, "\"\n"));
}

// Each call would write the whole binding, or run almost forever. With little
// fuel, it ends early, after at most `most` words.
TEST(VmvxLimitsTest, MicrokernelsPayForWhatTheyWrite) {
  const char* const kUnary = "0rIIIrIIIII_v";
  const char* const kBinary = "0rIIIrIIIrIIIII_v";
  const char* const kMmt4d = "0rIIrIIrIIIIIiiii_v";
  const char* const kPack = "0rIIIrIIIIIIIIIIi_v";
  const char* const kUnpack = "0rIIIrIIIIIIIIIi_v";
  constexpr int64_t kNear = kFuel * 8 + (1 << 15);
  constexpr int64_t kFar = kFuel + (1 << 13);
  constexpr int64_t kF32 = 1, kI32 = 3;
  const struct {
    const char* import;
    const char* convention;
    std::vector<int64_t> numbers;
    int64_t most;
  } kCases[] = {
      {"fill.2d.x32", "0irIIII_v", {7, 0, 0, 1, kWords}, kNear},
      {"fill.2d.x32", "0irIIII_v", {7, 0, 1024, 1024, 1024}, kNear},
      {"fill.2d.x32", "0irIIII_v", {7, 0, 0, kEver, 1}, 1},
      // Copies the first element to all; copies elements that are far apart.
      {"copy.2d.x32", kUnary, {0, 0, 0, 0, kWords, 1, 1, kWords}, kNear},
      {"copy.2d.x32", kUnary, {0, 0, 0, 0, 1, 1024, 1024, 1024}, kFar},
      {"copy.2d.x8", kUnary, {0, 0, 0, 0, 0, 0, 1, kEver}, 1},
      {"copy.2d.x64", kUnary, {0, 0, 0, 0, 0, 0, kEver, 1}, 1},
      {"exp.2d.f32", kUnary, {0, 0, 0, 0, 0, 0, kEver, kEver >> 20}, 1},
      {"add.2d.i32", kBinary, {0, 0, 0, 0, 0, 0, 0, 0, 0, 1, kEver}, 1},
      {"sub.2d.i32", kBinary, {0, 0, 0, 0, 0, 0, 0, 1, 1024, 1024, 1024}, kFar},
      // Tiles without depth, in both ways; the largest tiles; endless rows.
      {"mmt4d",
       kMmt4d,
       {0, 0, 0, 0, 0, 0, 1, 1, 0, 1024, 1024, 1, kF32},
       kNear},
      {"mmt4d",
       kMmt4d,
       {0, 0, 0, 0, 0, 0, 1, 1, kEver, 1024, 1024, 0, kF32},
       kNear},
      {"mmt4d",
       kMmt4d,
       {0, 0, 0, 0, 0, 0, 1, 1, 1, 1024, 1024, 1024, kF32},
       kNear},
      {"mmt4d", kMmt4d, {0, 0, 0, 0, 0, 0, kEver, 1, 0, 1, 1, 1, kF32}, 1},
      {"mmt4d", kMmt4d, {0, 0, 0, 0, 0, 0, kEver, 1, kEver, 1, 1, 0, kF32}, 1},
      // A tile of padding; a tile of a matrix, in both orders; endless tiles.
      {"pack",
       kPack,
       {0, 0, 0, 0, kWords, kWords, 0, 0, 1, 1, 1024, 1024, 7, kI32},
       kNear},
      {"pack",
       kPack,
       {0, 0, 0, 0, kWords, kWords, 1024, 1024, 1, 1, 1024, 1024, 7, kI32},
       kNear},
      {"pack",
       kPack,
       {0, 0, 0, 0, kWords, kWords, 1024, 1024, 1, 1, 1024, 1024, 7,
        kI32 | 0x100},
       kNear},
      {"pack", kPack, {0, 0, 0, 0, 0, 1, 1, 1, kEver, 1, 1, 1, 7, kI32}, 1},
      {"unpack",
       kUnpack,
       {0, kWords, kWords, 0, 1024, 1, 1, 1, 1024, 1024, 1024, 1024, kI32},
       kNear},
      {"unpack", kUnpack, {0, 0, 1, 0, 0, 0, kEver, 1, 1, 1, 1, 1, kI32}, 1},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(absl::StrCat(c.import, " row ", &c - kCases));
    ExecutableParams params;
    params.work = std::make_shared<WorkBudget>();
    const auto executable =
        Load(Caller(c.import, c.convention, c.numbers), params);
    ASSERT_TRUE(executable.ok()) << executable.status();
    // Every kernel changes these words.
    Words words(kWords);
    for (int i = 0; i < kWords; ++i) words[i] = 1 + i % 5;
    Dispatch dispatch = Over(words);
    params.work->Refill(kFuel);
    EXPECT_EQ(dispatch.Run(**executable, 0, 1).substr(0, 18),
              "RESOURCE_EXHAUSTED");
    int64_t written = 0;
    for (int i = 0; i < kWords; ++i) {
      written += words[i] != dispatch.binding()[i];
    }
    EXPECT_LE(written, c.most);
  }
}

// Returns the text of an executable with `count` kernels.
std::string ManyKernels(int count) {
  std::string text(kHead);
  for (int i = 0; i < count; ++i) {
    absl::StrAppend(&text, "vm.export @k", i, "\nvm.func @k", i, kEntry,
                    "^bb0:\n  vm.return\n}\n");
  }
  return text;
}

TEST(VmvxLimitsTest, ExecutablesCountAsWhatTheyBecome) {
  const auto bytes = vm::Assemble(ManyKernels(500), "kernels.vmasm");
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  const auto load = [&](uint64_t limit, uint64_t& in_use) {
    ExecutableParams params;
    params.format = kFormat;
    params.data = *bytes;
    params.memory = std::make_shared<MemoryMeter>(limit);
    auto executable = CreateLoader()->Load(params);
    in_use = params.memory->in_use();
    const std::string code =
        absl::StatusCodeToString(executable.status().code());
    executable = absl::CancelledError("");
    EXPECT_EQ(params.memory->in_use(), 0u);
    return code;
  };
  const struct {
    uint64_t times;  // the limit, as a multiple of the file's size
    const char* want;
  } kCases[] = {
      {1, "RESOURCE_EXHAUSTED"}, {20, "RESOURCE_EXHAUSTED"}, {100, "OK"}};
  for (const auto& c : kCases) {
    uint64_t in_use;
    EXPECT_EQ(load(c.times * bytes->size(), in_use), c.want) << c.times;
    if (c.times != 100) continue;
    EXPECT_GT(in_use, 5 * bytes->size());
    EXPECT_LT(in_use, 60 * bytes->size());
  }
}

}  // namespace
}  // namespace eyrie::hal::vmvx
