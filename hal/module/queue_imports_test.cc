// Tests imports of the `hal` module on command buffers, queues, files and
// executables.
#include <cstdint>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "hal/host_semaphore.h"
#include "hal/module/testing/hal_module_fixture.h"

namespace eyrie::hal {
namespace {

TEST_F(HalModuleTest, Recording) {
  const Ref<vm::Buffer> host = *vm::Buffer::Copy(std::vector<uint8_t>{9, 8, 7});
  CheckRecorded({
      {"command_buffer.execution_barrier 0riiI_v",
       {28, 13, 0},
       "barrier 28 13"},
      {"command_buffer.execution_barrier 0riii_v",
       {28, 13, 0},
       "barrier 28 13"},
      {"command_buffer.fill_buffer 0rrIIiIiI_v",
       {buffer_, 4, 8, 0, 0x0102030405060708, 4, 0},
       "fill 4+8 of 16 with 0x506070805060708"},
      {"command_buffer.fill_buffer 0rrIIiIiI_v",
       {nullptr, 4, 8, 1, 0xAB, 1, 0},
       "fill 4+8 of slot 1 with 0xabababababababab"},
      {"command_buffer.fill_buffer 0rrIIiii_v",
       {buffer_, 0, 16, 0, -1, 2},
       "fill 0+16 of 16 with 0xffffffffffffffff"},
      {"command_buffer.fill_buffer 0rrIIiii_v",
       {buffer_, 0, 16, 0, -1, 8},
       "INVALID_ARGUMENT: The fill pattern's length (8 bytes) is not a power "
       "of two up to 4."},
      {"command_buffer.fill_buffer 0rrIIiIiI_v",
       {buffer_, 0, 16, 0, -1, 3, 0},
       "INVALID_ARGUMENT: The fill pattern's length (3 bytes) is not a power "
       "of two up to 8."},
      {"command_buffer.fill_buffer 0rrIIiIiI_v",
       {buffer_, -4, 16, 0, -1, 4, 0},
       "OUT_OF_RANGE: The target offset (-4) is negative."},
      {"command_buffer.fill_buffer 0rrIIiIiI_v",
       {nullptr, 0, 16, -3, -1, 4, 0},
       "OUT_OF_RANGE: The target binding slot (-3) is negative."},
      {"command_buffer.update_buffer 0rrIrIIiI_v",
       {host, 1, buffer_, 4, 2, 0, 0},
       "update 4+2 of 16 from 8"},
      {"command_buffer.update_buffer 0rrIrIIi_v",
       {host, 0, nullptr, 4, 3, 1},
       "update 4+3 of slot 1 from 9"},
      {"command_buffer.update_buffer 0rrIrIIiI_v",
       {host, 1, buffer_, 4, 3, 0, 0},
       "OUT_OF_RANGE: The range of 3 bytes at offset 1 exceeds the buffer's "
       "size (3 bytes)."},
      {"command_buffer.copy_buffer 0riirIrIII_v",
       {0, 0, buffer_, 0, buffer_, 8, 8, 0},
       "copy 0+8 of 16 to 8+8 of 16"},
      {"command_buffer.copy_buffer 0riirIrII_v",
       {1, 0, nullptr, 4, buffer_, 8, 8},
       "copy 4+8 of slot 1 to 8+8 of 16"},
      {"command_buffer.copy_buffer 0riirIrIII_v",
       {0, 0, buffer_, 0, buffer_, 8, -8, 0},
       "OUT_OF_RANGE: The source length (-8) is negative."},
      {"command_buffer.advise_buffer 0rrIIIi_v", {buffer_, 1, 2, 3, 0}, ""},
      {"command_buffer.advise_buffer 0rrIIIi_v",
       {nullptr, 1, 2, 3, -1},
       "OUT_OF_RANGE: The advised binding slot (-1) is negative."},
      {"command_buffer.flush_buffer 0rirII_v", {0, buffer_, 4, 12}, ""},
      {"command_buffer.flush_buffer 0rirII_v",
       {0, buffer_, 4, 13},
       "OUT_OF_RANGE: The range of 13 bytes at offset 4 passes the end of the "
       "buffer (16 bytes)."},
      {"command_buffer.invalidate_buffer 0rirII_v", {1, nullptr, 0, -1}, ""},
      {"command_buffer.invalidate_buffer 0rirII_v",
       {-1, nullptr, 0, -1},
       "OUT_OF_RANGE: The target binding slot (-1) is negative."},
      {"command_buffer.begin_debug_group 0rr_v", {Text("group")}, ""},
      {"command_buffer.end_debug_group 0r_v",
       {},
       "FAILED_PRECONDITION: No debug group is open."},
      {"command_buffer.finalize 0r_v", {}, ""},
  });
}

TEST_F(HalModuleTest, Dispatches) {
  const Ref<Executable> kernels = MakeRef<FakeExecutable>();
  const char* const kDispatch = "command_buffer.dispatch 0rrIiiiICiDCiirIID_v";
  const char* const kIndirect =
      "command_buffer.dispatch.indirect 0rrIirIICiDCiirIID_v";
  BufferParams params;
  params.usage |= buffer_usage::kDispatchIndirectParameters;
  const Ref<Buffer> counts = *device_->allocator().Allocate(params, 24);
  CheckRecorded({
      // Executable, function, counts, flags, constants, bindings: reserved,
      // slot, buffer, offset, length.
      {kDispatch,
       {kernels, 0, 1, 2, 3, 0, 2, 10, 11, 1, 0, 0, buffer_, 4, 8},
       "dispatch 0 1x2x3 {10,11} (4+8 of 16)"},
      {"command_buffer.dispatch 0rriiiiICiDCiirIID_v",
       {kernels, 0, 1, 2, 3, 0, 2, 10, -1, 1, 0, 1, nullptr, 4, kRest},
       "dispatch 0 1x2x3 {10,4294967295} (4+rest of slot 1)"},
      {kDispatch, {kernels, 1, 1, 1, 1, 0, 0, 0}, "dispatch 1 1x1x1 {} ()"},
      {kDispatch,
       {kernels, 2, 1, 1, 1, 0, 0, 0},
       "OUT_OF_RANGE: Export 2 is past the executable's last one (it has 2)."},
      {kDispatch,
       {kernels, int64_t{1} << 32, 1, 1, 1, 0, 0, 0},
       "OUT_OF_RANGE: The function of the dispatch (4294967296) is not an "
       "export's ordinal."},
      {kDispatch,
       {kernels, -1, 1, 1, 1, 0, 0, 0},
       "OUT_OF_RANGE: The function of the dispatch (-1) is not an export's "
       "ordinal."},
      {kDispatch,
       {kernels, 1, 1, -1, 1, 0, 0, 0},
       "OUT_OF_RANGE: The workgroup count (-1) is negative."},
      {kDispatch,
       {kernels, 1, 1, 1, 1, 4, 0, 0},
       "UNIMPLEMENTED: Dispatches with custom arguments are not supported; the "
       "flags are 4."},
      {kDispatch,
       {kernels, 0, 1, 1, 1, 0, 0, 0},
       "INVALID_ARGUMENT: A dispatch of 'first' has 0 constants and 0 "
       "bindings; it takes 2 and 1."},
      {kDispatch,
       {kernels, 0, 1, 1, 1, 0, 2, 0, 0, 1, 0, 0, buffer_, -4, 8},
       "OUT_OF_RANGE: The binding's offset (-4) is negative. (binding 0)"},
      {kDispatch,
       {kernels, 0, 1, 1, 1, 0, 2, 0, 0, 1, 0, 0, view_, 4, 8},
       "INVALID_ARGUMENT: Argument 8 is a hal.buffer_view, not a hal.buffer."},
      {kIndirect,
       {kernels, 1, 0, counts, 4, 0, 0, 0},
       "dispatch 1 [4+12 of 24] {} ()"},
      {"command_buffer.dispatch.indirect 0rriirIICiDCiirIID_v",
       {kernels, 1, 1, nullptr, 4, 0, 0, 0},
       "dispatch 1 [4+12 of slot 1] {} ()"},
      {kIndirect,
       {kernels, 1, 0, counts, -4, 0, 0, 0},
       "OUT_OF_RANGE: The workgroup counts' offset (-4) is negative."},
  });
  EXPECT_EQ(Call("command_buffer.create 0riiIi_r", {device_, 1, 3, kRest, -1}),
            "OUT_OF_RANGE: The binding capacity (-1) is negative.");
}

TEST_F(HalModuleTest, Queues) {
  const Ref<Fence> done = Fence::ForPoint(MakeRef<HostSemaphore>(0), 1);
  const Ref<vm::Buffer> host = *vm::Buffer::Copy(std::vector<uint8_t>{9, 8, 7});
  Check({
      {"device.queue.alloca 0rIrrIiiII_r",
       {device_, kRest, nullptr, done, 0, kLocal, kUsage, 32, 0},
       "buffer 32",
       "alloca 32"},
      {"fence.query 0r_i", {done}, "0"},
      {"device.queue.alloca 0rIrriiiI_r",
       {device_, kRest, done, nullptr, 0, kLocal, kUsage, 32},
       "buffer 32",
       "alloca 32 after"},
      {"device.queue.alloca 0rIrrIiiII_r",
       {device_, kRest, nullptr, nullptr, 3, kLocal, kUsage, 32, 0},
       "UNIMPLEMENTED: Allocation pool 3 does not exist; devices have pool 0 "
       "only."},
      {"device.queue.alloca 0rIrrIiiII_r",
       {device_, kRest, nullptr, nullptr, 0, kLocal, kUsage, -32, 0},
       "OUT_OF_RANGE: The allocation size (-32) is negative."},
      {"device.queue.dealloca 0rIrrrI_v",
       {device_, kRest, nullptr, nullptr, buffer_, 0},
       "OK",
       "dealloca 16"},
      {"device.queue.dealloca 0rIrrr_v",
       {device_, kRest, done, nullptr, buffer_},
       "OK",
       "dealloca 16 after"},
      {"device.queue.barrier 0rIrrI_v",
       {device_, kRest, nullptr, nullptr, 0},
       "OK",
       "barrier"},
      {"device.queue.fill 0rIrrrIIIiI_v",
       {device_, kRest, nullptr, nullptr, buffer_, 4, 8, 0x0201, 2, 0},
       "OK",
       "execute [fill 4+8 of 16 with 0x201020102010201]"},
      {"device.queue.fill 0rIrrrIIIiI_v",
       {device_, kRest, nullptr, nullptr, buffer_, 4, 8, 0x0201, 16, 0},
       "INVALID_ARGUMENT: The fill pattern's length (16 bytes) is not a power "
       "of two up to 8."},
      {"device.queue.update 0rIrrrIrIII_v",
       {device_, kRest, nullptr, nullptr, host, 1, buffer_, 4, 2, 0},
       "OK",
       "execute [update 4+2 of 16 from 8]"},
      {"device.queue.update 0rIrrrIrIII_v",
       {device_, kRest, nullptr, nullptr, host, 4, buffer_, 4, 2, 0},
       "OUT_OF_RANGE: The range of 2 bytes at offset 4 exceeds the buffer's "
       "size (3 bytes)."},
      {"device.queue.copy 0rIrrrIrIII_v",
       {device_, kRest, nullptr, nullptr, buffer_, 0, buffer_, 8, 8, 0},
       "OK",
       "execute [copy 0+8 of 16 to 8+8 of 16]"},
      {"device.queue.copy 0rIrrrIrIII_v",
       {device_, kRest, nullptr, nullptr, buffer_, 0, buffer_, -8, 8, 0},
       "OUT_OF_RANGE: The target offset (-8) is negative."},
      {"device.queue.flush 0rI_v", {device_, kRest}, "OK", "flush"},
  });
}

// The fake device has two queues.
TEST_F(HalModuleTest, Affinities) {
  const std::string wrong =
      "INVALID_ARGUMENT: The queue affinity (0x4) exceeds the 2 queues of the "
      "device fake.";
  const struct {
    int64_t affinity;
    bool is_right;
  } kCases[] = {{kRest, true}, {0, true}, {1, true},
                {2, true},     {3, true}, {4, false}};
  const Ref<vm::Buffer> host = *vm::Buffer::Copy(std::vector<uint8_t>{9});
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.affinity);
    const Case rows[] = {
        {"device.queue.alloca 0rIrrIiiII_r",
         {device_, c.affinity, nullptr, nullptr, 0, kLocal, kUsage, 32, 0},
         "buffer 32"},
        {"device.queue.dealloca 0rIrrrI_v",
         {device_, c.affinity, nullptr, nullptr, buffer_, 0},
         "OK"},
        {"device.queue.barrier 0rIrrI_v",
         {device_, c.affinity, nullptr, nullptr, 0},
         "OK"},
        {"device.queue.fill 0rIrrrIIIiI_v",
         {device_, c.affinity, nullptr, nullptr, buffer_, 0, 4, 0, 1, 0},
         "OK"},
        {"device.queue.update 0rIrrrIrIII_v",
         {device_, c.affinity, nullptr, nullptr, host, 0, buffer_, 0, 1, 0},
         "OK"},
        {"device.queue.copy 0rIrrrIrIII_v",
         {device_, c.affinity, nullptr, nullptr, buffer_, 0, buffer_, 8, 8, 0},
         "OK"},
        {"device.queue.flush 0rI_v", {device_, c.affinity}, "OK"},
        {"command_buffer.create 0riiIi_r",
         {device_, 1, 3, c.affinity, 2},
         "hal.command_buffer"},
    };
    for (const Case& row : rows) {
      EXPECT_EQ(Call(row.call, row.args), c.is_right ? row.want : wrong)
          << row.call;
    }
  }
  const Ref<Fence> done = Fence::ForPoint(MakeRef<HostSemaphore>(0), 1);
  EXPECT_EQ(
      Call("device.queue.barrier 0rIrrI_v", {device_, 4, nullptr, done, 0}),
      wrong);
  EXPECT_EQ(Call("fence.query 0r_i", {done}), "3");
}

