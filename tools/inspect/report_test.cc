// Formats sizes and escapes, and creates a report of every fixture.
#include "tools/inspect/report.h"

#include <filesystem>
#include <string>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "tests/support/releases.h"
#include "tools/inspect/html_text.h"

namespace eyrie::tools {
namespace {

TEST(SizeText, Rounds) {
  const struct {
    uint64_t bytes;
    const char* want;
  } kCases[] = {
      {0, "0 bytes"},
      {1, "1 byte"},
      {1023, "1023 bytes"},
      {1024, "1.0 KiB"},
      {1536, "1.5 KiB"},
      {1024 * 1024 - 1, "1.0 MiB"},
      {uint64_t{5} << 30, "5.0 GiB"},
      {UINT64_MAX, "16.0 EiB"},
  };
  for (const auto& c : kCases) EXPECT_EQ(SizeText(c.bytes), c.want) << c.bytes;
}

TEST(HtmlText, Escapes) {
  EXPECT_EQ(HtmlText("<a href='x'>\"&amp;\"</a>"),
            "&lt;a href=&#39;x&#39;&gt;&quot;&amp;amp;&quot;&lt;/a&gt;");
}

std::string Printed(absl::Status (*print)(const Report&, TextSink),
                    const Report& report) {
  std::string text;
  const absl::Status status = print(report, [&text](absl::string_view piece) {
    absl::StrAppend(&text, piece);
    return absl::OkStatus();
  });
  EXPECT_TRUE(status.ok()) << status.message();
  return text;
}

// If an executable names its kernels, a dispatch must use one of them.
void ExpectKernel(const Report& report, const DispatchUse& dispatch) {
  if (!dispatch.executable.has_value()) return;
  const auto& kernels = report.ExecutableOf(*dispatch.executable).facts.kernels;
  if (kernels.empty() || kernels[0].name.empty()) return;
  const std::string name = KernelName(report, dispatch);
  EXPECT_TRUE(name == "?" || absl::c_any_of(kernels,
                                            [&](const auto& kernel) {
                                              return kernel.name == name;
                                            }))
      << name;
}

// Every fixture for the CPU, in every form. The report must name its compiler's
// release and say that it would run, because other tests run it.
TEST(Report, OfEveryFixture) {
  int seen = 0;
  int unknown = 0;  // dispatches with a kernel chosen at run time
  for (const char* release : tests::kReleases) {
    const int number = std::stoi(std::string(release).substr(2));
    for (const auto& entry : std::filesystem::directory_iterator(
             absl::StrCat("tests/modules/", release))) {
      const std::string path = entry.path().string();
      if (path.find(".vulkan") != path.npos) continue;
      SCOPED_TRACE(path);
      const auto report = CreateReport(path, {});
      ASSERT_TRUE(report.ok()) << report.status().message();
      ++seen;
      EXPECT_TRUE(report->verdict.runs)
          << (report->verdict.reasons.empty() ? ""
                                              : report->verdict.reasons[0]);
      EXPECT_LE(report->releases.first, number);
      EXPECT_GE(report->releases.last, number);
      EXPECT_EQ(report->facts.unfollowed, 0u);
      for (const ExecutableReport& executable : report->executables) {
        EXPECT_TRUE(executable.readable.ok()) << executable.readable.message();
        EXPECT_FALSE(executable.facts.kernels.empty());
      }
      for (const DispatchUse& dispatch : report->facts.dispatches) {
        unknown += KernelName(*report, dispatch) == "?";
        ExpectKernel(*report, dispatch);
      }
      EXPECT_FALSE(ReportText(*report, 40).empty());
      EXPECT_FALSE(Printed(PrintReportJson, *report).empty());
      EXPECT_FALSE(ReportDot(*report).empty());
      const std::string html = Printed(PrintReportHtml, *report);
      // Loads nothing from elsewhere and has no script.
      EXPECT_EQ(html.find("src="), html.npos);
      EXPECT_EQ(html.find("<script"), html.npos);
      EXPECT_EQ(html.find("url("), html.npos);
    }
  }
  EXPECT_GT(seen, 500);
  EXPECT_LE(unknown, 10);
}

}  // namespace
}  // namespace eyrie::tools
