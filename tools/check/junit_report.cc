#include "tools/check/junit_report.h"

#include <time.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"
#include "base/plain_text.h"

namespace eyrie::tools {
namespace {

// A test in the report. A test without a record did not run.
struct Row {
  const Test* test;
  const TestRecord* record;
  bool disabled;  // was not selected
};

struct Counts {
  size_t tests = 0;
  size_t failures = 0;
  size_t disabled = 0;
  size_t skipped = 0;
  absl::Duration elapsed;
  absl::Time begin = absl::InfiniteFuture();

  void Add(const Row& row) {
    ++tests;
    if (row.record == nullptr) {
      ++(row.disabled ? disabled : skipped);
      return;
    }
    if (row.record->counts_as_failure()) ++failures;
    if (row.record->verdict == Verdict::kExpectedFailure ||
        row.record->verdict == Verdict::kInterrupted) {
      ++skipped;
    }
    elapsed += row.record->result.elapsed;
    begin = std::min(begin, row.record->result.begin);
  }
};

std::string Attribute(absl::string_view name, absl::string_view value) {
  return absl::StrCat(" ", name, "=\"", XmlText(value), "\"");
}

// Returns local time, as GoogleTest writes it. Uses the C library's time zones,
// because Abseil's would add 90 KB to the tool.
std::string Timestamp(absl::Time time) {
  const int64_t milliseconds = absl::ToUnixMillis(time);
  const int64_t after = (milliseconds % 1000 + 1000) % 1000;
  const time_t seconds = static_cast<time_t>((milliseconds - after) / 1000);
  tm parts{};
  if (localtime_r(&seconds, &parts) == nullptr) return "";
  return absl::StrFormat("%04d-%02d-%02dT%02d:%02d:%02d.%03d",
                         parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday,
                         parts.tm_hour, parts.tm_min, parts.tm_sec, after);
}

std::string TimeAttributes(absl::Time begin, absl::Duration elapsed) {
  return absl::StrCat(
      Attribute("time",
                absl::StrFormat("%.3f", absl::ToDoubleSeconds(elapsed))),
      begin == absl::InfiniteFuture()
          ? ""
          : Attribute("timestamp", Timestamp(begin)));
}

std::string CountAttributes(const Counts& counts) {
  return absl::StrCat(Attribute("tests", absl::StrCat(counts.tests)),
                      Attribute("failures", absl::StrCat(counts.failures)),
                      Attribute("disabled", absl::StrCat(counts.disabled)),
                      Attribute("skipped", absl::StrCat(counts.skipped)),
                      Attribute("errors", "0"));
}

std::string SkippedElement(absl::string_view why) {
  return absl::StrCat("      <skipped", Attribute("message", why), " />\n");
}

// Returns the content of a test's element.
std::string Contents(const Row& row) {
  if (row.disabled) return "";  // as in GoogleTest
  const TestRecord* const record = row.record;
  if (record == nullptr) return SkippedElement("not run");
  std::string text;
  const std::vector<std::string> failures = FailureTexts(record->result);
  switch (record->verdict) {
    case Verdict::kPassed:
      return "";
    case Verdict::kInterrupted:
      return SkippedElement("interrupted");
    case Verdict::kExpectedFailure:
      return SkippedElement(
          absl::StrCat(record->note, "\n", absl::StrJoin(failures, "\n\n")));
    case Verdict::kUnexpectedPass:
      return absl::StrCat("      <failure", Attribute("message", record->note),
                          Attribute("type", ""), " />\n");
    case Verdict::kFailed:
      break;
  }
  for (const std::string& failure : failures) {
    absl::StrAppend(&text, "      <failure", Attribute("message", failure),
                    Attribute("type", ""), ">", XmlText(failure),
                    "</failure>\n");
  }
  return text;
}

std::string TestCase(const TestPlan& plan, const Row& row) {
  const bool run = row.record != nullptr;
  const std::string contents = Contents(row);
  std::string text = absl::StrCat(
      "    <testcase", Attribute("name", row.test->name),
      Attribute("status", run ? "run" : "notrun"),
      Attribute("result", !run ? "suppressed"
                          : contents.empty() || row.record->counts_as_failure()
                              ? "completed"
                              : "skipped"),
      TimeAttributes(run ? row.record->result.begin : absl::InfiniteFuture(),
                     run ? row.record->result.elapsed : absl::ZeroDuration()),
      Attribute("classname", plan.SuiteOf(*row.test).name));
  if (contents.empty()) return text + " />\n";
  return absl::StrCat(text, ">\n", contents, "    </testcase>\n");
}

}  // namespace

std::string XmlText(absl::string_view text) {
  std::string out;
  while (!text.empty()) {
    const char c = text.front();
    const size_t length = Utf8Length(text);
    const absl::string_view piece = text.substr(0, std::max<size_t>(length, 1));
    text.remove_prefix(piece.size());
    if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (c == '"') {
      out += "&quot;";
    } else if (c == '\n' || c == '\t' || c == '\r') {
      absl::StrAppend(&out, "&#", static_cast<int>(c), ";");
    } else if (length == 0 || static_cast<unsigned char>(c) < 0x20 ||
               piece == "\xEF\xBF\xBE" || piece == "\xEF\xBF\xBF") {
      out += '?';
    } else {
      absl::StrAppend(&out, piece);
    }
  }
  return out;
}

std::string JUnitXml(const TestPlan& plan, std::span<const size_t> order,
                     std::span<const TestRecord> records, absl::Time begin,
                     absl::Duration elapsed) {
  std::map<const Test*, const TestRecord*> record_of;
  for (const TestRecord& record : records) record_of[record.test] = &record;
  std::map<size_t, std::vector<Row>> suites;
  Counts all;
  const auto add = [&](const Row& row) {
    suites[row.test->suite].push_back(row);
    all.Add(row);
  };
  std::vector<bool> enabled(plan.tests().size());
  for (const size_t index : order) {
    const Test& test = plan.tests()[index];
    const auto found = record_of.find(&test);
    add({&test, found == record_of.end() ? nullptr : found->second, false});
    enabled[index] = true;
  }
  for (size_t i = 0; i < enabled.size(); ++i) {
    if (!enabled[i]) add({&plan.tests()[i], nullptr, true});
  }
  std::string text =
      absl::StrCat("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites",
                   CountAttributes(all), TimeAttributes(begin, elapsed),
                   Attribute("name", "AllTests"), ">\n");
  for (const auto& [suite, rows] : suites) {
    Counts counts;
    for (const Row& row : rows) counts.Add(row);
    absl::StrAppend(&text, "  <testsuite",
                    Attribute("name", plan.suites()[suite].name),
                    CountAttributes(counts),
                    TimeAttributes(counts.begin, counts.elapsed), ">\n");
    for (const Row& row : rows) absl::StrAppend(&text, TestCase(plan, row));
    absl::StrAppend(&text, "  </testsuite>\n");
  }
  return text + "</testsuites>\n";
}

}  // namespace eyrie::tools
