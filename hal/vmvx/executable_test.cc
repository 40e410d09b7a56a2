// Tests bytecode executables: loading, errors, the state that a workgroup sees,
// and limits.
#include "hal/vmvx/executable.h"

#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "base/deadline.h"
#include "base/memory_meter.h"
#include "base/work_budget.h"
#include "gtest/gtest.h"
#include "hal/buffer.h"
#include "hal/command_buffer.h"
#include "hal/cpu/device.h"
#include "hal/device.h"
#include "hal/driver.h"
#include "hal/fence.h"
#include "hal/vmvx/testing/executable_fixture.h"

namespace eyrie::hal::vmvx {
namespace {

TEST(VmvxExecutableTest, LoadsOrSaysWhyNot) {
  const std::string kReturn = "  vm.return\n";
  const struct {
    std::string text;
    const char* want;
  } kCases[] = {
      {Module(kReturn, {}), "OK"},
      {Module(kReturn,
              {"binding_count=64", "constant_count=64", "local_memory=65536"}),
       "OK"},
      {Module(kReturn, {"binding_count=65"}),
       "INVALID_ARGUMENT: The attribute binding_count of the executable's "
       "function 'run' is '65'; expected a number from 0 to 64. (in a VMVX "
       "executable)"},
      {Module(kReturn, {"constant_count=-1"}), "INVALID_ARGUMENT"},
      {Module(kReturn, {"local_memory=99999999999999999999"}),
       "INVALID_ARGUMENT"},
      {Module(kReturn, {"binding_count="}), "INVALID_ARGUMENT"},
      {absl::StrCat(kHead, "vm.export @run\nvm.func @run(%i0: i32) -> () {\n",
                    "^bb0:\n  vm.return\n}\n"),
       "INVALID_ARGUMENT: The executable's function 'run' has the convention "
       "0i_v; 0rrriiiiiiiii_v is required. (in a VMVX executable)"},
      {Module(kReturn, {}, "vm.import @hal.fence.create cconv \"0rI_r\"\n"),
       "NOT_FOUND"},
      {Module(kReturn, {}, "vm.import @vmvx.fill.2d.x32 cconv \"0ir_v\"\n"),
       "UNIMPLEMENTED"},
      {absl::StrCat(kHead, "vm.export @__init\nvm.func @__init() -> () {\n",
                    "^bb0:\n  %i0 = vm.const.i32 3\n",
                    "  vm.fail %i0, \"not today\"\n}\n"),
       "INVALID_ARGUMENT: not today"},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(&c - kCases);
    const std::string got = Load(c.text).status().ToString();
    EXPECT_EQ(got.substr(0, std::string(c.want).size()), c.want);
  }
  const uint8_t bytes[] = {1, 2, 3};
  ExecutableParams damaged;
  damaged.data = bytes;
  EXPECT_EQ(CreateLoader()->Load(damaged).status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST(VmvxExecutableTest, SpecializationConstants) {
  const std::string text =
      absl::StrCat(kHead, R"(vm.global.i32 private mutable @width
vm.export @__set_constants
vm.export @run
vm.func @__set_constants(%r0: !vm.buffer) -> () {
^bb0:
  %i0:1 = vm.const.i64 1
  %i2 = vm.buffer.load.i32 %r0, %i0:1
  vm.global.store.i32 %i2, @width
  vm.return
}
//! func.attr "binding_count" = "1"
vm.func @run)",
                   kEntry, "^bb0:\n", kTakeFirst,
                   R"(  %i10:11 = vm.const.i64.zero
  %i12 = vm.global.load.i32 @width
  vm.buffer.store.i32 %i12, %r3, %i10:11
  vm.return
}
)");
  EXPECT_EQ(Load(text).status().code(), absl::StatusCode::kInvalidArgument);
  const uint32_t constants[] = {6, 7};
  ExecutableParams params;
  params.constants = constants;
  EXPECT_EQ(Load(Module("  vm.return\n", {}), params).status().ToString(),
            "INVALID_ARGUMENT: The executable takes no specialization "
            "constants; 2 are given. (in a VMVX executable)");
  const auto executable = Load(text, params);
  ASSERT_TRUE(executable.ok()) << executable.status();
  EXPECT_EQ((*executable)->exports().size(), 1u);
  EXPECT_EQ(Over({0}).Run(**executable, 0, 1), "7");
}

// Returns an export that writes a number to the first word.
std::string Writer(absl::string_view name, int number) {
  return absl::StrCat("vm.export @", name,
                      "\n//! func.attr \"binding_count\" = \"1\"\nvm.func @",
                      name, kEntry, "^bb0:\n", kTakeFirst,
                      "  %i10:11 = vm.const.i64.zero\n  %i12 = vm.const.i32 ",
                      number,
                      "\n  vm.buffer.store.i32 %i12, %r3, %i10:11\n"
                      "  vm.return\n}\n");
}
// Returns an export without arguments.
std::string Lifecycle(absl::string_view name) {
  return absl::StrCat("vm.export @", name, "\nvm.func @", name,
                      "() -> () {\n^bb0:\n  vm.return\n}\n");
}
constexpr char kSetConstants[] = R"(vm.export @__set_constants
vm.func @__set_constants(%r0: !vm.buffer) -> () {
^bb0:
  vm.return
}
)";

// The ordinals count all exports except those that the loader calls.
TEST(VmvxExecutableTest, OrdinalsCountKernelsWhateverTheirNames) {
  const struct {
    std::vector<std::string> exports;
    std::vector<uint32_t> constants;
    const char* want;
  } kCases[] = {
      {{Writer("first", 1), Writer("__builtin_splat_i64", 2),
        Writer("last", 3)},
       {},
       "first:1 __builtin_splat_i64:2 last:3"},
      {{Writer("__scale", 1), Writer("__init_0", 2), Writer("__deinited", 3),
        Writer("__set_constants_0", 4), Writer("__", 5)},
       {},
       "__scale:1 __init_0:2 __deinited:3 __set_constants_0:4 __:5"},
      {{kSetConstants, Writer("a", 1), Writer("__b", 2), Lifecycle("__init"),
        Lifecycle("__deinit"), Writer("c", 3)},
       {7},
       "a:1 __b:2 c:3"},
      {{Writer("a", 1), Lifecycle("__initial")},
       {},
       "INVALID_ARGUMENT: The executable's function '__initial' has the "
       "convention 0v_v; 0rrriiiiiiiii_v is required. (in a VMVX executable)"},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(&c - kCases);
    ExecutableParams params;
    params.constants = c.constants;
    const auto executable =
        Load(absl::StrCat(kHead, absl::StrJoin(c.exports, "")), params);
    if (!executable.ok()) {
      EXPECT_EQ(executable.status().ToString(), c.want);
      continue;
    }
    std::vector<std::string> got;
    for (uint32_t i = 0; i < (*executable)->exports().size(); ++i) {
      const absl::string_view name = (*executable)->exports()[i].name;
      EXPECT_EQ((*executable)->FindExport(name), i);
      got.push_back(
          absl::StrCat(name, ":", Over({0}).Run(**executable, 0, 1, {}, i)));
    }
    EXPECT_EQ(absl::StrJoin(got, " "), c.want);
  }
}

// Writes x + 10 y + 100 z to the word of each workgroup.
const char kPlaces[] = R"(  %i10 = vm.mul.i32 %i7, %i2
  %i10 = vm.add.i32 %i10, %i1
  %i10 = vm.mul.i32 %i10, %i6
  %i10 = vm.add.i32 %i10, %i0
  %i12:13 = vm.ext.i32.i64.u %i10
  %i14 = vm.const.i32 100
  %i15 = vm.mul.i32 %i2, %i14
  %i16 = vm.const.i32 10
  %i17 = vm.mul.i32 %i1, %i16
  %i15 = vm.add.i32 %i15, %i17
  %i15 = vm.add.i32 %i15, %i0
  vm.buffer.store.i32 %i15, %r3, %i12:13
  vm.return
)";

