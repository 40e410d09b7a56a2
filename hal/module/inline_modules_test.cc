// Tests the `hal_inline` and `hal_loader` modules: tables, buffers and their
// bytes, dispatches on host memory, and errors.
#include "hal/module/inline_modules.h"

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/ref.h"
#include "gtest/gtest.h"
#include "hal/module/testing/hal_module_fixture.h"
#include "vm/object/buffer.h"

namespace eyrie::hal {
namespace {

// Logs dispatches, and doubles the elements of the first binding.
class HostExecutable final : public Executable {
 public:
  std::span<const ExportInfo> exports() const override { return exports_; }
  absl::Status RunOnHost(const HostDispatch& dispatch) const override {
    log = absl::StrCat(
        exports_[dispatch.ordinal].name, " ", dispatch.workgroup_count[0], "x",
        dispatch.workgroup_count[1], "x", dispatch.workgroup_count[2]);
    for (const uint32_t constant : dispatch.constants) {
      absl::StrAppend(&log, " ", constant);
    }
    for (const HostBinding& binding : dispatch.bindings) {
      absl::StrAppend(&log, " ", binding.length,
                      binding.read_only ? " read-only" : "");
      if (!binding.read_only) binding.data[0] *= 2;
    }
    return absl::OkStatus();
  }

  mutable std::string log;

 private:
  ExportInfo exports_[2] = {{"first", 2, 1, {1, 1, 1}},
                            {"second", 0, 2, {1, 1, 1}}};
};

class HostDevice final : public FakeDevice {
 public:
  absl::StatusOr<Ref<Executable>> CreateExecutable(
      const ExecutableParams& params) override {
    if (params.format != "good") return absl::UnimplementedError("format");
    return Ref<Executable>(executable);
  }
  std::optional<int64_t> Query(absl::string_view category,
                               absl::string_view key) const override {
    if (category == "hal.executable.format") return key == "good";
    return FakeDevice::Query(category, key);
  }

  Ref<HostExecutable> executable = MakeRef<HostExecutable>();
};

class InlineModulesTest : public HalModuleTest {
 protected:
  InlineModulesTest() { Use(CreateHalInlineModule); }

  void Use(decltype(&CreateHalModule) create) {
    module_ = *create({host_}, {});
    state_ = *module_->CreateState();
  }

