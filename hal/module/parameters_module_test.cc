// Tests the queue operations for parameters, and that errors fail the signal
// fence.
#include "hal/module/parameters_module.h"

#include <cstring>

#include "hal/host_semaphore.h"
#include "hal/module/testing/hal_module_fixture.h"
#include "tests/support/apart_device.h"
#include "tests/support/cpu_device.h"
#include "vm/object/list.h"

namespace eyrie::hal {
namespace {

constexpr char kLoad[] = "load 0rIrrrIiirrr_r";
constexpr char kGather[] = "gather 0rIrrrrrrr_v";
constexpr char kScatter[] = "scatter 0rIrrrrrrr_v";
// The imports of 20231113.
constexpr char kLoadOne[] = "load 0rIrrrrIIiiI_r";
constexpr char kReadOne[] = "read 0rIrrrrIrII_v";
constexpr char kWriteOne[] = "write 0rIrrrrIrII_v";

ParameterEntry Entry(std::string key, uint64_t length,
                     std::variant<FileOffset, Splat> storage) {
  ParameterEntry entry;
  entry.key = std::move(key);
  entry.length = length;
  entry.storage = storage;
  return entry;
}

template <typename T>
Ref<vm::Buffer> Words(std::vector<T> words) {
  std::vector<uint8_t> bytes(words.size() * sizeof(T));
  if (!bytes.empty()) std::memcpy(bytes.data(), words.data(), bytes.size());
  return *vm::Buffer::Copy(bytes);
}

// A scope "m" with "w", 24 bytes of a writable file, and "s", a 32-byte splat.
class ParametersModuleTest : public HalModuleTest {
 protected:
  ParametersModuleTest() {
    std::vector<uint8_t> bytes(32);
    for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = 100 + i;
    file_ = ParameterFile::FromBytes(bytes, "w.irpa");
    auto scopes = std::make_shared<ParameterScopes>();
    const absl::Status status = scopes->scope("m").Add(
        {Entry("w", 24, FileOffset{8}), Entry("s", 32, Splat{{0xAB, 0xCD}, 2}),
         Entry("wide", 32, Splat{{1, 2, 3, 4, 5, 6, 7, 8, 9}, 16})},
        file_);
    EXPECT_TRUE(status.ok()) << status;
    module_ = *CreateParametersModule({device_}, scopes);
    state_ = *module_->CreateState();
  }