TEST_F(HalModuleTest, Files) {
  const Ref<vm::Buffer> host =
      *vm::Buffer::Copy(std::vector<uint8_t>{5, 6, 7, 8});
  const char* const kFile = "ex.file.from_memory 0rIirIIi_r";
  Check({
      {kFile,
       {device_, kRest, 2, host, 0, 4, 0},
       "PERMISSION_DENIED: Access 2 was requested; a file over memory can only "
       "be read (access 1)."},
      {kFile,
       {device_, kRest, 1, host, 2, 4, 0},
       "OUT_OF_RANGE: The range of 4 bytes at offset 2 exceeds the buffer's "
       "size (4 bytes)."},
      {kFile, {device_, kRest, 1, host, 1, 3, 0}, "file 3"},
  });
  const Ref<File> file = Last<File>();
  Check({
      {"device.queue.read 0rIrrrIrIII_v",
       {device_, kRest, nullptr, nullptr, file, 1, buffer_, 4, 2, 0},
       "OK",
       "read 2 at 1 to 4"},
      {"buffer.load 0rIi_i", {buffer_, 4, 2}, "2055"},
      {"device.queue.read 0rIrrrIrIIi_v",
       {device_, kRest, nullptr, nullptr, file, 0, buffer_, 0, 3, 0},
       "OK",
       "read 3 at 0 to 0"},
      {"device.queue.read 0rIrrrIrIII_v",
       {device_, kRest, nullptr, nullptr, file, -1, buffer_, 4, 2, 0},
       "OUT_OF_RANGE: The source offset (-1) is negative."},
      {"device.queue.read 0rIrrrIrIII_v",
       {device_, kRest, nullptr, nullptr, file, 2, buffer_, 4, 2, 0},
       "OUT_OF_RANGE: The range of 2 bytes at offset 2 passes the end of the "
       "file (3 bytes)."},
      {"device.queue.write 0rIrrrIrIII_v",
       {device_, kRest, nullptr, nullptr, buffer_, 0, file, 0, 2, 0},
       "PERMISSION_DENIED: The file's access (READ) lacks WRITE."},
  });
  std::vector<uint8_t> storage(8);
  const Ref<File> writable = MakeRef<File>(
      storage, memory_access::kRead | memory_access::kWrite, nullptr);
  Check({
      {"device.queue.write 0rIrrrIrIII_v",
       {device_, kRest, nullptr, nullptr, buffer_, 2, writable, 4, 2, 0},
       "OK",
       "write 2 at 2 to 4"},
      {"device.queue.write 0rIrrrIrIIi_v",
       {device_, kRest, nullptr, nullptr, buffer_, 2, writable, -4, 2, 0},
       "OUT_OF_RANGE: The target offset (-4) is negative."},
  });
}

