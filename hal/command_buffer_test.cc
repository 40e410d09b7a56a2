// Tests recording, its validation, and binding tables.
#include "hal/command_buffer.h"

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/support/status_text.h"

namespace eyrie::hal {
namespace {

class RecordedBuffer final : public Buffer {
 public:
  RecordedBuffer(const BufferParams& params, uint64_t length)
      : Buffer(params, length, nullptr) {}
};

Ref<Buffer> NewBuffer(uint64_t length,
                      BufferUsage usage = buffer_usage::kDefault,
                      MemoryAccess access = memory_access::kAll,
                      MemoryType type = memory_type::kDeviceLocal) {
  BufferParams params;
  params.type = type;
  params.access = access;
  params.usage = usage;
  return MakeRef<RecordedBuffer>(params, length);
}

class TestExecutable final : public Executable {
 public:
  std::span<const ExportInfo> exports() const override { return exports_; }

 private:
  std::array<ExportInfo, 3> exports_ = {
      ExportInfo{"none", 0, 0, {1, 1, 1}},
      ExportInfo{"add", 1, 2, {1, 1, 1}},
      ExportInfo{"\x1B[1m\xE2\x80\xAE", 1, 1, {1, 1, 1}},
  };
};

Ref<Executable> NewExecutable() { return MakeRef<TestExecutable>(); }

std::string RefText(const RecordedRef& ref) {
  return absl::StrCat(
      ref.buffer ? "buffer" : absl::StrCat("slot", ref.slot), "@", ref.offset,
      "+", ref.length == kWholeBuffer ? "rest" : absl::StrCat(ref.length));
}

std::string CommandText(const Command& command) {
  switch (command.kind) {
    case CommandKind::kBarrier:
      return "barrier";
    case CommandKind::kFill: {
      const auto& fill = static_cast<const FillCommand&>(command);
      return absl::StrCat("fill ", RefText(fill.target), " ",
                          absl::Hex(fill.pattern), "/", fill.pattern_length);
    }
    case CommandKind::kUpdate: {
      const auto& update = static_cast<const UpdateCommand&>(command);
      return absl::StrCat("update ", RefText(update.target), " ",
                          update.data()[0]);
    }
    case CommandKind::kCopy: {
      const auto& copy = static_cast<const CopyCommand&>(command);
      return absl::StrCat("copy ", RefText(copy.source), " ",
                          RefText(copy.target));
    }
    case CommandKind::kCollective: {
      const auto& collective = static_cast<const CollectiveCommand&>(command);
      return absl::StrCat(CollectiveText(collective.plan.op), " ",
                          RefText(collective.send), " ",
                          RefText(collective.receive));
    }
    case CommandKind::kDispatch:
    case CommandKind::kDispatchIndirect: {
      const auto& dispatch = static_cast<const DispatchCommand&>(command);
      std::string text = absl::StrCat("dispatch ", dispatch.export_ordinal);
      if (command.kind == CommandKind::kDispatch) {
        for (uint32_t n : dispatch.workgroup_count) {
          absl::StrAppend(&text, " ", n);
        }
      } else {
        absl::StrAppend(&text, " ", RefText(dispatch.workgroup_count_ref));
      }
      for (const RecordedRef& ref : dispatch.bindings()) {
        absl::StrAppend(&text, " ", RefText(ref));
      }
      for (uint32_t constant : dispatch.constants()) {
        absl::StrAppend(&text, " #", constant);
      }
      return text;
    }
  }
  return "?";
}

// Returns the recorded commands, or the error.
std::string Recorded(CommandBuffer& commands, const absl::Status& status) {
  if (!status.ok()) return StatusText(status);
  std::string text;
  for (const Command* c = commands.begin(); c; c = commands.Next(c)) {
    absl::StrAppend(&text, text.empty() ? "" : "; ", CommandText(*c));
  }
  return text;
}

struct Case {
  std::string want;
  std::function<absl::Status(CommandBuffer&)> record;
};

void RunCases(std::span<const Case> cases) {
  for (const Case& c : cases) {
    const Ref<CommandBuffer> commands = MakeRef<CommandBuffer>(0, kAnyQueue, 0);
    EXPECT_EQ(Recorded(*commands, c.record(*commands)), c.want);
  }
}

constexpr std::array<uint8_t, 8> kPattern = {1, 2, 3, 4, 5, 6, 7, 8};
std::span<const uint8_t> Pattern(size_t length) {
  return std::span<const uint8_t>(kPattern).first(length);
}

TEST(Record, Fills) {
  const Ref<Buffer> buffer = NewBuffer(16);
  const Ref<Buffer> source = NewBuffer(16, buffer_usage::kTransferSource);
  const Ref<Buffer> constant =
      NewBuffer(16, buffer_usage::kDefault, memory_access::kRead);
  const Ref<Buffer> host = NewBuffer(
      16, buffer_usage::kDefault, memory_access::kAll, memory_type::kHostLocal);
  const auto fill = [](const Ref<Buffer>& target, uint64_t offset,
                       uint64_t length, size_t pattern) {
    return [=](CommandBuffer& commands) {
      return commands.Fill({target, 2, offset, length}, Pattern(pattern));
    };
  };
  const Case kCases[] = {
      {"fill buffer@0+16 101010101010101/1", fill(buffer, 0, 16, 1)},
      {"fill buffer@2+14 201020102010201/2", fill(buffer, 2, kWholeBuffer, 2)},
      {"fill buffer@4+4 403020104030201/4", fill(buffer, 4, 4, 4)},
      {"fill buffer@8+8 807060504030201/8", fill(buffer, 8, 8, 8)},
      {"fill slot2@4+8 403020104030201/4", fill(nullptr, 4, 8, 4)},
      {"fill slot2@4+rest 403020104030201/4",
       fill(nullptr, 4, kWholeBuffer, 4)},
      {"", fill(buffer, 99, 0, 3)},
      {"INVALID_ARGUMENT: A fill's pattern has 3 bytes, not 1, 2, 4 or 8.",
       fill(buffer, 0, 3, 3)},
      {"INVALID_ARGUMENT: A fill's pattern has 0 bytes, not 1, 2, 4 or 8.",
       fill(buffer, 0, 3, 0)},
      {"INVALID_ARGUMENT: The offset (2) or length (4) of the fill's target is "
       "not a multiple of 4.",
       fill(buffer, 2, 4, 4)},
      {"INVALID_ARGUMENT: The offset (0) or length (6) of the fill's target is "
       "not a multiple of 4.",
       fill(nullptr, 0, 6, 4)},
      {"OUT_OF_RANGE: The range of 12 bytes at offset 8 passes the end of the "
       "buffer (16 bytes). (the fill's target)",
       fill(buffer, 8, 12, 4)},
      {"OUT_OF_RANGE: The range of 2 bytes at offset 18446744073709551614 of "
       "the fill's target overflows.",
       fill(nullptr, ~uint64_t{1}, 2, 1)},
      {"PERMISSION_DENIED: The buffer's usage (TRANSFER_SOURCE) lacks "
       "TRANSFER_TARGET. (the fill's target)",
       fill(source, 0, 4, 4)},
      {"PERMISSION_DENIED: The buffer's access (READ) lacks WRITE. (the fill's "
       "target)",
       fill(constant, 0, 4, 4)},
      {"PERMISSION_DENIED: The buffer's memory type (HOST_LOCAL) lacks "
       "DEVICE_VISIBLE. (the fill's target)",
       fill(host, 0, 4, 4)},
      {"OUT_OF_RANGE: Binding slot 65536 of the fill's target is past the last "
       "one (65535).",
       [](CommandBuffer& commands) {
         return commands.Fill({nullptr, 65536, 0, 4}, Pattern(4));
       }},
  };
  RunCases(kCases);
}

TEST(Record, UpdatesAndCopies) {
  const Ref<Buffer> a = NewBuffer(16);
  const Ref<Buffer> b = NewBuffer(32);
  const Ref<Buffer> a_tail = *Buffer::Subspan(a, 8, 8);
  const Ref<Buffer> none = NewBuffer(16, buffer_usage::kDispatchStorage);
  const auto update = [](const Ref<Buffer>& target, uint64_t offset,
                         uint64_t length, size_t source) {
    return [=](CommandBuffer& commands) {
      return commands.Update(Pattern(source), {target, 1, offset, length});
    };
  };
  const auto copy = [](const BufferRef& source, const BufferRef& target) {
    return
        [=](CommandBuffer& commands) { return commands.Copy(source, target); };
  };
  const Case kCases[] = {
      {"update buffer@3+5 1", update(a, 3, 5, 5)},
      {"update slot1@3+5 1", update(nullptr, 3, kWholeBuffer, 5)},
      {"", update(a, 99, 0, 5)},
      {"INVALID_ARGUMENT: An update's source has 5 bytes and its target 6.",
       update(a, 0, 6, 5)},
      {"OUT_OF_RANGE: The range of 5 bytes at offset 12 passes the end of the "
       "buffer (16 bytes). (the update's target)",
       update(a, 12, 5, 5)},
      {"copy buffer@0+16 buffer@16+16", copy({a, 0, 0, 16}, {b, 0, 16, 16})},
      {"copy buffer@4+12 buffer@20+12",
       copy({a, 0, 4, kWholeBuffer}, {b, 0, 20, kWholeBuffer})},
      {"copy slot3@0+12 buffer@20+12",
       copy({nullptr, 3, 0, kWholeBuffer}, {b, 0, 20, kWholeBuffer})},
      {"copy slot3@0+rest slot4@0+rest",
       copy({nullptr, 3, 0, kWholeBuffer}, {nullptr, 4, 0, kWholeBuffer})},
      {"copy buffer@0+8 buffer@0+8", copy({a, 0, 0, 8}, {a_tail, 0, 0, 8})},
      {"", copy({a, 0, 0, 0}, {b, 0, 99, 0})},
      {"INVALID_ARGUMENT: A copy's source has 16 bytes and its target 8.",
       copy({a, 0, 0, kWholeBuffer}, {b, 0, 0, 8})},
      {"INVALID_ARGUMENT: A copy of 8 bytes from offset 4 to 8 of one "
       "allocation overlaps itself.",
       copy({a, 0, 4, 8}, {a_tail, 0, 0, 8})},
      {"INVALID_ARGUMENT: A copy of 5 bytes from offset 4 to 8 of one "
       "allocation overlaps itself.",
       copy({a, 0, 4, 5}, {a, 0, 8, 5})},
      {"copy buffer@4+4 buffer@8+4", copy({a, 0, 4, 4}, {a, 0, 8, 4})},
      {"OUT_OF_RANGE: The range of 40 bytes at offset 0 passes the end of the "
       "buffer (32 bytes). (the copy's source)",
       copy({b, 0, 0, 40}, {a, 0, 0, 40})},
      {"PERMISSION_DENIED: The buffer's usage (DISPATCH_STORAGE) lacks "
       "TRANSFER_SOURCE. (the copy's source)",
       copy({none, 0, 0, 4}, {a, 0, 0, 4})},
      {"PERMISSION_DENIED: The buffer's usage (DISPATCH_STORAGE) lacks "
       "TRANSFER_TARGET. (the copy's target)",
       copy({a, 0, 0, 4}, {none, 0, 0, 4})},
  };
  RunCases(kCases);
}

TEST(Record, Dispatches) {
  const Ref<Buffer> a = NewBuffer(16);
  const Ref<Buffer> counts =
      NewBuffer(16, buffer_usage::kDispatchIndirectParameters);
  const Ref<Buffer> transfer = NewBuffer(16, buffer_usage::kTransfer);
  struct Counts {
    uint32_t xyz[3];
  };
  const auto dispatch = [](uint32_t ordinal, Counts count,
                           const std::vector<uint32_t>& constants,
                           const std::vector<BufferRef>& bindings) {
    return [=](CommandBuffer& commands) {
      return commands.Dispatch(NewExecutable(), ordinal, count.xyz, constants,
                               bindings);
    };
  };
  const auto indirect = [](const BufferRef& count) {
    return [=](CommandBuffer& commands) {
      return commands.DispatchIndirect(NewExecutable(), 0, count, {}, {});
    };
  };
  const BufferRef whole = {a, 0, 0, kWholeBuffer};
  const BufferRef slot = {nullptr, 1, 8, 8};
  const Case kCases[] = {
      {"dispatch 0 1 2 3", dispatch(0, {{1, 2, 3}}, {}, {})},
      {"dispatch 1 1 1 1 buffer@0+16 slot1@8+8 #7",
       dispatch(1, {{1, 1, 1}}, {7}, {whole, slot})},
      {"", dispatch(0, {{0, 5, 5}}, {}, {})},
      {"", dispatch(9, {{5, 5, 0}}, {}, {})},
      {"OUT_OF_RANGE: Export 3 is past the executable's last one (it has 3).",
       dispatch(3, {{1, 1, 1}}, {}, {})},
      {"INVALID_ARGUMENT: A dispatch of 'add' has 2 constants and 1 bindings; "
       "it takes 1 and 2.",
       dispatch(1, {{1, 1, 1}}, {7, 8}, {whole})},
      {"INVALID_ARGUMENT: A dispatch of '?[1m?' has 0 constants and 0 "
       "bindings; it takes 1 and 1.",
       dispatch(2, {{1, 1, 1}}, {}, {})},
      {"PERMISSION_DENIED: The buffer's usage (TRANSFER) lacks "
       "DISPATCH_STORAGE. (a dispatch's binding) (binding 0 of '?[1m?')",
       dispatch(2, {{1, 1, 1}}, {7}, {{transfer, 0, 0, 4}})},
      {"INVALID_ARGUMENT: A dispatch of 1x1x65536 workgroups exceeds the "
       "limits (65535 in z, 2147483648 in all).",
       dispatch(0, {{1, 1, 65536}}, {}, {})},
      {"INVALID_ARGUMENT: A dispatch of 4294967295x4294967295x65535 workgroups "
       "exceeds the limits (65535 in z, 2147483648 in all).",
       dispatch(0, {{~0u, ~0u, 65535}}, {}, {})},
      {"PERMISSION_DENIED: The buffer's usage (TRANSFER) lacks "
       "DISPATCH_STORAGE. (a dispatch's binding) (binding 1 of 'add')",
       dispatch(1, {{1, 1, 1}}, {7}, {whole, {transfer, 0, 0, 4}})},
      {"OUT_OF_RANGE: The range of 20 bytes at offset 0 passes the end of the "
       "buffer (16 bytes). (a dispatch's binding) (binding 0 of 'add')",
       dispatch(1, {{1, 1, 1}}, {7}, {{a, 0, 0, 20}, whole})},
      {"INVALID_ARGUMENT: A dispatch has no executable.",
       [](CommandBuffer& commands) {
         return commands.Dispatch(nullptr, 0, {1, 1, 1}, {}, {});
       }},
      {"dispatch 0 buffer@4+12", indirect({counts, 0, 4, 12})},
      {"dispatch 0 buffer@0+12", indirect({counts, 0, 0, kWholeBuffer})},
      {"dispatch 0 slot6@0+12", indirect({nullptr, 6, 0, kWholeBuffer})},
      {"OUT_OF_RANGE: The workgroup counts have 8 bytes; three numbers take "
       "12.",
       indirect({counts, 0, 0, 8})},
      {"OUT_OF_RANGE: The range of 12 bytes at offset 8 passes the end of the "
       "buffer (16 bytes). (the dispatch's workgroup counts)",
       indirect({counts, 0, 8, kWholeBuffer})},
      {"INVALID_ARGUMENT: The offset (2) or length (12) of the dispatch's "
       "workgroup counts is not a multiple of 4.",
       indirect({counts, 0, 2, 12})},
      {"PERMISSION_DENIED: The buffer's usage (TRANSFER|DISPATCH_STORAGE) "
       "lacks DISPATCH_INDIRECT_PARAMETERS. (the dispatch's workgroup counts)",
       indirect({a, 0, 0, 12})},
  };
  RunCases(kCases);
}

TEST(Record, Collectives) {
  const Ref<Channel> channel =
      *CreateSelfProvider()->Create({}, [] { return absl::OkStatus(); });
  const CollectiveOp sum = {CollectiveKind::kAllReduce,
                            CollectiveReduction::kSum, CollectiveType::kSint32};
  const CollectiveOp exchange = {CollectiveKind::kSendReceive,
                                 CollectiveReduction::kNone,
                                 CollectiveType::kSint8};
  const auto record = [&](const CollectiveOp& op, uint32_t param,
                          const BufferRef& send, const BufferRef& receive,
                          uint64_t count) {
    return [=](CommandBuffer& commands) {
      return commands.Collective(channel, op, param, send, receive, count);
    };
  };
  const Ref<Buffer> buffer = NewBuffer(64);
  const Ref<Buffer> constant =
      NewBuffer(64, buffer_usage::kDefault, memory_access::kRead);
  const BufferRef slot = {nullptr, 3, 8, kWholeBuffer};
  const BufferRef range = {buffer, 0, 16, 16};
  const Case cases[] = {
      {"all-reduce sum of i32 buffer@16+16 slot3@8+16",
       record(sum, 0, range, slot, 4)},
      {"all-reduce sum of i32 slot0@0+0 slot0@0+0",
       record(sum, 0, range, slot, 0)},
      // Ranges that a rank does not use are ignored.
      {"send-receive of i8 slot0@0+0 slot3@8+5",
       record(exchange, 0xFFFFFFFF, {constant, 0, 80, 0}, slot, 5)},
      {"OUT_OF_RANGE: The send range has 16 bytes; its elements take 20. "
       "(all-reduce sum of i32)",
       record(sum, 0, range, slot, 5)},
      {"OUT_OF_RANGE: The range of 16 bytes at offset 56 passes the end of the "
       "buffer (64 bytes). (the collective's receive range)",
       record(sum, 0, range, {buffer, 0, 56, 16}, 4)},
      {"PERMISSION_DENIED: The buffer's access (READ) lacks WRITE. (the "
       "collective's receive range)",
       record(sum, 0, range, {constant, 0, 0, 16}, 4)},
      {"INVALID_ARGUMENT: A collective has no channel.",
       [&](CommandBuffer& commands) {
         return commands.Collective(nullptr, sum, 0, range, slot, 4);
       }},
  };
  RunCases(cases);
}

TEST(Record, Order) {
  const Ref<Buffer> buffer = NewBuffer(16);
  const Ref<CommandBuffer> commands = MakeRef<CommandBuffer>(0, kAnyQueue, 0);
  EXPECT_TRUE(commands->BeginDebugGroup("outer").ok());
  for (int i = 0; i < 50; ++i) {
    EXPECT_TRUE(commands->Fill({buffer, 0, 0, 4}, Pattern(1)).ok());
    EXPECT_TRUE(commands->ExecutionBarrier(1, 2).ok());
    // Rejected commands leave no trace.
    EXPECT_FALSE(
        commands
            ->Dispatch(NewExecutable(), 1, {1, 1, 1},
                       std::array<uint32_t, 1>{7},
                       std::array<BufferRef, 2>{BufferRef{buffer, 0, 0, 4},
                                                BufferRef{buffer, 0, 0, 99}})
            .ok());
  }
  int count = 0;
  for (const Command* c = commands->begin(); c; c = commands->Next(c)) {
    EXPECT_EQ(c->kind,
              count++ % 2 ? CommandKind::kBarrier : CommandKind::kFill);
  }
  EXPECT_EQ(count, 100);
  EXPECT_EQ(StatusText(commands->Finalize()),
            "FAILED_PRECONDITION: Debug groups are still open (1).");
  EXPECT_TRUE(commands->EndDebugGroup().ok());
  EXPECT_EQ(StatusText(commands->EndDebugGroup()),
            "FAILED_PRECONDITION: No debug group is open.");
  EXPECT_TRUE(commands->Finalize().ok());
  const std::string done =
      "FAILED_PRECONDITION: The command buffer has been finalized; nothing "
      "more can be recorded.";
  EXPECT_EQ(StatusText(commands->Finalize()), done);
  EXPECT_EQ(StatusText(commands->Fill({buffer, 0, 0, 4}, Pattern(1))), done);
  EXPECT_EQ(StatusText(commands->ExecutionBarrier(1, 2)), done);
}

TEST(Table, Requirements) {
  const Ref<CommandBuffer> commands = MakeRef<CommandBuffer>(0, kAnyQueue, 0);
  // Slot 0: 16 written bytes, aligned to 4. Slot 2: storage from byte 8 on.
  EXPECT_TRUE(commands->Fill({nullptr, 0, 8, 8}, Pattern(4)).ok());
  EXPECT_TRUE(commands->Fill({nullptr, 0, 0, kWholeBuffer}, Pattern(2)).ok());
  EXPECT_TRUE(
      commands
          ->Dispatch(
              NewExecutable(), 1, {1, 1, 1}, std::array<uint32_t, 1>{7},
              std::array<BufferRef, 2>{BufferRef{nullptr, 0, 0, 4},
                                       BufferRef{nullptr, 2, 8, kWholeBuffer}})
          .ok());
  EXPECT_TRUE(commands->Finalize().ok());
  EXPECT_EQ(commands->slots_used(), 3u);
  const Ref<Buffer> good = NewBuffer(64);
  const Ref<Buffer> odd = NewBuffer(63);
  const Ref<Buffer> constant =
      NewBuffer(64, buffer_usage::kDefault, memory_access::kRead);
  const Ref<Buffer> storage = NewBuffer(64, buffer_usage::kDispatchStorage);
  struct TableCase {
    std::string want;
    std::vector<BufferBinding> table;
  };
  const TableCase kCases[] = {
      {"OK",
       {{good.get(), 0, kWholeBuffer}, {}, {good.get(), 0, kWholeBuffer}}},
      {"OK", {{good.get(), 4, 16}, {}, {storage.get(), 3, 8}}},
      {"OK", {{good.get(), 4, 16}, {}, {constant.get(), 3, 8}, {}}},
      {"OUT_OF_RANGE: The binding table has 0 slots; the commands use 3.", {}},
      {"OUT_OF_RANGE: The binding table has 2 slots; the commands use 3.",
       {{good.get(), 0, 64}, {good.get(), 0, 64}}},
      {"INVALID_ARGUMENT: Slot 2 of the binding table: It has no buffer, but "
       "commands use it.",
       {{good.get(), 0, 64}, {}, {}}},
      {"OUT_OF_RANGE: Slot 0 of the binding table: It has 12 bytes; its "
       "commands use 16.",
       {{good.get(), 0, 12}, {}, {good.get(), 0, 64}}},
      {"OUT_OF_RANGE: Slot 2 of the binding table: The range of 64 bytes at "
       "offset 8 passes the end of the buffer (64 bytes).",
       {{good.get(), 0, 64}, {}, {good.get(), 8, 64}}},
      {"OUT_OF_RANGE: Slot 2 of the binding table: It has 4 bytes; its "
       "commands use 8.",
       {{good.get(), 0, 64}, {}, {good.get(), 60, kWholeBuffer}}},
      {"INVALID_ARGUMENT: Slot 0 of the binding table: Its offset (2) or "
       "length (16) is not a multiple of 4.",
       {{good.get(), 2, 16}, {}, {good.get(), 0, 64}}},
      {"INVALID_ARGUMENT: Slot 0 of the binding table: Its offset (0) or "
       "length (63) is not a multiple of 4.",
       {{odd.get(), 0, kWholeBuffer}, {}, {good.get(), 0, 64}}},
      {"PERMISSION_DENIED: Slot 0 of the binding table: The buffer's access "
       "(READ) lacks WRITE.",
       {{constant.get(), 0, 64}, {}, {good.get(), 0, 64}}},
      {"PERMISSION_DENIED: Slot 0 of the binding table: The buffer's usage "
       "(DISPATCH_STORAGE) lacks TRANSFER_TARGET.",
       {{storage.get(), 0, 64}, {}, {good.get(), 0, 64}}},
  };
  for (const TableCase& c : kCases) {
    EXPECT_EQ(StatusText(commands->ValidateTable(c.table)), c.want);
  }
}

TEST(Executable, FindExport) {
  const Ref<Executable> executable = NewExecutable();
  EXPECT_EQ(executable->FindExport("add"), 1u);
  EXPECT_EQ(executable->FindExport("sub"), std::nullopt);
}

// A count that is not declared is a limit, never a number.
TEST(ExportInfoTest, Counts) {
  constexpr uint32_t kUndeclared = ExportInfo::kUndeclared;
  EXPECT_EQ(ExportInfo::Declared(2), 2u);
  EXPECT_EQ(ExportInfo::Declared(kUndeclared), std::nullopt);
  EXPECT_EQ(ExportInfo::MaxOf(2), 2u);
  EXPECT_EQ(ExportInfo::MaxOf(kUndeclared), 64u);
  EXPECT_TRUE(ExportInfo::Fits(2, 2));
  EXPECT_FALSE(ExportInfo::Fits(1, 2));
  EXPECT_TRUE(ExportInfo::Fits(64, kUndeclared));
  EXPECT_FALSE(ExportInfo::Fits(65, kUndeclared));
}

}  // namespace
}  // namespace eyrie::hal
