// Tests imports of releases before 20240828: descriptor sets, layouts, and
// dispatches that take what was pushed.
#include <cstdint>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "hal/module/testing/hal_module_fixture.h"
#include "hal/pipeline_layout.h"

namespace eyrie::hal {
namespace {

constexpr char kSet[] = "descriptor_set_layout.create 0riCiiiD_r";
constexpr char kLayout[] = "pipeline_layout.create 0riCrD_r";
constexpr char kExecutable[] = "executable.create 0rrrrCrD_r";
constexpr char kConstants[] = "command_buffer.push_constants 0rriCiD_v";
constexpr char kDescriptors[] =
    "command_buffer.push_descriptor_set 0rriCiirIID_v";
constexpr char kDispatch[] = "command_buffer.dispatch 0rriiii_v";
constexpr char kIndirect[] = "command_buffer.dispatch.indirect 0rrirI_v";
constexpr int kStorage = 7;

class DescriptorTest : public HalModuleTest {
 protected:
  DescriptorTest() {
    EXPECT_EQ(Call(kSet, {device_, 0, 1, 3, kStorage, 0}),
              "hal.descriptor_set_layout");
    set_ = last_;
    EXPECT_EQ(Call(kLayout, {device_, 2, 1, set_}), "hal.pipeline_layout");
    layout_ = last_;
    EXPECT_EQ(Call(kLayout, {device_, 0, 0}), "hal.pipeline_layout");
    const Ref<RefObject> empty = last_;
    EXPECT_EQ(Call(kExecutable, {device_, Text("fake"), Text("data"), nullptr,
                                 2, layout_, empty}),
              "hal.executable");
    executable_ = last_;
    device_->TakeLog();
    EXPECT_EQ(Call("command_buffer.create 0riii_r", {device_, 1, 3, 2}),
              "hal.command_buffer");
    commands_ = Last<CommandBuffer>();
  }

  // Calls an import on the command buffer. Returns what is recorded, or the
  // error.
  std::string Record(const char* call, const Args& args) {
    Args all = {commands_};
    all.insert(all.end(), args.begin(), args.end());
    const std::string got = Call(call, all);
    return got == "OK" ? CommandText(*commands_) : got;
  }

