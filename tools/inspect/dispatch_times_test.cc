// Gives the dispatches of reports made by hand their times.
#include "tools/inspect/dispatch_times.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace eyrie::tools {
namespace {

Report ReportOf(const std::vector<std::string>& kernels) {
  Report report;
  for (const std::string& kernel : kernels) {
    report.facts.dispatches.emplace_back().kernel = kernel;
  }
  return report;
}

TEST(DispatchTimes, FindsEachPlace) {
  const struct {
    std::vector<std::string> kernels;
    KernelTimes times;
    const char* want;
  } kCases[] = {
      {{"a", "b"}, {}, ""},
      {{"a", "b"}, {{"other", {1, 5, {5}}}}, ""},
      {{"a", "b"}, {{"a", {1, 5, {5}}}}, "5 -"},
      // Two places of a kernel, in one call and in two.
      {{"a", "b", "a"}, {{"a", {2, 5, {1, 4}}}, {"b", {1, 7, {7}}}}, "1 7 4"},
      {{"a", "a"}, {{"a", {4, 20, {1, 6, 3, 10}}}}, "4 16"},
      // One of the places did not run, or the recording is cut.
      {{"a", "a"}, {{"a", {3, 12, {1, 4, 7}}}}, "6 6"},
      // A loop.
      {{"a"}, {{"a", {3, 12, {1, 4, 7}}}}, "12"},
      {{"a", "a"}, {{"a", {2, 12, {}}}}, "6 6"},
      {{"a"}, {{"a", {0, 12, {}}}}, "12"},
  };
  for (const auto& c : kCases) {
    std::string list;
    for (const auto& ns : TimesOfDispatches(ReportOf(c.kernels), c.times)) {
      absl::StrAppend(&list, list.empty() ? "" : " ",
                      ns ? absl::StrCat(*ns) : "-");
    }
    EXPECT_EQ(list, c.want);
  }
}

// A recording calls the second kernel without a name "export 1".
TEST(DispatchTimes, OfKernelsWithoutNames) {
  Report report = ReportOf({""});
  report.facts.dispatches[0].ordinal = 1;
  EXPECT_EQ(TimesOfDispatches(report, {{"export 1", {1, 5, {5}}}})[0], 5);
}

TEST(DispatchTimes, ByOperation) {
  Report report = ReportOf({"f_dispatch_0_conv_4x4_f32", "f_dispatch_1_softmax",
                            "f_dispatch_2_conv_8x8_f32", "odd"});
  report.dispatch_ns = {1, 5, 2, std::nullopt};
  std::string list;
  for (const OperationTime& operation : TimesByOperation(report)) {
    absl::StrAppend(&list, operation.name, " ", operation.ns, "/",
                    operation.dispatches, " ");
  }
  EXPECT_EQ(list, "softmax 5/1 conv 3/2 ");
  EXPECT_EQ(TotalTime(report), 8);
  EXPECT_EQ(LongestTime(report), 5);
}

}  // namespace
}  // namespace eyrie::tools
