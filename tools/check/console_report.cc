#include "tools/check/console_report.h"

#include <cstdio>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "base/counted.h"
#include "base/plain_text.h"

namespace eyrie::tools {
namespace {

constexpr size_t kMaxLine = 65536;  // bytes per line of modules' output

std::string TestsFromSuites(size_t tests, size_t suites) {
  return absl::StrCat(Counted(tests, "test"), " from ",
                      Counted(suites, "test suite"));
}

}  // namespace

std::string ConsoleReport::Mark(absl::string_view text, Color color) const {
  const std::string mark = absl::StrCat("[", text, "] ");
  if (!options_.color || color == Color::kNone) return mark;
  const char* const code = color == Color::kGreen ? "32"
                           : color == Color::kRed ? "31"
                                                  : "33";
  return absl::StrCat("\x1b[0;", code, "m", mark, "\x1b[m");
}

void ConsoleReport::Print(absl::string_view text) {
  const auto print = [text] {
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fflush(stdout);
  };
  if (progress_ == nullptr) {
    print();
  } else {
    progress_->Print(print);
  }
}

void ConsoleReport::PrintLine(absl::string_view mark, Color color,
                              absl::string_view text) {
  Print(absl::StrCat(Mark(mark, color), text, "\n"));
}

std::string ConsoleReport::TimeText(absl::Duration elapsed,
                                    absl::string_view what) const {
  if (!options_.print_time) return "";
  return absl::StrCat(" (", absl::ToInt64Milliseconds(elapsed), " ms", what,
                      ")");
}

std::string ConsoleReport::ProgressText() {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::string text = absl::StrCat(ended_, " of ", Counted(total_, "test"), ", ",
                                  failed_, " failed");
  if (running_.empty()) return text;
  absl::StrAppendFormat(
      &text, "; %s, %.1f s", running_,
      absl::ToDoubleSeconds(Deadline::Now() - running_since_));
  return text;
}

void ConsoleReport::BeginRun(std::span<const size_t> order) {
  begin_ = Deadline::Now();
  total_ = order.size();
  sizes_.assign(plan_.suites().size(), 0);
  for (const size_t index : order) ++sizes_[plan_.tests()[index].suite];
  suites_ = static_cast<size_t>(
      absl::c_count_if(sizes_, [](size_t size) { return size > 0; }));
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    ended_ = failed_ = 0;
    running_.clear();
  }
  progress_ = std::make_unique<ProgressLine>([this] { return ProgressText(); });
  if (options_.brief) return;
  PrintLine("==========", Color::kGreen,
            absl::StrCat("Running ", TestsFromSuites(total_, suites_),
                         options_.jobs > 1
                             ? absl::StrCat(", ", options_.jobs, " at a time.")
                             : "."));
  PrintLine("----------", Color::kGreen, "Global test environment set-up.");
}

void ConsoleReport::EndSuite() {
  if (!suite_.has_value() || options_.brief) return;
  PrintLine(
      "----------", Color::kGreen,
      absl::StrCat(Counted(sizes_[*suite_], "test"), " from ",
                   plan_.suites()[*suite_].name,
                   TimeText(options_.jobs > 1 ? suite_elapsed_
                                              : Deadline::Now() - suite_begin_,
                            " total"),
                   "\n"));
}

void ConsoleReport::BeginTest(const Test& test) {
  const std::string name = plan_.FullName(test);
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    running_ = name;
    running_since_ = Deadline::Now();
  }
  if (options_.brief) return;
  if (test.suite != suite_) {
    EndSuite();
    suite_ = test.suite;
    suite_begin_ = Deadline::Now();
    suite_elapsed_ = absl::ZeroDuration();
    PrintLine("----------", Color::kGreen,
              absl::StrCat(Counted(sizes_[test.suite], "test"), " from ",
                           plan_.SuiteOf(test).name));
  }
  PrintLine(" RUN      ", Color::kGreen, name);
}

