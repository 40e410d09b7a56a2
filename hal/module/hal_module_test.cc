// Tests imports of the `hal` module on devices, buffers, tensors and fences.
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/mapped_file.h"
#include "gtest/gtest.h"
#include "hal/module/testing/hal_module_fixture.h"

namespace eyrie::hal {
namespace {

TEST_F(HalModuleTest, Devices) {
  Check({
      {"devices.count 0v_i", {}, "1"},
      {"devices.get 0i_r", {0}, "hal.device"},
      {"devices.get 0i_r", {1}, "null"},
      {"devices.get 0i_r", {-1}, "null"},
      {"device.allocator 0r_r", {device_}, "hal.allocator"},
      {"device.allocator 0r_r",
       {nullptr},
       "INVALID_ARGUMENT: Argument 0 is null; a hal.device is required."},
      {"device.allocator 0r_r",
       {buffer_},
       "INVALID_ARGUMENT: Argument 0 is a hal.buffer, not a hal.device."},
      {"device.query.i64 0rrr_iI",
       {device_, Text("device"), Text("answer")},
       "1 42"},
      {"device.query.i64 0rrr_iI",
       {device_, Text("device"), Text("question")},
       "0 0"},
      {"allocator.select 0iiICrID_rI",
       {kLocal, kUsage, 0, 1, device_, 5},
       "hal.device 5"},
      {"allocator.select 0iiICrID_rI",
       {kLocal, kUsage, 0, 0},
       "INVALID_ARGUMENT: The list of devices to select from is empty."},
  });
}

TEST_F(HalModuleTest, Buffers) {
  const Ref<Allocator> allocator = Ref<Allocator>::Share(&device_->allocator());
  Check({
      {"allocator.allocate 0rIiiI_r",
       {allocator, kRest, kLocal, kUsage, 100},
       "buffer 100"},
      {"allocator.allocate 0rIiiI_r",
       {allocator, kRest, kLocal, kUsage, 0},
       "buffer 0"},
      {"allocator.allocate 0rIiiI_r",
       {allocator, kRest, kLocal, kUsage, -1},
       "OUT_OF_RANGE: The allocation size (-1) is negative."},
      {"allocator.allocate 0rIiiI_r",
       {allocator, kRest, kLocal, kUsage, int64_t{1} << 62},
       "RESOURCE_EXHAUSTED: A buffer of 4611686018427387904 bytes exceeds the "
       "fake's limit."},
      {"buffer.length 0r_I", {buffer_}, "16"},
      {"buffer.subspan 0rII_r", {buffer_, 4, 8}, "buffer 8"},
      {"buffer.subspan 0rII_r", {buffer_, 4, kRest}, "buffer 12"},
      {"buffer.subspan 0rII_r",
       {buffer_, -4, 8},
       "OUT_OF_RANGE: The source offset (-4) is negative."},
      {"buffer.subspan 0rII_r",
       {buffer_, 4, -8},
       "OUT_OF_RANGE: The source length (-8) is negative."},
      {"buffer.subspan 0rII_r",
       {buffer_, 12, 8},
       "OUT_OF_RANGE: The range of 8 bytes at offset 12 passes the end of the "
       "buffer (16 bytes)."},
      {"buffer.load 0rIi_i", {buffer_, 2, 1}, "3"},
      {"buffer.load 0rIi_i", {buffer_, 0, 4}, "67305985"},
      {"buffer.load 0rIi_i", {buffer_, 0, 3}, "197121"},
      {"buffer.load 0rIi_i",
       {buffer_, 0, 5},
       "INVALID_ARGUMENT: The width of the value (5 bytes) is not 1 to 4."},
      {"buffer.load 0rIi_i",
       {buffer_, 13, 4},
       "OUT_OF_RANGE: The range of 4 bytes at offset 13 passes the end of the "
       "buffer (16 bytes)."},
      {"buffer.load 0rIi_i",
       {buffer_, -1, 4},
       "OUT_OF_RANGE: The source offset (-1) is negative."},
      {"buffer.store 0irIi_v", {0x0102, buffer_, 4, 2}, "OK"},
      {"buffer.load 0rIi_i", {buffer_, 4, 4}, "134676738"},
      {"buffer.store 0irIi_v", {-1, buffer_, 8, 4}, "OK"},
      {"buffer.load 0rIi_i", {buffer_, 8, 4}, "-1"},
      {"buffer.store 0irIi_v",
       {1, buffer_, 14, 4},
       "OUT_OF_RANGE: The range of 4 bytes at offset 14 passes the end of the "
       "buffer (16 bytes)."},
      {"buffer.store 0irIi_v",
       {1, buffer_, 0, 0},
       "INVALID_ARGUMENT: The width of the value (0 bytes) is not 1 to 4."},
  });
}

TEST_F(HalModuleTest, BufferOwnersAndAsserts) {
  const Ref<Allocator> allocator = Ref<Allocator>::Share(&device_->allocator());
  const Ref<Buffer> part = *Buffer::Subspan(buffer_, 4, 4);
  Check({
      {"buffer.allocation.is_terminal 0r_i", {buffer_}, "1"},
      {"buffer.allocation.preserve 0r_v", {part}, "OK"},
      {"buffer.allocation.is_terminal 0r_i", {buffer_}, "0"},
      {"buffer.allocation.discard 0r_i", {buffer_}, "0"},
      {"buffer.allocation.is_terminal 0r_i", {part}, "1"},
      {"buffer.allocation.discard 0r_i", {part}, "1"},
      {"buffer.assert 0rrrIii_v",
       {buffer_, Text("storage0"), allocator, 16, kLocal, kUsage},
       "OK"},
      {"buffer.assert 0rrrIii_v",
       {buffer_, Text("storage0"), allocator, 17, kLocal, kUsage},
       "INVALID_ARGUMENT: storage0: the buffer's length (16 bytes) is less "
       "than expected (17 bytes)."},
      {"buffer.assert 0rrrIii_v",
       {buffer_, Text("storage0"), allocator, 0, kLocal, 1 << 16},
       "PERMISSION_DENIED: storage0: The buffer's usage "
       "(TRANSFER|DISPATCH_STORAGE) lacks SHARING_EXPORT."},
      {"buffer.assert 0rrrIii_v",
       {buffer_, Text("storage0"), allocator, -2, kLocal, kUsage},
       "OUT_OF_RANGE: The minimum length (-2) is negative."},
  });
}

TEST_F(HalModuleTest, BufferViews) {
  const Ref<Buffer> part = *Buffer::Subspan(buffer_, 4, 12);
  Check({
      {"buffer_view.create 0rIIiiCID_r",
       {buffer_, 0, 16, kF32, 1, 2, 2, 2},
       "view 2x2xf32"},
      {"buffer_view.create 0rIIiiCID_r",
       {buffer_, 4, 4, kF32, 1, 0},
       "view f32"},
      {"buffer_view.create 0rIIiiCID_r",
       {buffer_, 0, 16, kF32, 1, 1, -4},
       "INVALID_ARGUMENT: Dimension 0 of a buffer view is negative (-4)."},
      {"buffer_view.create 0rIIiiCID_r",
       {buffer_, 16, 4, kF32, 1, 0},
       "OUT_OF_RANGE: The range of 4 bytes at offset 16 passes the end of the "
       "buffer (16 bytes)."},
      {"buffer_view.create 0rIIiiCID_r",
       {buffer_, -16, 4, kF32, 1, 0},
       "OUT_OF_RANGE: The source offset (-16) is negative."},
      {"buffer_view.buffer 0r_r", {view_}, "buffer 16"},
      {"buffer_view.element_type 0r_i", {view_}, "553648160"},
      {"buffer_view.encoding_type 0r_i", {view_}, "1"},
      {"buffer_view.rank 0r_i", {view_}, "2"},
      {"buffer_view.dim 0ri_I", {view_, 1}, "2"},
      {"buffer_view.dim 0ri_I",
       {view_, 2},
       "OUT_OF_RANGE: Dimension 2 exceeds the rank (2)."},
      {"buffer_view.dim 0ri_I",
       {view_, -1},
       "OUT_OF_RANGE: Dimension -1 exceeds the rank (2)."},
  });
}

TEST_F(HalModuleTest, BufferViewAsserts) {
  const Ref<vm::Buffer> name = Text("input0");
  const int64_t shape[] = {4};
  const Ref<BufferView> opaque =
      *BufferView::Create(buffer_, shape, ElementType::kOpaque32);
  const Ref<BufferView> unsigned_ints =
      *BufferView::Create(buffer_, shape, ElementType::kUint32);
  const char* const kAssert = "buffer_view.assert 0rriiCID_v";
  Check({
      {kAssert, {view_, name, kF32, 1, 2, 2, 2}, "OK"},
      {kAssert, {opaque, name, kF32, 1, 1, 4}, "OK"},
      {kAssert, {unsigned_ints, name, kI32, 1, 1, 4}, "OK"},
      {kAssert,
       {view_, name, kF32, 1, 2, 2, 3},
       "INVALID_ARGUMENT: input0: expected 2x3xf32, have 2x2xf32; dimension 1 "
       "is 2, not 3."},
      {kAssert,
       {view_, name, kF32, 1, 1, 4},
       "INVALID_ARGUMENT: input0: expected 4xf32, have 2x2xf32; the rank is 2, "
       "not 1."},
      {kAssert,
       {view_, name, kI32, 1, 2, 2, 2},
       "INVALID_ARGUMENT: input0: expected 2x2xi32, have 2x2xf32; the element "
       "type is f32, not i32."},
      {kAssert,
       {view_, name, kF32, 2, 2, 2, 2},
       "INVALID_ARGUMENT: input0: expected 2x2xf32, have 2x2xf32; the encoding "
       "is 1, not 2."},
      {kAssert,
       {nullptr, name, kF32, 1, 0},
       "INVALID_ARGUMENT: Argument 0 is null; a hal.buffer_view is required."},
  });
}

TEST_F(HalModuleTest, Traces) {
  EXPECT_EQ(Call("buffer_view.trace 0rCrD_v",
                 {Text("f::dispatch_0 inputs"), 2, view_, view_}),
            "OK");
  EXPECT_EQ(trace_, "f::dispatch_0 inputs 2x2xf32 2x2xf32");
  EXPECT_EQ(Call("buffer_view.trace 0rCrD_v", {Text("x"), 1, nullptr}),
            "INVALID_ARGUMENT: Tensor 0 to trace is null.");
}

TEST_F(HalModuleTest, Fences) {
  EXPECT_EQ(Call("fence.create 0rI_r", {device_, 0}), "fence 1");
  const Ref<Fence> fence = Last<Fence>();
  EXPECT_EQ(Call("fence.create 0ri_r", {device_, 0}), "fence 1");
  const Ref<Fence> failed = Last<Fence>();
  const Ref<Fence> empty = MakeRef<Fence>();
  const char* const kAwait = "fence.await 0iICrD_i";
  Check({
      {"fence.query 0r_i", {fence}, "17"},
      {"fence.query 0r_i", {empty}, "0"},
      {"fence.join 0ICrD_r", {0, 3, fence, nullptr, failed}, "fence 2"},
      {"fence.join 0CrD_r", {2, fence, fence}, "fence 1"},
      {"fence.join 0ICrD_r", {0, 2, empty, nullptr}, "null"},
      {"fence.join 0ICrD_r", {0, 0}, "null"},
      {kAwait, {kRest, 0, 0}, "0"},
      {kAwait, {kRest, 0, 2, empty, nullptr}, "0"},
      {kAwait, {0, 0, 1, fence}, "4"},
      {kAwait, {1, 0, 2, empty, fence}, "4"},
      {"fence.await 0iCrD_i", {0, 1, fence}, "4"},
      {"fence.fail 0ri_v",
       {failed, 0},
       "INVALID_ARGUMENT: Status 0 (OK) cannot fail a fence."},
      {"fence.fail 0ri_v", {failed, 13}, "OK"},
      {"fence.query 0r_i", {failed}, "13"},
      {kAwait,
       {kRest, 0, 2, fence, failed},
       "INTERNAL: The module fails the fence with status 13."},
      {"fence.signal 0r_v", {fence}, "OK"},
      {"fence.query 0r_i", {fence}, "0"},
      {kAwait, {kRest, 0, 1, fence}, "0"},
  });
}

// If at most one fence is not reached, the join is one of the fences.
TEST_F(HalModuleTest, JoinsOfOneFence) {
  const Ref<Fence> waits = *device_->CreateFence();
  const Ref<Fence> reached = *device_->CreateFence();
  ASSERT_TRUE(reached->Signal().ok());
  const Ref<Fence> failed = *device_->CreateFence();
  failed->Fail(absl::InternalError("It fails."));
  const struct {
    Args args;
    Ref<Fence> want;  // null: one of its own, of both points
  } kCases[] = {
      {{0, 1, waits}, waits},
      {{0, 1, reached}, reached},
      {{0, 1, failed}, failed},
      {{0, 2, reached, waits}, waits},
      {{0, 3, failed, reached, nullptr}, failed},
      {{0, 2, reached, reached}, reached},
      {{0, 2, waits, failed}, nullptr},
      {{0, 3, waits, reached, failed}, nullptr},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(&c - kCases);
    const std::string said = Call("fence.join 0ICrD_r", c.args);
    EXPECT_EQ(said, c.want ? "fence 1" : "fence 2");
    EXPECT_EQ(Last<Fence>() == c.want, c.want != nullptr);
  }
}

TEST_F(HalModuleTest, ImportsMutableMemoryInPlace) {
  const Ref<Allocator> allocator = Ref<Allocator>::Share(&device_->allocator());
  const Ref<vm::Buffer> host = *vm::Buffer::Allocate(128);
  const char* const kImport = "allocator.import 0riIiirII_r";
  EXPECT_EQ(Call(kImport, {allocator, 1, kRest, kLocal, kUsage, host, 64, 32}),
            "buffer 32");
  EXPECT_EQ(Last<Buffer>()->host_data(), host->data() + 64);
  Check({
      {kImport,
       {allocator, 1, kRest, kLocal, kUsage, host, 0, kRest},
       "buffer 128"},
      {kImport, {allocator, 1, kRest, kLocal, kUsage, host, 8, 16}, "null"},
      {kImport,
       {allocator, 0, kRest, kLocal, kUsage, host, 8, 16},
       "UNAVAILABLE: The memory is not aligned to 64 bytes."},
      {kImport,
       {allocator, 1, kRest, kLocal, kUsage, host, 64, 65},
       "OUT_OF_RANGE: The range of 65 bytes at offset 64 exceeds the buffer's "
       "size (128 bytes)."},
      {kImport,
       {allocator, 1, kRest, kLocal, kUsage, host, 64, -2},
       "OUT_OF_RANGE: The source length (-2) is negative."},
      {kImport,
       {allocator, 1, kRest, kLocal, kUsage, host, -64, 1},
       "OUT_OF_RANGE: The source offset (-64) is negative."},
  });
}

TEST_F(HalModuleTest, ImportedConstantsArePrivate) {
  const Ref<Allocator> allocator = Ref<Allocator>::Share(&device_->allocator());
  std::vector<uint8_t> bytes(256, 7);
  const Ref<vm::Buffer> rodata = vm::Buffer::Borrow(bytes, nullptr);
  for (int64_t offset : {0, 3}) {
    EXPECT_EQ(Call("allocator.import 0riIiirII_r",
                   {allocator, 1, kRest, kLocal, kUsage, rodata, offset, 64}),
              "buffer 64");
    EXPECT_EQ(Last<Buffer>()->host_data()[5], 7);
    Last<Buffer>()->host_data()[5] = 8;
    EXPECT_EQ(bytes[offset + 5], 7);
  }
}

TEST_F(HalModuleTest, ImportedFilePagesArePrivateAndNotCopied) {
  std::string path = absl::StrCat(std::getenv("TEST_TMPDIR"), "/constants");
  std::ofstream(path) << std::string(100'000, 'a');
  auto file = *MappedFile::Open(path);
  const Ref<vm::Buffer> rodata =
      vm::Buffer::Borrow(file->bytes().subspan(64, 90'000), file, file.get());
  const Ref<Allocator> allocator = Ref<Allocator>::Share(&device_->allocator());
  std::vector<Ref<Buffer>> imported;
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(Call("allocator.import 0riIiirII_r",
                   {allocator, 1, kRest, kLocal, kUsage, rodata, 64, 80'000}),
              "buffer 80000");
    imported.push_back(Last<Buffer>());
    // A mapping keeps its offset within a page; a copy may not.
    const auto address =
        reinterpret_cast<uintptr_t>(imported.back()->host_data());
    EXPECT_EQ(address % 4096, 128u);
  }
  imported[0]->host_data()[70'000] = 'b';
  EXPECT_EQ(imported[1]->host_data()[70'000], 'a');
  EXPECT_EQ(rodata->data()[64 + 70'000], 'a');
  std::ifstream again(path);
  again.seekg(70'128);
  EXPECT_EQ(again.get(), 'a');
}

}  // namespace
}  // namespace eyrie::hal