TEST_F(HalModuleTest, Execution) {
  const Ref<CommandBuffer> open = NewCommands();
  const Ref<CommandBuffer> direct = NewCommands();
  Call("command_buffer.fill_buffer 0rrIIiIiI_v",
       {direct, buffer_, 0, 4, 0, 0, 1, 0});
  Call("command_buffer.finalize 0r_v", {direct});
  const Ref<CommandBuffer> indirect = NewCommands();
  Call("command_buffer.fill_buffer 0rrIIiIiI_v",
       {indirect, nullptr, 0, 4, 0, 0, 1, 0});
  Call("command_buffer.finalize 0r_v", {indirect});
  const char* const kExecute = "device.queue.execute 0rIrrrI_v";
  const char* const kOld = "device.queue.execute 0rIrrCrD_v";
  const char* const kTable = "device.queue.execute.indirect 0rIrrrICrIID_v";
  const char* const kOldTable = "device.queue.execute.indirect 0rIrrrCrIID_v";
  Check({
      {kExecute,
       {device_, kRest, nullptr, nullptr, direct, 0},
       "OK",
       "execute [fill 0+4 of 16 with 0x0]"},
      {kExecute,
       {device_, kRest, nullptr, nullptr, open, 0},
       "FAILED_PRECONDITION: The command buffer is still being recorded."},
      {kOld,
       {device_, kRest, nullptr, nullptr, 1, direct},
       "OK",
       "execute [fill 0+4 of 16 with 0x0]"},
      {kOld, {device_, kRest, nullptr, nullptr, 0}, "OK", "barrier"},
      {kOld,
       {device_, kRest, nullptr, nullptr, 2, direct, direct},
       "INVALID_ARGUMENT: 2 command buffers are executed at once; the limit is "
       "1."},
      {kOld,
       {device_, kRest, nullptr, nullptr, 1, nullptr},
       "INVALID_ARGUMENT: The command buffer to execute is null."},
      {kTable,
       {device_, kRest, nullptr, nullptr, indirect, 0, 1, buffer_, 4, kRest},
       "OK",
       "execute [fill 0+4 of slot 0 with 0x0] 4+rest"},
      {kOldTable,
       {device_, kRest, nullptr, nullptr, indirect, 1, buffer_, 4, 8},
       "OK",
       "execute [fill 0+4 of slot 0 with 0x0] 4+8"},
      {kTable,
       {device_, kRest, nullptr, nullptr, indirect, 0, 1, buffer_, 14, kRest},
       "OUT_OF_RANGE: Slot 0 of the binding table: It has 2 bytes; its "
       "commands use 4."},
      {kTable,
       {device_, kRest, nullptr, nullptr, indirect, 0, 1, buffer_, -1, 4},
       "OUT_OF_RANGE: The offset (-1) is negative. (slot 0 of the binding "
       "table)"},
      {kExecute,
       {device_, kRest, nullptr, nullptr, indirect, 0},
       "OUT_OF_RANGE: The binding table has 0 slots; the commands use 1."},
  });
}