TEST(VmvxExecutableTest, WorkgroupsAreNumbered) {
  const auto executable =
      Load(Module(absl::StrCat(kTakeFirst, kPlaces), {"binding_count=1"}));
  ASSERT_TRUE(executable.ok()) << executable.status();
  const struct {
    uint64_t begin, end;
    const char* want;
  } kCases[] = {
      {0, 12, "0 1 2 10 11 12 100 101 102 110 111 112"},
      {4, 8, "-1 -1 -1 -1 11 12 100 101 -1 -1 -1 -1"},
      {5, 5, "-1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1"},
  };
  for (const auto& c : kCases) {
    EXPECT_EQ(Over(Words(12, -1)).Run(**executable, c.begin, c.end), c.want);
  }
  // A binding ends after its length.
  EXPECT_EQ(Over({0, 0}).Run(**executable, 0, 12).substr(0, 12),
            "OUT_OF_RANGE");
}

TEST(VmvxExecutableTest, RangesRunOnSeveralThreads) {
  const auto executable =
      Load(Module(absl::StrCat(kTakeFirst, kPlaces), {"binding_count=1"}));
  ASSERT_TRUE(executable.ok()) << executable.status();
  std::vector<std::string> results(8);
  std::vector<std::thread> threads;
  for (std::string& result : results) {
    threads.emplace_back([&] {
      for (int i = 0; i < 100; ++i) {
        result = Over(Words(12, -1)).Run(**executable, 0, 12);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::string& result : results) {
    EXPECT_EQ(result, "0 1 2 10 11 12 100 101 102 110 111 112");
  }
}

TEST(VmvxExecutableTest, ConstantsLocalMemoryAndSizes) {
  const std::string text =
      Module(absl::StrCat(kTakeFirst, R"(  %i10:11 = vm.const.i64 1
  %i12 = vm.buffer.load.i32 %r1, %i10:11
  %i14:15 = vm.const.i64.zero
  vm.buffer.store.i32 %i12, %r0, %i14:15
  %i13 = vm.buffer.load.i32 %r0, %i14:15
  vm.buffer.store.i32 %i13, %r3, %i14:15
  vm.buffer.store.i32 %i3, %r3, %i10:11
  %i16:17 = vm.const.i64 2
  vm.buffer.store.i32 %i5, %r3, %i16:17
  vm.return
)"),
             {"binding_count=1", "constant_count=2", "local_memory=16"});
  const auto executable = Load(text);
  ASSERT_TRUE(executable.ok()) << executable.status();
  const auto& kernels = static_cast<const cpu::KernelExecutable&>(**executable);
  EXPECT_EQ(kernels.local_memory_size(0), 16u);
  EXPECT_EQ(Over({0, 0, 0}, {5, 42})
                .Run(**executable, 0, 1, std::vector<uint8_t>(16)),
            "42 11 13");
  // Constants are read-only.
  const auto writes = Load(Module(R"(  %i10:11 = vm.const.i64.zero
  vm.buffer.store.i32 %i0, %r1, %i10:11
  vm.return
)",
                                  {"constant_count=1", "binding_count=1"}));
  ASSERT_TRUE(writes.ok()) << writes.status();
  EXPECT_EQ(Over({0}, {5}).Run(**writes, 0, 1).substr(0, 17),
            "PERMISSION_DENIED");
}

// Kernels of a queue cannot write to a buffer without write access.
TEST(VmvxExecutableTest, BuffersOfQueuesAreProtected) {
  const auto executable =
      Load(Module(absl::StrCat(kTakeFirst, kPlaces), {"binding_count=1"}));
  ASSERT_TRUE(executable.ok()) << executable.status();
  const Ref<hal::Device> device = cpu::CreateSyncDevice(DriverOptions());
  const struct {
    MemoryAccess access;
    std::string want;
    int32_t word;
  } kRows[] = {
      {memory_access::kAll, "OK", 0},
      {memory_access::kRead, "PERMISSION_DENIED", 5},
  };
  for (const auto& row : kRows) {
    alignas(64) int32_t words[16] = {5};
    BufferParams params;
    params.access = row.access;
    const auto buffer = device->allocator().ImportHost(
        params, {reinterpret_cast<uint8_t*>(words), sizeof(words)}, [] {});
    ASSERT_TRUE(buffer.ok()) << buffer.status();
    const auto commands = *device->CreateCommandBuffer(0, kAnyQueue, 0);
    const BufferRef bindings[] = {{*buffer, 0, 0, kWholeBuffer}};
    ASSERT_TRUE(
        commands->Dispatch(*executable, 0, {1, 1, 1}, {}, bindings).ok());
    ASSERT_TRUE(commands->Finalize().ok());
    const Ref<Semaphore> semaphore = *device->CreateSemaphore(0);
    const Ref<Fence> done = Fence::ForPoint(semaphore, 1);
    QueueFences fences;
    fences.signal = done.get();
    absl::Status status = device->QueueExecute(fences, commands, {});
    status.Update(done->Wait(Deadline::Never()));
    EXPECT_EQ(absl::StatusCodeToString(status.code()), row.want) << status;
    EXPECT_EQ(words[0], row.word);
  }
}

TEST(VmvxExecutableTest, WhatAKernelKeepsHasTheBytesOfTheDispatchOnly) {
  // The kernel keeps its first buffer. The next run writes the length of the
  // kept buffer, if any.
  const std::string text = Module(
      absl::StrCat(kTakeFirst, R"(  %r4 = vm.global.load.ref @kept : !vm.buffer
  vm.global.store.ref %r3, @kept : !vm.buffer
  %i10 = vm.cmp.nz.ref %r4
  vm.cond_br %i10, ^bb1(), ^bb2()
^bb1:
  %i12:13 = vm.buffer.length %r4
  %i14 = vm.trunc.i64.i32 %i12:13
  %i16:17 = vm.const.i64.zero
  vm.buffer.store.i32 %i14, %r3, %i16:17
  vm.return
^bb2:
  vm.return
)"),
      {"binding_count=1"},
      "vm.global.ref private mutable @kept : !vm.buffer\n");
  const auto executable = Load(text);
  ASSERT_TRUE(executable.ok()) << executable.status();
  EXPECT_EQ(Over({5, 5, 5}).Run(**executable, 0, 1), "5 5 5");
  EXPECT_EQ(Over({5, 5}).Run(**executable, 0, 1), "8 5");
}

TEST(VmvxExecutableTest, AChangedListIsWholeForTheNextRange) {
  const std::string text =
      Module(absl::StrCat(kTakeFirst, R"(  vm.list.resize %r2, %i9
  %i10:11 = vm.const.i64.zero
  %i12 = vm.const.i32 7
  vm.buffer.store.i32 %i12, %r3, %i10:11
  vm.return
)"),
             {"binding_count=1"});
  const auto executable = Load(text);
  ASSERT_TRUE(executable.ok()) << executable.status();
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(Over({5}).Run(**executable, 0, 1), "7");
  }
}

constexpr char kForEver[] = "  vm.br ^bb1()\n^bb1:\n  vm.br ^bb1()\n";
// Fills a row of one word, 2^40 times.
constexpr char kLongFill[] = R"(  %i10:11 = vm.const.i64.zero
  %i12:13 = vm.const.i64 1099511627776
  %i14:15 = vm.const.i64 1
  vm.call @vmvx.fill.2d.x32(%i9, %r3, %i10, %i10, %i12, %i14)
  vm.return
)";