  Ref<HostDevice> host_ = MakeRef<HostDevice>();
};

TEST_F(InlineModulesTest, NeedADevice) {
  for (const auto create : {CreateHalInlineModule, CreateHalLoaderModule}) {
    EXPECT_EQ(create({}, {}).status().code(),
              absl::StatusCode::kInvalidArgument);
  }
}

TEST_F(InlineModulesTest, BuffersAreTheirStorage) {
  EXPECT_EQ(Call("buffer.allocate 0iI_rr", {64, 8}), "buffer 8 vm.buffer");
  const Ref<vm::Buffer> storage = Last<vm::Buffer>();
  EXPECT_EQ(storage->size(), 8u);
  EXPECT_TRUE(storage->is_mutable());
  EXPECT_EQ(Call("buffer.storage 0r_r", {buffer_}), "vm.buffer");
  const Ref<vm::Buffer> of_buffer = Last<vm::Buffer>();
  EXPECT_EQ(of_buffer->data(), buffer_->host_data());
  EXPECT_EQ(Call("buffer.subspan 0rII_r", {buffer_, 4, 8}), "buffer 8");
  const Ref<Buffer> part = Last<Buffer>();
  EXPECT_EQ(Call("buffer.storage 0r_r", {part}), "vm.buffer");
  EXPECT_EQ(Last<vm::Buffer>()->bytes()[0], 5);
  EXPECT_EQ(Call("buffer.length 0r_I", {part}), "8");
  EXPECT_EQ(Call("buffer_view.buffer 0r_r", {view_}), "buffer 16");
}

TEST_F(InlineModulesTest, StorageKeepsItsBuffer) {
  EXPECT_EQ(Call("buffer.allocate 0iI_rr", {16, 4096}),
            "buffer 4096 vm.buffer");
  Ref<vm::Buffer> storage = Last<vm::Buffer>();
  last_ = nullptr;
  EXPECT_TRUE(storage->Store<int32_t>(1023, 7));
}

TEST_F(InlineModulesTest, Initialized) {
  const Ref<vm::Buffer> source = Text("abcdefgh");
  EXPECT_EQ(Call("buffer.allocate.initialized 0irII_rr", {16, source, 2, 3}),
            "buffer 3 vm.buffer");
  EXPECT_EQ(Last<vm::Buffer>()->text(), "cde");
  EXPECT_TRUE(source->Store<uint8_t>(2, 'x'));
  EXPECT_EQ(Last<vm::Buffer>()->text(), "cde");
}

TEST_F(InlineModulesTest, WrappedBytes) {
  // Writable bytes are shared; read-only ones are copied.
  alignas(64) uint8_t bytes[64] = {1, 2, 3};
  const Ref<vm::Buffer> writable = vm::Buffer::BorrowMutable(bytes, nullptr);
  const Ref<vm::Buffer> constant = vm::Buffer::Borrow(bytes, nullptr);
  EXPECT_EQ(Call("buffer.wrap 0rII_r", {writable, 0, 16}), "buffer 16");
  EXPECT_EQ(Last<Buffer>()->host_data(), bytes);
  EXPECT_EQ(Call("buffer.wrap 0rII_r", {constant, 1, 2}), "buffer 2");
  EXPECT_NE(Last<Buffer>()->host_data(), bytes + 1);
  EXPECT_EQ(Last<Buffer>()->host_data()[1], 3);
}

TEST_F(InlineModulesTest, Refusals) {
  const Ref<vm::Buffer> source = Text("abcdefgh");
  Check({
      {"buffer.allocate 0iI_rr",
       {64, -1},
       "OUT_OF_RANGE: The allocation size (-1) is negative."},
      {"buffer.allocate 0iI_rr",
       {128, 8},
       "INVALID_ARGUMENT: The alignment 128 is not a power of two up to 64."},
      {"buffer.allocate 0iI_rr",
       {-1, 8},
       "INVALID_ARGUMENT: The alignment -1 is not a power of two up to 64."},
      {"buffer.allocate 0iI_rr",
       {3, 8},
       "INVALID_ARGUMENT: The alignment 3 is not a power of two up to 64."},
      {"buffer.allocate.initialized 0irII_rr",
       {16, nullptr, 0, 8},
       "INVALID_ARGUMENT: Argument 1 is null; a vm.buffer is required."},
  });
  for (const Args& args : {Args{16, source, 1, 8}, Args{16, source, -1, 2},
                           Args{16, source, 9, 0}}) {
    EXPECT_EQ(Call("buffer.allocate.initialized 0irII_rr", args).substr(0, 12),
              "OUT_OF_RANGE");
    EXPECT_EQ(Call("buffer.wrap 0rII_r", {args.begin() + 1, args.end()})
                  .substr(0, 12),
              "OUT_OF_RANGE");
  }
}

TEST_F(InlineModulesTest, Queries) {
  Check({
      {"device.query.i64 0rr_iI", {Text("device"), Text("answer")}, "1 42"},
      {"device.query.i64 0rr_iI", {Text("device"), Text("other")}, "0 0"},
  });
  Use(CreateHalLoaderModule);
  Check({
      {"executable.query_support 0r_i", {Text("good")}, "1"},
      {"executable.query_support 0r_i", {Text("bad")}, "0"},
      {"executable.load 0rrr_r",
       {Text("bad"), Text(""), nullptr},
       "UNIMPLEMENTED: format"},
      {"executable.load 0rrr_r",
       {Text("good"), Text(""), Text("123")},
       "INVALID_ARGUMENT: The executable's constants (3 bytes) are not a "
       "multiple of 4 bytes."},
      {"executable.load 0rrr_r",
       {Text("good"), Text(""), nullptr},
       "hal.executable"},
      {"executable.lookup.function 0rr_I",
       {host_->executable, Text("second")},
       "1"},
  });
}

TEST_F(InlineModulesTest, Dispatches) {
  Use(CreateHalLoaderModule);
  const Ref<vm::Buffer> bytes = *vm::Buffer::Copy(std::vector<uint8_t>(8, 3));
  const Ref<vm::Buffer> constant = vm::Buffer::Borrow(bytes->bytes(), nullptr);
  const Ref<HostExecutable>& run = host_->executable;
  const char* kNew = "executable.dispatch 0rIiiiCiDCrIID_v";
  const char* kOld = "executable.dispatch 0riiiiCiDCrIID_v";
  const struct {
    Args args;  // spans with their counts
    const char* want;
    const char* log;
  } kCases[] = {
      {{run, 0, 4, 3, 2, 2, 7, -1, 1, bytes, 2, 5},
       "OK",
       "first 4x3x2 7 4294967295 5"},
      {{run, 1, 1, 1, 1, 0, 2, bytes, 0, 8, constant, 8, 0},
       "OK",
       "second 1x1x1 8 0 read-only"},
      {{run, 2, 1, 1, 1, 0, 0}, "OUT_OF_RANGE", ""},
      {{run, -1, 1, 1, 1, 0, 0}, "OUT_OF_RANGE", ""},
      {{run, 0, 1, 1, 1, 1, 7, 1, bytes, 0, 8}, "INVALID_ARGUMENT", ""},
      {{run, 1, 1, 1, 1, 0, 1, bytes, 0, 8}, "INVALID_ARGUMENT", ""},
      {{run, 0, 1, 1, 1, 2, 7, 8, 1, nullptr, 0, 8}, "INVALID_ARGUMENT", ""},
      {{run, 0, 1, 1, 1, 2, 7, 8, 1, bytes, 4, 5}, "OUT_OF_RANGE", ""},
      {{run, 0, 1, 1, 1, 2, 7, 8, 1, bytes, -1, 1}, "OUT_OF_RANGE", ""},
      {{run, 0, 1, 1, 1, 2, 7, 8, 1, bytes, 0, -2}, "OUT_OF_RANGE", ""},
      {{run, 0, -1, -1, -1, 2, 7, 8, 1, bytes, 0, 8}, "INVALID_ARGUMENT", ""},
      {{nullptr, 0, 1, 1, 1, 0, 0}, "INVALID_ARGUMENT", ""},
  };
  for (const char* call : {kNew, kOld}) {
    for (const auto& c : kCases) {
      SCOPED_TRACE(absl::StrCat(call, " row ", &c - kCases));
      run->log.clear();
      const std::string got = Call(call, c.args);
      EXPECT_EQ(got.substr(0, std::strlen(c.want)), c.want) << got;
      EXPECT_EQ(run->log, c.log);
    }
  }
  EXPECT_EQ(bytes->bytes()[2], 12);  // doubled by each signature
  // Executables of drivers that cannot run on the host.
  const Ref<FakeExecutable> fake = MakeRef<FakeExecutable>();
  EXPECT_EQ(Call(kNew, {fake, 1, 1, 1, 1, 0, 0}).substr(0, 13),
            "UNIMPLEMENTED");
}

}  // namespace
}  // namespace eyrie::hal
