// Tests messages of protocol buffers, and the shapes of buffers.
#include "plugins/pjrt/compile_options.h"

#include <cstdint>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "plugins/pjrt/shape.h"
#include "plugins/pjrt/wire.h"
#include "tests/support/status_text.h"

namespace eyrie::pjrt {
namespace {

std::string Number(uint64_t number, uint64_t value) {
  std::string out;
  AppendNumber(number, value, out);
  return out;
}

std::string Message(uint64_t number, const std::string& content) {
  std::string out;
  AppendBytes(number, content, out);
  return out;
}

TEST(CompileOptions, Devices) {
  const std::string none = Number(1, uint64_t(-1));  // device_ordinal: -1
  const struct {
    std::string bytes;
    int64_t device;  // -1: not given
    const char* want;
  } kRows[] = {
      {"", -1, "OK"},
      {Message(3, none), -1, "OK"},
      {Message(3, Number(1, 2)), 2, "OK"},
      {Message(3, none + Message(9, DeviceAssignmentOf(3))), 3, "OK"},
      {Message(3, Message(9, DeviceAssignmentOf(3)) + none), 3, "OK"},
      // Repeated numbers that are not packed.
      {Message(3, Message(9, Message(3, Number(1, 4)))), 4, "OK"},
      // Unknown fields of each wire type.
      {Number(99, 1) + Message(98, "x") + "\xa9\x06" + "12345678" + "\xad\x06" +
           "1234",
       -1, "OK"},
      {Message(3, Number(4, 1) + Number(5, 2)), -1,
       "UNIMPLEMENTED: The program is for 2 partitions; this plug-in runs "
       "programs with one. (in the options of the compilation)"},
      {Message(3, Message(9, Number(1, 8))), -1,
       "UNIMPLEMENTED: The program is for 8 replicas; this plug-in runs "
       "programs with one. (in the options of the compilation)"},
      {Message(7, Message(1, "eyrie_flags") + Message(2, Message(1, "-O"))), -1,
       "OK"},
      {Message(7, Message(1, "xla_fast") + Message(2, Number(2, 1))), -1,
       "INVALID_ARGUMENT: There is no compiler option 'xla_fast'; "
       "\"eyrie_flags\" has flags of the compiler. (in the options of the "
       "compilation)"},
      {"\x1a\x05x", -1,
       "INVALID_ARGUMENT: The bytes are no message of protocol buffers. (in "
       "the options of the compilation)"},
      {std::string(11, '\xff'), -1,
       "INVALID_ARGUMENT: The bytes are no message of protocol buffers. (in "
       "the options of the compilation)"},
  };
  for (const auto& row : kRows) {
    const auto options = ReadCompileOptions(row.bytes);
    EXPECT_EQ(StatusText(options), row.want);
    if (options.ok()) {
      EXPECT_EQ(options->device.value_or(-1), row.device);
    }
  }
}

TEST(Shape, Texts) {
  const struct {
    const char* text;
    const char* want;
  } kRows[] = {
      {"f32", "OK"},
      {"4x2xui8", "OK"},
      {"0xcomplex<f32>", "OK"},
      {"1x2x3xf8E4M3FN", "OK"},
      {"4", "INVALID_ARGUMENT: \"4\" is not the shape of an array."},
      {"-1xf32", "INVALID_ARGUMENT: \"-1xf32\" is not the shape of an array."},
      {"4xtoken",
       "INVALID_ARGUMENT: \"4xtoken\" is not the shape of an array."},
      {"4xi4", "UNIMPLEMENTED: Buffers cannot have elements of type i4."},
      {"99999999999999999999xf32",
       "INVALID_ARGUMENT: \"99999999999999999999xf32\" is not the shape of an "
       "array."},
  };
  for (const auto& row : kRows) {
    const auto shape = ReadShape(row.text);
    EXPECT_EQ(StatusText(shape), row.want);
    if (shape.ok()) {
      EXPECT_EQ(ToText(*shape), row.text);
    }
  }
}

TEST(Shape, Strides) {
  const Shape shape = *ReadShape("2x3x4xf32");
  const struct {
    std::vector<int64_t> order;
    std::vector<int64_t> want;  // empty: refused
  } kRows[] = {
      {{2, 1, 0}, {48, 16, 4}}, {{0, 1, 2}, {4, 8, 24}},
      {{1, 2, 0}, {48, 4, 12}}, {{0, 1}, {}},
      {{0, 1, 1}, {}},          {{0, 1, 3}, {}},
      {{0, -1, 2}, {}},
  };
  for (const auto& row : kRows) {
    const auto strides = StridesOf(shape, row.order);
    EXPECT_EQ(strides.ok(), !row.want.empty());
    if (strides.ok()) {
      EXPECT_EQ(*strides, row.want);
    }
  }
  EXPECT_EQ(RowMajorStrides(shape), (std::vector<int64_t>{48, 16, 4}));
}

}  // namespace
}  // namespace eyrie::pjrt