TEST(VmvxExecutableTest, EndlessKernelsAreStopped) {
  for (const absl::string_view body : {kForEver, kLongFill}) {
    const std::string text =
        Module(absl::StrCat(kTakeFirst, body), {"binding_count=1"});
    ExecutableParams params;
    params.work = std::make_shared<WorkBudget>();
    const auto executable = Load(text, params);
    ASSERT_TRUE(executable.ok()) << executable.status();
    params.work->Refill(100000);
    const std::string spent = Over({5}).Run(**executable, 0, 1);
    EXPECT_EQ(spent.substr(0, 18), "RESOURCE_EXHAUSTED") << spent;
    params.work->Refill(WorkBudget::kUnlimited);
    std::thread stopper([&] {
      absl::SleepFor(absl::Milliseconds(20));
      params.work->Stop(absl::StatusCode::kDeadlineExceeded);
    });
    const std::string late = Over({5}).Run(**executable, 0, 1);
    stopper.join();
    EXPECT_EQ(late.substr(0, 17), "DEADLINE_EXCEEDED") << late;
  }
}

TEST(VmvxExecutableTest, FuelThatIsNotUsedIsGivenBack) {
  const std::string text =
      Module(absl::StrCat(kTakeFirst, kPlaces), {"binding_count=1"});
  ExecutableParams params;
  params.work = std::make_shared<WorkBudget>();
  const auto executable = Load(text, params);
  ASSERT_TRUE(executable.ok()) << executable.status();
  params.work->Refill(1000);
  for (int i = 0; i < 50; ++i) {
    EXPECT_EQ(Over(Words(12)).Run(**executable, 0, 12)[0], '0');
  }
  EXPECT_EQ(params.work->Take(1000), 1000 - 50 * 12);
}