void ConsoleReport::EndTest(const TestRecord& record) {
  suite_elapsed_ += record.result.elapsed;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    running_.clear();
    ++ended_;
    if (record.counts_as_failure()) ++failed_;
  }
  if (!record.result.printed.empty()) {
    std::string text;
    for (const std::string& line : record.result.printed) {
      absl::StrAppend(&text, PlainText(line, kMaxLine), "\n");
    }
    progress_->Print(
        [&text] { std::fwrite(text.data(), 1, text.size(), stderr); });
  }
  const bool quiet = options_.brief && !record.counts_as_failure();
  if (quiet) return;
  if (record.verdict != Verdict::kInterrupted) {
    for (const std::string& text : FailureTexts(record.result)) {
      Print(absl::StrCat(text, "\n\n"));
    }
  }
  std::string line = absl::StrCat(plan_.FullName(*record.test),
                                  TimeText(record.result.elapsed, ""));
  if (!record.note.empty()) absl::StrAppend(&line, " ", record.note);
  switch (record.verdict) {
    case Verdict::kPassed:
      return PrintLine("       OK ", Color::kGreen, line);
    case Verdict::kExpectedFailure:
      return PrintLine("    XFAIL ", Color::kYellow, line);
    case Verdict::kInterrupted:
      return PrintLine("  STOPPED ", Color::kYellow, line);
    case Verdict::kFailed:
    case Verdict::kUnexpectedPass:
      return PrintLine("  FAILED  ", Color::kRed, line);
  }
}

void ConsoleReport::ListTests(std::span<const TestRecord> records,
                              Verdict verdict, absl::string_view mark,
                              absl::string_view what) {
  const auto count = static_cast<size_t>(absl::c_count_if(
      records, [&](const TestRecord& r) { return r.verdict == verdict; }));
  if (count == 0) return;
  const Color color =
      verdict == Verdict::kFailed || verdict == Verdict::kUnexpectedPass
          ? Color::kRed
          : Color::kYellow;
  PrintLine(mark, color, absl::StrCat(Counted(count, "test"), what));
  for (const TestRecord& record : records) {
    if (record.verdict != verdict) continue;
    PrintLine(mark, color, plan_.FullName(*record.test));
  }
}

void ConsoleReport::EndRun(std::span<const TestRecord> records,
                           bool interrupted, size_t disabled) {
  EndSuite();
  suite_.reset();
  progress_.reset();
  if (!options_.brief) {
    PrintLine("----------", Color::kGreen, "Global test environment tear-down");
  }
  const auto count = [&](Verdict verdict) {
    return static_cast<size_t>(absl::c_count_if(
        records, [&](const TestRecord& r) { return r.verdict == verdict; }));
  };
  const size_t done = records.size() - count(Verdict::kInterrupted);
  PrintLine("==========", Color::kGreen,
            absl::StrCat(interrupted ? absl::StrCat(done, " of ") : "",
                         TestsFromSuites(total_, suites_), " ran.",
                         TimeText(Deadline::Now() - begin_, " total")));
  PrintLine("  PASSED  ", Color::kGreen,
            absl::StrCat(Counted(count(Verdict::kPassed), "test"), "."));
  ListTests(records, Verdict::kExpectedFailure, "    XFAIL ",
            ", expected to fail, listed below:");
  ListTests(records, Verdict::kInterrupted, "  STOPPED ",
            ", interrupted, listed below:");
  if (done + count(Verdict::kInterrupted) < total_) {
    const size_t left = total_ - records.size();
    PrintLine("  NOT RUN ", Color::kYellow,
              absl::StrCat(Counted(left, "test"), "."));
  }
  const size_t failed =
      count(Verdict::kFailed) + count(Verdict::kUnexpectedPass);
  ListTests(records, Verdict::kFailed, "  FAILED  ", ", listed below:");
  ListTests(records, Verdict::kUnexpectedPass, "  FAILED  ",
            ", not expected to pass, listed below:");
  if (failed > 0) {
    Print(absl::StrCat("\n ", failed, " FAILED ",
                       failed == 1 ? "TEST" : "TESTS", "\n"));
  }
  if (disabled > 0) {
    Print(absl::StrCat(failed > 0 ? "" : "\n", "  YOU HAVE ", disabled,
                       " DISABLED ", disabled == 1 ? "TEST" : "TESTS", "\n\n"));
  }
}

}  // namespace eyrie::tools