TEST_F(HalModuleTest, Executables) {
  const Ref<vm::Buffer> words =
      *vm::Buffer::Copy(std::vector<uint8_t>{1, 0, 0, 0, 0, 1, 0, 0});
  Check({
      {"executable.create 0rIrrr_r",
       {device_, kRest, Text("elf"), Text("12345"), words},
       "hal.executable",
       "executable elf of 5 bytes {1,256}"},
      {"executable.create 0rrrr_r",
       {device_, Text("elf"), Text("12345"), nullptr},
       "hal.executable",
       "executable elf of 5 bytes {}"},
      {"executable.create 0rIrrr_r",
       {device_, kRest, Text("elf"), Text("12345"), Text("123")},
       "INVALID_ARGUMENT: The executable's constants (3 bytes) are not a "
       "multiple of 4 bytes."},
  });
  const Ref<Executable> kernels = MakeRef<FakeExecutable>();
  Check({
      {"executable.lookup.function 0rr_I", {kernels, Text("second")}, "1"},
      {"executable.lookup.function 0rr_I",
       {kernels, Text("third")},
       "NOT_FOUND: The executable has no function third; it has: first, "
       "second."},
  });
}

TEST_F(HalModuleTest, Channels) {
  const char* const kCreate = "channel.create 0rIIrrii_r";
  Check({
      {kCreate,
       {device_, kRest, 0, nullptr, nullptr, 0, 2},
       "INVALID_ARGUMENT: A channel with rank 0 and 2 ranks was requested; "
       "this process is rank 0 of 1; use --collectives for more ranks."},
      {"channel.create 0rIirrii_r",
       {device_, kRest, 0, nullptr, Text("group"), 1, -1},
       "INVALID_ARGUMENT: A channel with rank 1 and -1 ranks was requested; "
       "this process is rank 0 of 1; use --collectives for more ranks."},
      {"channel.create 0rIii_r",
       {device_, kRest, 1, 2},
       "INVALID_ARGUMENT: A channel with rank 1 and 2 ranks was requested; "
       "this process is rank 0 of 1; use --collectives for more ranks."},
      {"channel.split 0riiI_r",
       {nullptr, 0, 0, 0},
       "INVALID_ARGUMENT: Argument 0 is null; a hal.channel is required."},
      {"channel.create 0rIirrii_r",
       {device_, kRest, 0, Text("id"), Text("group"), 0, 1},
       "hal.channel"},
      {kCreate, {device_, kRest, 0, nullptr, nullptr, -1, -1}, "hal.channel"},
  });
  const Ref<Channel> channel = Last<Channel>();
  Check({
      {"channel.rank_and_count 0r_ii", {channel}, "0 1"},
      {"channel.split 0riiI_r", {channel, -1, 0, 0}, "null"},
      {"channel.split 0riii_r",
       {channel, -2, 0, 0},
       "INVALID_ARGUMENT: A channel's color (-2) must be at least 0, or -1 for "
       "no channel."},
      {"channel.split 0riii_r", {channel, 3, 0, 0}, "hal.channel"},
  });
}