  Ref<RefObject> set_;
  Ref<RefObject> layout_;      // two constants, binding 3 of set 0
  Ref<RefObject> executable_;  // first: layout_; second: an empty layout
  Ref<CommandBuffer> commands_;
};

TEST_F(DescriptorTest, DispatchesTakeWhatWasPushed) {
  EXPECT_EQ(Record(kConstants, {layout_, 0, 2, 10, 11}), "");
  EXPECT_EQ(Record(kDescriptors, {layout_, 0, 1, 3, 0, buffer_, 4, 8}), "");
  const std::string first = "dispatch 0 1x2x3 {10,11} (4+8 of 16)";
  EXPECT_EQ(Record(kDispatch, {executable_, 0, 1, 2, 3}), first);
  // Later values replace earlier ones, and only those.
  EXPECT_EQ(Record(kConstants, {layout_, 1, 1, 12}), first);
  const std::string second = "dispatch 0 1x1x1 {10,12} (4+8 of 16)";
  const std::string both = absl::StrCat(first, "; ", second);
  EXPECT_EQ(Record(kDispatch, {executable_, 0, 1, 1, 1}), both);
  EXPECT_EQ(Record(kDescriptors, {layout_, 0, 1, 3, 1, nullptr, 0, kRest}),
            both);
  const std::string all =
      absl::StrCat(both, "; dispatch 0 1x1x1 {10,12} (0+rest of slot 1)");
  EXPECT_EQ(Record(kDispatch, {executable_, 0, 1, 1, 1}), all);
  EXPECT_EQ(Record(kDispatch, {executable_, 1, 4, 1, 1}),
            absl::StrCat(all, "; dispatch 1 4x1x1 {} ()"));
}

// The bytes that layouts charge, and executables for the layout of each export.
TEST_F(DescriptorTest, MemoryOfLayouts) {
  const auto* set = RefCast<DescriptorSetLayout>(set_.get());
  EXPECT_EQ(LayoutBytes(*set),
            sizeof(DescriptorSetLayout) + sizeof(DescriptorBinding));
  const auto* layout = RefCast<PipelineLayout>(layout_.get());
  EXPECT_EQ(LayoutBytes(*layout),
            sizeof(PipelineLayout) + sizeof(DescriptorBinding));
}

TEST_F(DescriptorTest, IndirectDispatch) {
  BufferParams params;
  params.usage |= buffer_usage::kDispatchIndirectParameters;
  const Ref<Buffer> counts = *device_->allocator().Allocate(params, 24);
  EXPECT_EQ(Record(kIndirect, {executable_, 1, counts, 12}),
            "dispatch 1 [12+12 of 24] {} ()");
  EXPECT_EQ(Record(kIndirect, {executable_, 1, counts, -4}),
            "OUT_OF_RANGE: The workgroup counts' offset (-4) is negative.");
}

TEST_F(DescriptorTest, BadDispatches) {
  Args wide = {layout_, 0, 65};
  for (int i = 0; i < 65; ++i) wide.insert(wide.end(), {0, 0, buffer_, 0, 16});
  const struct {
    const char* call;
    Args args;
    const char* want;
  } kCases[] = {
      {kDispatch,
       {executable_, 0, 1, 1, 1},
       "FAILED_PRECONDITION: The dispatch uses binding 3 of set 0, which was "
       "not pushed."},
      {kDispatch,
       {executable_, 2, 1, 1, 1},
       "OUT_OF_RANGE: The dispatch's entry point (2) has no layout; the "
       "executable has 2."},
      {kDispatch,
       {executable_, -1, 1, 1, 1},
       "OUT_OF_RANGE: The dispatch's entry point (-1) has no layout; the "
       "executable has 2."},
      {kDispatch,
       {executable_, 1, 1, -1, 1},
       "OUT_OF_RANGE: The workgroup count (-1) is negative."},
      {kConstants,
       {layout_, 63, 2, 1, 2},
       "OUT_OF_RANGE: The pushed constants 63 to 65 exceed the limit of 64."},
      {kConstants,
       {layout_, -1, 1, 1},
       "OUT_OF_RANGE: The offset of pushed constants (-1) is negative."},
      {kDescriptors,
       {layout_, 32, 0},
       "OUT_OF_RANGE: The descriptor set (32) must be below 32."},
      {kDescriptors,
       {layout_, 0, 1, 64, 0, buffer_, 0, 16},
       "OUT_OF_RANGE: The binding of a set (64) must be below 64."},
      {kDescriptors, wide,
       "OUT_OF_RANGE: A push has 65 descriptors; the limit is 64."},
      {"command_buffer.execute.commands 0rrCrIID_v",
       {commands_, 0},
       "UNIMPLEMENTED: Command buffers within others "
       "(hal.command_buffer.execute.commands) are not supported."},
  };
  for (const auto& c : kCases) EXPECT_EQ(Record(c.call, c.args), c.want);
  // The limit of descriptors, which are 32 sets of 64 bindings.
  for (int set = 0; set < 32; ++set) {
    for (int i = 0; i < 64; ++i) {
      ASSERT_EQ(Record(kDescriptors, {layout_, set, 1, i, 0, buffer_, 0, 16}),
                "");
    }
  }
  EXPECT_EQ(Call("command_buffer.finalize 0r_v", {commands_}), "OK");
  EXPECT_EQ(Record(kConstants, {layout_, 0, 1, 1}),
            "FAILED_PRECONDITION: Arguments are pushed to a command buffer "
            "that is finalized.");
}

TEST_F(DescriptorTest, BadLayouts) {
  Args many = {device_, 0, 65};
  for (int i = 0; i < 65; ++i) many.insert(many.end(), {i, kStorage, 0});
  Args wide = {device_, 0, 33};
  for (int i = 0; i < 33; ++i) wide.push_back(set_);
  Check({
      {kSet, many,
       "OUT_OF_RANGE: The layout of a set has 65 bindings; the limit is 64."},
      {kSet,
       {device_, 0, 1, -1, kStorage, 0},
       "OUT_OF_RANGE: The binding of a set (-1) is negative."},
      {kSet,
       {device_, 0, 1, 0, 3, 0},
       "UNIMPLEMENTED: Binding 0 has the descriptor type 3; supported are 6 "
       "and 7."},
      {kSet,
       {device_, 0, 2, 1, kStorage, 0, 1, 6, 0},
       "INVALID_ARGUMENT: The layout of a set has two bindings 1."},
      {kLayout,
       {device_, 65, 0},
       "OUT_OF_RANGE: The number of push constants (65) must be below 65."},
      {kLayout,
       {device_, 0, 1, nullptr},
       "INVALID_ARGUMENT: Set 0 of a pipeline layout is null."},
      {kLayout, wide,
       "OUT_OF_RANGE: A pipeline layout has 33 sets; the limit is 32."},
      {kExecutable,
       {device_, Text("fake"), Text("data"), nullptr, 1, nullptr},
       "INVALID_ARGUMENT: Layout 0 of the executable is null."},
  });
}

TEST_F(HalModuleTest, OlderBuffersAndDevices) {
  const Ref<vm::Buffer> bytes =
      *vm::Buffer::Copy(std::vector<uint8_t>{9, 8, 7, 6});
  const Ref<Allocator> allocator = Ref<Allocator>::Share(&device_->allocator());
  Check({
      {"ex.shared_device 0v_r", {}, "hal.device"},
      {"allocator.allocate 0riiI_r",
       {allocator, kLocal, kUsage, 8},
       "buffer 8"},
      {"allocator.allocate 0riiI_r",
       {allocator, kLocal, kUsage, -8},
       "OUT_OF_RANGE: The allocation size (-8) is negative."},
      {"allocator.map.byte_buffer 0riiirII_r",
       {allocator, 1, kLocal, kUsage, bytes, 1, 2},
       "null"},
      {"allocator.map.byte_buffer 0riiirII_r",
       {allocator, 0, kLocal, kUsage, bytes, 1, 2},
       "UNAVAILABLE: The memory is not aligned to 64 bytes."},
      {"allocator.allocate.initialized 0riirII_r",
       {allocator, kLocal, kUsage, bytes, 1, 4},
       "OUT_OF_RANGE: The range of 4 bytes at offset 1 exceeds the buffer's "
       "size (4 bytes)."},
      {"allocator.allocate.initialized 0riirII_r",
       {allocator, kLocal, kUsage, bytes, 1, 3},
       "buffer 3"},
  });
  EXPECT_EQ(Last<Buffer>()->host_data()[2], 6);
}

TEST_F(HalModuleTest, OlderRecording) {
  CheckRecorded({
      {"command_buffer.fill_buffer 0rrIIii_v",
       {buffer_, 4, 8, 0x0102, 2},
       "fill 4+8 of 16 with 0x102010201020102"},
      {"command_buffer.copy_buffer 0rrIrII_v",
       {buffer_, 0, buffer_, 8, 8},
       "copy 0+8 of 16 to 8+8 of 16"},
  });
}

}  // namespace
}  // namespace eyrie::hal