  Ref<ParameterFile> file_;
  const Ref<vm::Buffer> scope_ = Text("m");
  const Ref<vm::Buffer> names_ = Text("wswide");
};

TEST_F(ParametersModuleTest, Transfers) {
  const Ref<Fence> done = Fence::ForPoint(MakeRef<HostSemaphore>(0), 1);
  const Ref<vm::Buffer> w = Words<uint32_t>({0, 1});
  const Ref<vm::Buffer> s = Words<uint32_t>({1, 1});
  const Ref<vm::Buffer> wide = Words<uint32_t>({2, 4});
  const Ref<vm::Buffer> both = Words<uint32_t>({0, 1, 1, 1});
  const Ref<vm::Buffer> none = Words<uint64_t>({});
  const Ref<vm::Buffer> whole = Words<uint64_t>({0, 0, 16});
  const Ref<vm::Buffer> odd = Words<uint64_t>({1, 4, 3});
  const Ref<vm::Buffer> two = Words<uint64_t>({8, 0, 8, 2, 8, 8});
  const Ref<vm::Buffer> fresh = Words<uint64_t>({8, 0, 8, 1, 0, 7});
  Check({
      {kGather,
       {device_, kRest, nullptr, done, scope_, buffer_, w, names_, whole},
       "OK",
       "read 16 at 0 to 0; barrier after"},
      {kGather,
       {device_, kRest, nullptr, nullptr, scope_, buffer_, s, names_, whole},
       "OK",
       "execute [fill 0+16 of 16 with 0xcdabcdabcdabcdab]; barrier after"},
      // Patterns that devices cannot fill with.
      {kGather,
       {device_, kRest, nullptr, nullptr, scope_, buffer_, s, names_, odd},
       "OK",
       "read 3 at 0 to 4; barrier after"},
      {kGather,
       {device_, kRest, nullptr, nullptr, scope_, buffer_, wide, names_, whole},
       "OK",
       "read 16 at 0 to 0; barrier after"},
      {kGather,
       {device_, kRest, nullptr, nullptr, scope_, buffer_, both, names_, two},
       "OK",
       "read 8 at 8 to 0; execute [fill 8+8 of 16 with 0xcdabcdabcdabcdab] "
       "after; barrier after"},
      {kScatter,
       {device_, kRest, nullptr, nullptr, buffer_, scope_, w, names_, odd},
       "OK",
       "write 3 at 4 to 1; barrier after"},
      {kLoad,
       {device_, kRest, nullptr, nullptr, scope_, kRest, kLocal, kUsage, both,
        names_, fresh},
       "vm.list",
       "alloca 8; read 8 at 8 to 0 after; alloca 7 after; read 7 at 0 to 0 "
       "after; barrier after"},
      {kLoad,
       {device_, kRest, nullptr, nullptr, scope_, kRest, kLocal, kUsage, none,
        names_, none},
       "vm.list",
       "barrier"},
  });
  EXPECT_TRUE(*done->Query());
}

// Files without a scope serve the scope that is asked for first.
TEST_F(ParametersModuleTest, FilesWithoutAScope) {
  auto scopes = std::make_shared<ParameterScopes>();
  const absl::Status status =
      scopes->scope("").Add({Entry("w", 24, FileOffset{8})}, file_);
  ASSERT_TRUE(status.ok()) << status;
  module_ = *CreateParametersModule({device_}, scopes);
  state_ = *module_->CreateState();
  const Ref<vm::Buffer> other = Text("n");
  const Ref<vm::Buffer> w = Words<uint32_t>({0, 1});
  const Ref<vm::Buffer> whole = Words<uint64_t>({0, 0, 16});
  const char* const read = "read 16 at 0 to 0; barrier after";
  const auto row = [&](const Ref<vm::Buffer>& scope) {
    return Args{device_, kRest, nullptr, nullptr, scope,
                buffer_, w,     names_,  whole};
  };
  Check({
      {kGather, row(scope_), "OK", read},
      {kGather, row(other),
       "NOT_FOUND: There are no parameters of the scope 'n'; given scopes: '' "
       "(--parameters=n=FILE).",
       ""},
      {kGather, row(scope_), "OK", read},
  });
}

TEST_F(ParametersModuleTest, Refusals) {
  const Ref<vm::Buffer> w = Words<uint32_t>({0, 1});
  const Ref<vm::Buffer> s = Words<uint32_t>({1, 1});
  const Ref<vm::Buffer> none = Words<uint32_t>({3, 1});
  const Ref<vm::Buffer> outside = Words<uint32_t>({~0u, ~0u});
  const Ref<vm::Buffer> whole = Words<uint64_t>({0, 0, 16});
  const Ref<vm::Buffer> past = Words<uint64_t>({~uint64_t{0}, 0, 16});
  const Ref<vm::Buffer> beyond = Words<uint64_t>({0, 8, 16});
  struct Row {
    const char* call;
    Ref<vm::Buffer> keys;
    Ref<vm::Buffer> spans;
    const char* want;
  };
  const Row rows[] = {
      {kGather, none, whole,
       "NOT_FOUND: There is no parameter 'i' among the 3 of the scope 'm'. Did "
       "you mean 'w'?"},
      {kGather, outside, whole,
       "OUT_OF_RANGE: Key 0 has 4294967295 bytes at offset 4294967295 of 6."},
      {kGather, w, past,
       "OUT_OF_RANGE: 16 bytes at offset 18446744073709551615 are not within "
       "the parameter 'w', which has 24 bytes."},
      {kGather, w, beyond,
       "OUT_OF_RANGE: The range of 16 bytes at offset 8 passes the end of the "
       "buffer (16 bytes)."},
      {kGather, w, w,
       "INVALID_ARGUMENT: The table of spans has 8 bytes; expected a multiple "
       "of 24."},
      {kGather, Words<uint32_t>({0}), whole,
       "INVALID_ARGUMENT: The table of keys has 4 bytes; expected at least 8, "
       "a "
       "key of 8 bytes for each span."},
      {kScatter, s, whole,
       "PERMISSION_DENIED: A parameter that is a splat cannot be written."},
  };
  for (const Row& row : rows) {
    const Ref<Fence> done = Fence::ForPoint(MakeRef<HostSemaphore>(0), 1);
    Args args = {device_, kRest, nullptr, done, scope_, buffer_};
    if (row.call == kScatter) std::swap(args[4], args[5]);
    args.insert(args.end(), {row.keys, names_, row.spans});
    const std::string got = Call(row.call, args);
    EXPECT_EQ(got, row.want);
    // The signal fence gets the error.
    EXPECT_EQ(done->Query().status().ToString(), got);
    device_->TakeLog();
  }
}

TEST_F(ParametersModuleTest, TransfersOfOneKey) {
  const Ref<Fence> done = Fence::ForPoint(MakeRef<HostSemaphore>(0), 1);
  const Ref<vm::Buffer> w = Text("w");
  const Ref<vm::Buffer> s = Text("s");
  Check({
      {kReadOne,
       {device_, kRest, nullptr, done, scope_, w, 8, buffer_, 4, 8},
       "OK",
       "read 8 at 8 to 4; barrier after"},
      {kReadOne,
       {device_, kRest, nullptr, nullptr, scope_, s, 0, buffer_, 8, 8},
       "OK",
       "execute [fill 8+8 of 16 with 0xcdabcdabcdabcdab]; barrier after"},
      {kWriteOne,
       {device_, kRest, nullptr, nullptr, scope_, w, 1, buffer_, 4, 3},
       "OK",
       "write 3 at 4 to 1; barrier after"},
      {kLoadOne,
       {device_, kRest, nullptr, nullptr, scope_, w, 8, kRest, kLocal, kUsage,
        8},
       "buffer 8",
       "alloca 8; read 8 at 8 to 0 after; barrier after"},
  });
  EXPECT_TRUE(*done->Query());
}

TEST_F(ParametersModuleTest, RefusalsOfOneKey) {
  const struct {
    const char* call;
    const char* key;
    int64_t offset;
    int64_t buffer_offset;
    int64_t length;
    const char* want;
  } rows[] = {
      {kReadOne, "i", 0, 0, 16,
       "NOT_FOUND: There is no parameter 'i' among the 3 of the scope 'm'. Did "
       "you mean 'w'?"},
      {kReadOne, "w", -1, 0, 16,
       "OUT_OF_RANGE: The offset of a parameter (-1) is negative."},
      {kReadOne, "w", 0, -1, 16,
       "OUT_OF_RANGE: The offset of a buffer (-1) is negative."},
      {kReadOne, "w", 0, 0, -1,
       "OUT_OF_RANGE: The length of a parameter (-1) is negative."},
      {kReadOne, "w", 20, 0, 8,
       "OUT_OF_RANGE: 8 bytes at offset 20 are not within the parameter 'w', "
       "which has 24 bytes."},
      {kReadOne, "w", 0, 8, 16,
       "OUT_OF_RANGE: The range of 16 bytes at offset 8 passes the end of the "
       "buffer (16 bytes)."},
      {kWriteOne, "s", 0, 0, 16,
       "PERMISSION_DENIED: A parameter that is a splat cannot be written."},
      {kLoadOne, "w", 20, 0, 8,
       "OUT_OF_RANGE: 8 bytes at offset 20 are not within the parameter 'w', "
       "which has 24 bytes."},
  };
  for (const auto& row : rows) {
    const Ref<Fence> done = Fence::ForPoint(MakeRef<HostSemaphore>(0), 1);
    const Ref<vm::Buffer> key = Text(row.key);
    Args args = {device_, kRest, nullptr, done, scope_, key, row.offset};
    if (row.call == kLoadOne) {
      args.insert(args.end(), {kRest, kLocal, kUsage, row.length});
    } else {
      args.insert(args.end(), {buffer_, row.buffer_offset, row.length});
    }
    const std::string got = Call(row.call, args);
    EXPECT_EQ(got, row.want);
    // The signal fence gets the error.
    EXPECT_EQ(done->Query().status().ToString(), got);
    device_->TakeLog();
  }
}

// A buffer that the device cannot use goes to the device that can.
TEST_F(ParametersModuleTest, DevicesApart) {
  const Ref<Device> asked = tests::CreateApartDevice(cpu::NewDevice());
  const Ref<Device> apart = tests::CreateApartDevice(cpu::NewDevice());
  const auto scopes = std::make_shared<ParameterScopes>();
  ASSERT_TRUE(
      scopes->scope("m").Add({Entry("w", 24, FileOffset{8})}, file_).ok());
  module_ = *CreateParametersModule({asked, apart}, scopes);
  state_ = *module_->CreateState();
  const Ref<Buffer> buffer = *apart->allocator().Allocate({}, 16);
  const Ref<vm::Buffer> w = Words<uint32_t>({0, 1});
  const Ref<vm::Buffer> whole = Words<uint64_t>({0, 0, 16});
  const Ref<vm::Buffer> back = Words<uint64_t>({20, 1, 2});
  const Ref<Fence> there = Fence::ForPoint(MakeRef<HostSemaphore>(0), 1);
  const Ref<Fence> done = Fence::ForPoint(MakeRef<HostSemaphore>(0), 1);
  EXPECT_EQ(Call(kGather, {asked, kRest, nullptr, there, scope_, buffer, w,
                           names_, whole}),
            "OK");
  EXPECT_EQ(Call(kScatter,
                 {asked, kRest, there, done, buffer, scope_, w, names_, back}),
            "OK");
  EXPECT_TRUE(*done->Query());
  EXPECT_EQ(file_->writable_bytes()[28], 109);
  EXPECT_EQ(file_->writable_bytes()[29], 110);
  const Ref<vm::Buffer> key = Text("w");
  const Ref<Fence> read = Fence::ForPoint(MakeRef<HostSemaphore>(0), 1);
  const Ref<Fence> written = Fence::ForPoint(MakeRef<HostSemaphore>(0), 1);
  EXPECT_EQ(
      Call(kReadOne, {asked, kRest, done, read, scope_, key, 16, buffer, 0, 4}),
      "OK");
  EXPECT_EQ(Call(kWriteOne,
                 {asked, kRest, read, written, scope_, key, 0, buffer, 1, 2}),
            "OK");
  EXPECT_TRUE(*written->Query());
  EXPECT_EQ(file_->writable_bytes()[8], 125);
  EXPECT_EQ(file_->writable_bytes()[9], 126);
}

}  // namespace
}  // namespace eyrie::hal
