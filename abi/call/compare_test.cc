// Tests the sentences on results that differ from the expected values.
// function_io_test.cc has the paragraphs that are printed to stdout.
#include "abi/call/compare.h"

#include <string>
#include <vector>

#include "abi/call/session.h"
#include "abi/call/value_reader.h"
#include "abi/call/value_text.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace eyrie::abi {
namespace {

TEST(Compare, Details) {
  const Ref<hal::Device> device = (*OpenDevices({}, hal::DriverOptions()))[0];
  const std::vector<ValueSlot> slots = {{vm::ValueType::kRef, nullptr, "x"}};
  const auto read = [&](const char* text) {
    ValueReader reader(device, "--input");
    return *reader.Read(std::vector<std::string>{text}, slots);
  };
  const struct {
    const char* expected;
    const char* actual;
    const char* want;
  } kRows[] = {
      {"4xf32=1 2 3 4", "4xf32=1 2 3 4", ""},
      {"5xf32=1", "4xf32=1", ""},  // no element can be compared
      {"4xf32=1 2 3 4", "4xf32=1 2.5 3 3",
       "2 of 4 elements differ; the largest error is 1 at [3] (3, expected "
       "4)"},
      // The first of equal errors.
      {"2x3xf64=0", "2x3xf64=0 0 0 0 2 2",
       "2 of 6 elements differ; the largest error is 2 at [1][1] (2, expected "
       "0)"},
      {"f32=1", "f32=2",
       "1 of 1 elements differs; the largest error is 1 (2, expected 1)"},
      {"3xf32=1 2 3", "3xf32=9 nan 30",
       "3 of 3 elements differ; the largest error is NAN at [1] (NAN, "
       "expected 2)"},
      {"2xf32=inf 1", "2xf32=3 9",
       "2 of 2 elements differ; the largest error is INF at [0] (3, expected "
       "INF)"},
      {"2xf16=1 2", "2xf16=1 2.5",
       "1 of 2 elements differs; the largest error is 0.5 at [1] (2.5, "
       "expected 2)"},
      {"2xf8E5M2=1 2", "2xf8E5M2=1 4",
       "1 of 2 elements differs; the largest error is 2 at [1] (4, expected "
       "2)"},
      {"3xi64=9223372036854775806 1 2", "3xi64=9223372036854775807 1 2",
       "1 of 3 elements differs; the largest error is 1 at [0] "
       "(9223372036854775807, expected 9223372036854775806)"},
      {"2xsi8=-128 1", "2xsi8=127 1",
       "1 of 2 elements differs; the largest error is 255 at [0] (127, "
       "expected -128)"},
      {"2xui8=1 200", "2xsi8=1 -56",
       "1 of 2 elements differs; the largest error is 256 at [1] (-56, "
       "expected 200)"},
      {"3xf4E2M1FN=1 -6 3", "3xf4E2M1FN=1 0.5 3",
       "1 of 3 elements differs; the largest error is 6.5 at [1] (0.5, "
       "expected -6)"},
      {"3xf6E2M3FN=1 7.5 3", "3xf6E2M3FN=1 7.5 2.75",
       "1 of 3 elements differs; the largest error is 0.25 at [2] (2.75, "
       "expected 3)"},
      {"3xi4=1 -8 3", "3xi4=1 7 3",
       "1 of 3 elements differs; the largest error is 15 at [1] (7, expected "
       "-8)"},
      {"2xi1=0 1", "2xi1=1 1",
       "1 of 2 elements differs; the largest error is 1 at [0] (01, expected "
       "00)"},
      {"2xcf64=1 2", "2xcf64=1 3",
       "1 of 2 elements differs; the first at [1] (0000404000000000, expected "
       "0000004000000000)"},
  };
  for (const auto& row : kRows) {
    const auto expected = read(row.expected);
    const std::vector<vm::Value> actual = {read(row.actual)[0].value};
    const Comparison comparison =
        *CompareValues(expected, actual, Tolerance(), PrintOptions());
    const std::string details =
        comparison.details.empty() ? "" : comparison.details[0];
    EXPECT_EQ(details, *row.want == '\0'
                           ? ""
                           : absl::StrCat("Result 0: ", row.want, "."));
  }
}

}  // namespace
}  // namespace eyrie::abi
