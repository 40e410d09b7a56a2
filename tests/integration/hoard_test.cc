// Modules that collect objects of one kind in a list. The memory limit ends
// each, and the heap's growth does not exceed the counted memory.
#include <malloc.h>

#include <cstdint>
#include <string>
#include <vector>

#include "abi/call/session.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gtest/gtest.h"
#include "vm/asm/assembler.h"

namespace eyrie::tests {
namespace {

constexpr uint64_t kLimit = uint64_t{8} << 20;
// Overhead of the heap, and memory of the session.
constexpr uint64_t kSlack = kLimit / 4;

// Repeats `make` without end. Each time %r4 is a slot of the list. %r1 is a
// device, %r2 its allocator, %r3 a device buffer, %r6 commands, %r7 a VM
// buffer, %r8 null, %r9 a fence that is never signalled; %i1 is 1, %i2 and
// %i10:11 are 0, %i4:5 is -1, %i6:7 is 1, %i14:15 is 4.
std::string Hoarder(absl::string_view make) {
  return absl::StrCat(R"(vm.module @hoard version 0
//! depends @hal version 7
vm.type i32
vm.type i64
vm.type !hal.allocator
vm.type !hal.buffer
vm.type !hal.buffer_view
vm.type !hal.command_buffer
vm.type !hal.device
vm.type !hal.fence
vm.type !hal.file
vm.type !vm.buffer
vm.type !vm.opaque
vm.type !vm.list<!vm.opaque>
vm.import @hal.ex.file.from_memory cconv "0rIirIIi_r"
vm.import @hal.allocator.allocate cconv "0rIiiI_r"
vm.import @hal.buffer_view.create cconv "0rIIiiCID_r"
vm.import @hal.device.allocator cconv "0r_r"
vm.import @hal.device.queue.alloca cconv "0rIrrIiiII_r"
vm.import @hal.device.queue.barrier cconv "0rIrrI_v"
vm.import @hal.devices.get cconv "0i_r"
vm.import @hal.fence.create cconv "0rI_r"
vm.import @hal.fence.join cconv "0ICrD_r"
vm.import @hal.buffer.subspan cconv "0rII_r"
vm.import @hal.command_buffer.create cconv "0riiIi_r"
vm.import @hal.command_buffer.execution_barrier cconv "0riiI_v"
vm.import @hal.command_buffer.fill_buffer cconv "0rrIIiIiI_v"
vm.global.ref private mutable @kept : !vm.list<!vm.opaque>

vm.export @run
vm.func @run() -> () {
^bb0:
  %i0 = vm.const.i32 10
  %i1 = vm.const.i32 1
  %i2 = vm.const.i32.zero
  %i3 = vm.const.i32.zero
  %i4:5 = vm.const.i64 -1
  %i6:7 = vm.const.i64 1
  %i8 = vm.const.i32 48
  %i9 = vm.const.i32 3075
  %i10:11 = vm.const.i64.zero
  %i12 = vm.const.i32 16
  %i13 = vm.const.i32 553648160
  %i14:15 = vm.const.i64 4
  %r0 = vm.list.alloc %i0 : !vm.list<!vm.opaque>
  vm.global.store.ref %r0, @kept : !vm.list<!vm.opaque>
  %r1 = vm.call @hal.devices.get(%i2)
  %r2 = vm.call @hal.device.allocator(%r1)
  %r3 = vm.call @hal.allocator.allocate(%r2, %i4, %i8, %i9, %i14)
  %r6 = vm.call @hal.command_buffer.create(%r1, %i2, %i1, %i4, %i2)
  %r7 = vm.buffer.alloc %i6:7, %i12
  %r8 = vm.const.ref.zero
  %r9 = vm.call @hal.fence.create(%r1, %i10)
  %r4 = vm.const.ref.zero
  vm.br ^bb1()
^bb1:
  )",
                      make, R"(
  %i16 = vm.add.i32 %i3, %i1
  vm.list.resize %r0, %i16
  vm.list.set.ref %r0, %i3, %R4
  vm.br ^bb1(%i16->%i3)
}
)");
}

TEST(Hoard, IsEndedWithinWhatIsCounted) {
  const std::string many = absl::StrJoin(
      std::vector<int>(60, 0), ", ",
      [](std::string* text, int) { absl::StrAppend(text, "%i6"); });
  std::string barriers;
  for (int i = 0; i < 33; ++i) {
    barriers +=
        "\n  vm.call @hal.command_buffer.execution_barrier"
        "(%r4, %i1, %i1, %i10)";
  }
  const std::string rows[] = {
      "%r4 = vm.list.alloc %i2 : !vm.list<!vm.opaque>",
      "%r4 = vm.list.alloc %i1 : !vm.list<!vm.opaque>",
      "%r4 = vm.buffer.alloc %i10:11, %i12",
      "%r4 = vm.buffer.alloc %i6:7, %i12",
      "%r4 = vm.buffer.clone %r7, %i10:11, %i6:7, %i12",
      "%r4 = vm.call @hal.allocator.allocate(%r2, %i4, %i8, %i9, %i10)",
      "%r4 = vm.call @hal.allocator.allocate(%r2, %i4, %i8, %i9, %i6)",
      ("%r4 = vm.call @hal.device.queue.alloca"
       "(%r1, %i4, %r8, %r8, %i10, %i8, %i9, %i6, %i10)"),
      ("%r4 = vm.call @hal.device.queue.alloca"
       "(%r1, %i4, %r9, %r8, %i10, %i8, %i9, %i6, %i10)"),
      "vm.call @hal.device.queue.barrier(%r1, %i4, %r9, %r8, %i10)",
      "%r4 = vm.call @hal.buffer.subspan(%r3, %i6, %i6)",
      ("%r4 = vm.call.variadic @hal.buffer_view.create "
       "segments[1, 1, 1, 1, 1, 1](%r3, %i10, %i14, %i13, %i1, %i6)"),
      absl::StrCat("%r4 = vm.call.variadic @hal.buffer_view.create "
                   "segments[1, 1, 1, 1, 1, 60](%r3, %i10, %i14, %i13, %i1, ",
                   many, ")"),
      "%r4 = vm.call @hal.command_buffer.create(%r1, %i2, %i1, %i4, %i2)",
      "vm.call @hal.command_buffer.execution_barrier(%r6, %i1, %i1, %i10)",
      // More commands than fit in the first allocation.
      absl::StrCat("%r4 = vm.call @hal.command_buffer.create"
                   "(%r1, %i2, %i1, %i4, %i2)",
                   barriers),
      ("vm.call @hal.command_buffer.fill_buffer"
       "(%r6, %r3, %i10, %i14, %i2, %i6, %i1, %i10)"),
      "%r4 = vm.call @hal.fence.create(%r1, %i10)",
      "%r4 = vm.call.variadic @hal.fence.join segments[1, 2](%i10, %r9, %r4)",
      ("%r4 = vm.call @hal.ex.file.from_memory"
       "(%r1, %i4, %i1, %r7, %i10, %i6, %i2)"),
  };
  for (const std::string& row : rows) {
    SCOPED_TRACE(row);
    const auto bytes = vm::Assemble(Hoarder(row), "hoard.vmasm");
    ASSERT_TRUE(bytes.ok()) << bytes.status();
    const auto program = abi::LoadProgram(*bytes, "hoard");
    ASSERT_TRUE(program.ok()) << program.status();
    abi::SessionOptions options;
    options.limits.max_memory = kLimit;
    options.limits.fuel = 10'000'000;
    auto session =
        abi::Session::Create({*program}, *abi::OpenDevices({}, {}), options);
    ASSERT_TRUE(session.ok()) << session.status();
    auto callable = (*session)->Lookup("run");
    ASSERT_TRUE(callable.ok()) << callable.status();
    const size_t before = mallinfo2().uordblks;
    const auto results = callable->Call({});
    const size_t after = mallinfo2().uordblks;
    EXPECT_EQ(results.status().code(), absl::StatusCode::kResourceExhausted)
        << results.status();
    EXPECT_NE(results.status().message().find("memory limit"),
              absl::string_view::npos)
        << results.status();
    EXPECT_LE(after, before + kLimit + kSlack);
  }
}

}  // namespace
}  // namespace eyrie::tests