TEST(VmvxExecutableTest, MemoryIsCounted) {
  const std::string text = Module(R"(  %i10:11 = vm.const.i64 1000000
  %i12 = vm.const.i32 16
  %r3 = vm.buffer.alloc %i10:11, %i12
  vm.return
)",
                                  {"binding_count=1"});
  const struct {
    uint64_t limit;
    bool runs;
  } kCases[] = {{2000000, true}, {900000, false}};
  for (const auto& c : kCases) {
    ExecutableParams params;
    params.memory = std::make_shared<MemoryMeter>(c.limit);
    auto executable = Load(text, params);
    ASSERT_TRUE(executable.ok()) << executable.status();
    const std::string got = Over({5}).Run(**executable, 0, 1);
    EXPECT_EQ(got.substr(0, 18), c.runs ? "5" : "RESOURCE_EXHAUSTED");
    executable = absl::CancelledError("");
    EXPECT_EQ(params.memory->in_use(), 0u);
  }
}

// Releases before 20240828 do not declare counts.
TEST(VmvxExecutableTest, DescribesDeclaredCounts) {
  const auto describe = [](const std::vector<std::string>& attributes) {
    const auto bytes =
        *vm::Assemble(Module("  vm.return\n", attributes), "kernels.vmasm");
    return CreateLoader()->Describe(bytes)->kernels[0];
  };
  EXPECT_EQ(describe({"binding_count=3"}).binding_count, 3u);
  EXPECT_EQ(describe({"binding_count=3"}).constant_count, 0u);
  EXPECT_EQ(describe({}).binding_count, std::nullopt);
  EXPECT_EQ(describe({}).constant_count, std::nullopt);
}

}  // namespace
}  // namespace eyrie::hal::vmvx