TEST_F(HalModuleTest, Collectives) {
  const Ref<Channel> channel =
      *CreateSelfProvider()->Create({}, [] { return absl::OkStatus(); });
  const char* const kCollective = "command_buffer.collective 0rriiiirrIIIII_v";
  const int64_t all_reduce = 0x090101;  // the sum of f32
  const int64_t send_receive = 0x000008;
  CheckRecorded({
      // Channel, op, param, slots, buffers, ranges, count.
      {kCollective,
       {channel, all_reduce, 0, 0, 1, nullptr, nullptr, 0, 16, 0, 16, 4},
       "all-reduce sum of f32 x 4 from 0+16 of slot 0 to 0+16 of slot 1"},
      {kCollective,
       {channel, all_reduce, 0, 0, 0, buffer_, nullptr, 8, 8, 4, kRest, 2},
       "all-reduce sum of f32 x 2 from 8+8 of 16 to 4+8 of slot 0"},
      {kCollective,
       {channel, send_receive, -1, 0, 0, nullptr, buffer_, 0, 0, 4, 8, 3},
       "send-receive of i8 x 3 from 0+0 of slot 0 to 4+3 of 16"},
      {kCollective,
       {channel, all_reduce, 0, 0, 0, buffer_, buffer_, 0, 16, 8, 8, 4},
       "OUT_OF_RANGE: The receive range has 8 bytes; its elements take 16. "
       "(all-reduce sum of f32)"},
      {kCollective,
       {channel, all_reduce, 0, 0, 0, buffer_, buffer_, 2, 8, 8, 8, 2},
       "INVALID_ARGUMENT: The offset (2) or length (8) of the collective's "
       "send range is not a multiple of 4."},
      {kCollective,
       {channel, all_reduce, 0, 0, 0, buffer_, buffer_, 0, 16, 0, 16, -4},
       "OUT_OF_RANGE: The collective's element count (-4) is negative."},
      {kCollective,
       {channel, 0x0C0101, 0, 0, 0, buffer_, buffer_, 0, 16, 0, 16, 4},
       "UNIMPLEMENTED: Collectives of f8E5M2 are not supported (all-reduce)."},
      {kCollective,
       {nullptr, all_reduce, 0, 0, 0, buffer_, buffer_, 0, 16, 0, 16, 4},
       "INVALID_ARGUMENT: Argument 1 is null; a hal.channel is required."},
  });
}

}  // namespace
}  // namespace eyrie::hal
