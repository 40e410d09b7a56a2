// Programs must not change a module's file or a caller's arrays, and constants
// are not copied.
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "abi/call/session.h"
#include "abi/tensor/tensor_text.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "gtest/gtest.h"
#include "hal/buffer_view.h"
#include "tests/support/files.h"
#include "tests/support/module_builder.h"
#include "tests/support/sessions.h"
#include "tests/support/status_text.h"
#include "vm/module/module_def.h"

namespace eyrie {
namespace {

using Bytes = std::vector<uint8_t>;

constexpr char kModules[] = "tests/modules/3.13/";

std::unique_ptr<abi::Session> Link(const abi::Program& program) {
  auto devices = abi::OpenDevices({}, {});
  EXPECT_EQ(StatusText(devices), "OK");
  auto session = abi::Session::Create({program}, *std::move(devices));
  EXPECT_EQ(StatusText(session), "OK");
  return session.ok() ? *std::move(session) : nullptr;
}

// Returns a tensor from text such as "2xi32=7 8".
vm::Value Tensor(abi::Session& session, const std::string& text) {
  const size_t equals = text.find('=');
  auto spec = hal::TensorType::ParseStatic(text.substr(0, equals));
  EXPECT_EQ(StatusText(spec), "OK");
  Bytes bytes(*spec->ByteLength());
  EXPECT_EQ(StatusText(abi::ParseElements(text.substr(equals + 1), *spec,
                                          std::span(bytes))),
            "OK");
  auto view = abi::CopyTensor(*session.devices()[0], *spec, bytes);
  EXPECT_EQ(StatusText(view), "OK");
  return vm::Value(Ref<RefObject>(*std::move(view)));
}

std::string Text(const vm::Value& value) {
  const auto* view = RefCast<hal::BufferView>(value.ref());
  if (view == nullptr) return "no tensor";
  const auto bytes = abi::BytesOf(*view);
  if (!bytes.ok()) return StatusText(bytes);
  const hal::TensorType spec = abi::SpecOf(*view);
  std::string text = absl::StrCat(spec.ToString(), "=");
  abi::AppendElements(*bytes, spec, 100, abi::FloatCase::kUpper, text);
  return text;
}

std::string Text(const absl::StatusOr<std::vector<vm::Value>>& values) {
  if (!values.ok()) return StatusText(values);
  std::vector<std::string> texts;
  for (const vm::Value& value : *values) texts.push_back(Text(value));
  return absl::StrJoin(texts, ", ");
}

absl::StatusOr<std::vector<vm::Value>> Call(
    abi::Session& session, const std::string& function,
    const std::vector<vm::Value>& arguments) {
  ASSIGN_OR_RETURN(abi::Callable callable, session.Lookup(function));
  return tests::CallRegisters(session, callable, arguments);
}

class ConstantsTest : public testing::TestWithParam<const char*> {};

// The module updates two constants in place.
TEST_P(ConstantsTest, WritesStayInTheirContext) {
  const std::string path = absl::StrCat(kModules, GetParam());
  const Bytes before = FileBytes(path);
  const auto program = abi::LoadProgram(path);
  ASSERT_EQ(StatusText(program), "OK");
  const auto first = Link(*program);
  const auto second = Link(*program);
  const auto a = Call(*first, "patch", {Tensor(*first, "2xi32=-1 -2")});
  const auto b = Call(*second, "patch", {Tensor(*second, "2xi32=7 8")});
  const auto c = Call(*first, "patch_twice", {Tensor(*first, "2xi32=-3 -4")});
  const auto d = Call(*second, "patch_twice", {Tensor(*second, "2xi32=5 6")});
  EXPECT_EQ(Text(a), "6xi32=10 -1 -2 40 50 60");
  EXPECT_EQ(Text(b), "6xi32=10 7 8 40 50 60");
  EXPECT_EQ(Text(c), "6xi32=11 -3 -4 41 51 61, 6xi32=11 21 31 41 -3 -4");
  EXPECT_EQ(Text(d), "6xi32=11 5 6 41 51 61, 6xi32=11 21 31 41 5 6");

  // A new context begins with the file's constants. The file is unchanged.
  const auto third = Link(*program);
  EXPECT_EQ(Text(Call(*third, "patch_twice", {Tensor(*third, "2xi32=0 0")})),
            "6xi32=11 0 0 41 51 61, 6xi32=11 21 31 41 0 0");
  EXPECT_EQ(FileBytes(path), before);
  for (const vm::RodataDef& rodata : (*program)->def().rodata) {
    EXPECT_EQ(
        std::memcmp(rodata.bytes.data(), before.data() + rodata.file_offset,
                    rodata.bytes.size()),
        0)
        << "rodata at " << rodata.file_offset;
  }
}

INSTANTIATE_TEST_SUITE_P(Containers, ConstantsTest,
                         testing::Values("constants.vmfb",
                                         "constants.bare.vmfb",
                                         "constants.async.vmfb"));

// Returns VmRSS in bytes.
int64_t ResidentBytes() {
  std::ifstream status("/proc/self/status");
  std::string word;
  while (status >> word) {
    int64_t kilobytes = 0;
    if (word == "VmRSS:" && status >> kilobytes) return kilobytes << 10;
  }
  return 0;
}

constexpr uint32_t kSmall = 0xBEC0;
constexpr uint32_t kLarge = 1u << 30;

// Replaces each little-endian word kSmall by kLarge.
int ReplaceSizes(Bytes& bytes) {
  int count = 0;
  for (size_t i = 0; i + sizeof(kSmall) <= bytes.size(); ++i) {
    if (std::memcmp(&bytes[i], &kSmall, sizeof(kSmall)) != 0) continue;
    std::memcpy(&bytes[i], &kLarge, sizeof(kLarge));
    ++count;
  }
  return count;
}

// Writes a module with a constant of 1 GiB in a sparse file: only the
// constant's last kSmall bytes are stored.
std::string WriteLargeModule(bool zip) {
  tests::ModuleBuilder builder;
  builder.AddRodata(Bytes(kSmall, 0x5A), /*external=*/true);
  builder.AddFunction("length", "0_I",
                      "entry: const.ref.rodata 0 r0 "
                      "buffer.length r0 i0 return [i0]");
  builder.AddFunction("at", "0I_i",
                      "entry: const.ref.rodata 0 r0 "
                      "buffer.load.i8.u r0 i0 i2 return [i2]");
  const Bytes file = zip ? builder.BuildZip() : builder.Build();
  const Bytes constant(kSmall, 0x5A);
  const size_t at =
      std::search(file.begin(), file.end(), constant.begin(), constant.end()) -
      file.begin();
  Bytes head(file.begin(), file.begin() + at);
  Bytes tail(file.begin() + at + kSmall, file.end());
  EXPECT_EQ(ReplaceSizes(head), zip ? 3 : 1);
  EXPECT_EQ(ReplaceSizes(tail), zip ? 2 : 0);
  if (zip) {  // position of the central directory
    const size_t place = tail.size() - 6;
    uint32_t offset;
    std::memcpy(&offset, &tail[place], sizeof(offset));
    offset += kLarge - kSmall;
    std::memcpy(&tail[place], &offset, sizeof(offset));
  }
  const std::string path = absl::StrCat(testing::TempDir(), "/large.",
                                        zip ? "zip" : "bare", ".vmfb");
  std::ofstream out(path, std::ios::binary);
  out.write(reinterpret_cast<const char*>(head.data()), head.size());
  out.seekp(at + kLarge - kSmall);
  out.write(reinterpret_cast<const char*>(constant.data()), kSmall);
  out.write(reinterpret_cast<const char*>(tail.data()), tail.size());
  return path;
}

TEST(MemoryTest, LargeConstantsCostNoCopy) {
  // The code that runs for the first time counts, too.
  constexpr int64_t kAllowed = kLarge / 32;
  for (bool zip : {false, true}) {
    SCOPED_TRACE(zip ? "ZIP" : "bare");
    const std::string path = WriteLargeModule(zip);
    const int64_t before = ResidentBytes();
    const auto program = abi::LoadProgram(path);
    ASSERT_EQ(StatusText(program), "OK");
    const auto session = Link(*program);
    const auto length = Call(*session, "length", {});
    ASSERT_EQ(StatusText(length), "OK");
    EXPECT_EQ(length->front().i64(), kLarge);
    const auto first = Call(*session, "at", {vm::Value(int64_t{0})});
    const auto last = Call(*session, "at", {vm::Value(int64_t{kLarge - 1})});
    ASSERT_EQ(StatusText(last), "OK");
    EXPECT_EQ(first->front().i32(), 0);
    EXPECT_EQ(last->front().i32(), 0x5A);
    EXPECT_LT(ResidentBytes() - before, kAllowed);
    unlink(path.c_str());
  }
}

}  // namespace
}  // namespace eyrie
