// Writes XML reports of test records.
#include "tools/check/junit_report.h"

#include <stdlib.h>
#include <time.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gtest/gtest.h"

namespace eyrie::tools {
namespace {

TEST(JUnitReport, EscapesText) {
  const struct {
    const char* text;
    const char* want;
  } kCases[] = {
      {"", ""},
      {"a<b>&\"c\"", "a&lt;b&gt;&amp;&quot;c&quot;"},
      {"one\ntwo\t", "one&#10;two&#9;"},
      {"\x1b[31m\x7f", "?[31m\x7f"},
      {"\xC3\xA9\xFF", "\xC3\xA9?"},
      {"\xEF\xBF\xBF]]>", "?]]&gt;"},
  };
  for (const auto& c : kCases) EXPECT_EQ(XmlText(c.text), c.want) << c.text;
}

TEST(JUnitReport, HasEveryVerdict) {
  TestPlan plan;
  for (const char* name : {"a", "b", "c", "d", "e", "f", "g"}) {
    plan.AddUnloadable({"", absl::StrCat(name, "/")}, absl::OkStatus());
  }
  const absl::Time begin = absl::UnixEpoch();
  TestResult good;
  good.begin = begin;
  good.elapsed = absl::Milliseconds(7);
  TestResult bad = good;
  bad.failures = {{"f.mlir:3:1", "1 is not 2."}};
  bad.status = absl::AbortedError("No.");
  const auto& tests = plan.tests();
  const std::vector<TestRecord> records = {
      {&tests[0], Verdict::kPassed, good, ""},
      {&tests[1], Verdict::kFailed, bad, ""},
      {&tests[2], Verdict::kExpectedFailure, bad, "(known)"},
      {&tests[3], Verdict::kUnexpectedPass, good, "(why?)"},
      {&tests[4], Verdict::kInterrupted, bad, ""},
  };
  std::string xml = JUnitXml(plan, std::vector<size_t>{0, 1, 2, 3, 4, 5},
                             records, begin, absl::Seconds(1));
  const std::string time =
      absl::FormatTime("%Y-%m-%dT%H:%M:%E3S", begin, absl::LocalTimeZone());
  xml = absl::StrReplaceAll(xml, {{time, "T"}});
  xml = absl::StrReplaceAll(xml, {{" time=\"0.007\" timestamp=\"T\"", ""},
                                  {" errors=\"0\"", ""},
                                  {"f.mlir:3:1: Failure&#10;", "F|"},
                                  {"Failure&#10;", "G|"},
                                  {" timestamp=\"T\" name=", " name="},
                                  {"<testcase name=\"(load)\"", "<case"}});
  xml = absl::StrReplaceAll(xml, {{" disabled=\"0\"", ""},
                                  {" time=\"1.000\" name=", " name="},
                                  {" time=\"0.000\"", ""}});
  EXPECT_EQ(xml, R"xml(<?xml version="1.0" encoding="UTF-8"?>
<testsuites tests="7" failures="2" disabled="1" skipped="3" name="AllTests">
  <testsuite name="a" tests="1" failures="0" skipped="0">
    <case status="run" result="completed" classname="a" />
  </testsuite>
  <testsuite name="b" tests="1" failures="1" skipped="0">
    <case status="run" result="completed" classname="b">
      <failure message="F|1 is not 2." type="">F|1 is not 2.</failure>
      <failure message="G|ABORTED: No." type="">G|ABORTED: No.</failure>
    </testcase>
  </testsuite>
  <testsuite name="c" tests="1" failures="0" skipped="1">
    <case status="run" result="skipped" classname="c">
      <skipped message="(known)&#10;F|1 is not 2.&#10;&#10;G|ABORTED: No." />
    </testcase>
  </testsuite>
  <testsuite name="d" tests="1" failures="1" skipped="0">
    <case status="run" result="completed" classname="d">
      <failure message="(why?)" type="" />
    </testcase>
  </testsuite>
  <testsuite name="e" tests="1" failures="0" skipped="1">
    <case status="run" result="skipped" classname="e">
      <skipped message="interrupted" />
    </testcase>
  </testsuite>
  <testsuite name="f" tests="1" failures="0" skipped="1">
    <case status="notrun" result="suppressed" classname="f">
      <skipped message="not run" />
    </testcase>
  </testsuite>
  <testsuite name="g" tests="1" failures="0" disabled="1" skipped="0">
    <case status="notrun" result="suppressed" classname="g" />
  </testsuite>
</testsuites>
)xml");
}

// Times are in the local time zone, which this test sets.
TEST(JUnitReport, TimesAreLocal) {
  struct Row {
    absl::Duration since_epoch;
    const char* want;
  };
  ASSERT_EQ(setenv("TZ", "EYR-2:30", 1), 0);
  tzset();
  for (const Row& row : {
           Row{absl::ZeroDuration(), "1970-01-01T02:30:00.000"},
           Row{absl::Milliseconds(1234), "1970-01-01T02:30:01.234"},
           Row{absl::Milliseconds(-1), "1970-01-01T02:29:59.999"},
           Row{absl::Nanoseconds(-1), "1970-01-01T02:29:59.999"},
           Row{absl::Seconds(1795305599), "2026-11-22T02:29:59.000"},
       }) {
    TestPlan plan;
    plan.AddUnloadable({"", "a/"}, absl::OkStatus());
    TestResult result;
    result.begin = absl::UnixEpoch() + row.since_epoch;
    const std::vector<TestRecord> records = {
        {&plan.tests()[0], Verdict::kPassed, result, ""}};
    const std::string xml = JUnitXml(plan, std::vector<size_t>{0}, records,
                                     result.begin, absl::ZeroDuration());
    EXPECT_NE(xml.find(absl::StrCat("timestamp=\"", row.want, "\"")), xml.npos)
        << row.want << "\n"
        << xml;
  }
  ASSERT_EQ(unsetenv("TZ"), 0);
  tzset();
}

}  // namespace
}  // namespace eyrie::tools
