#include "tools/bisect/bisect_report.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include "absl/strings/str_cat.h"
#include "base/plain_text.h"
#include "base/text_stream.h"
#include "tools/bisect/kernel_name.h"
#include "tools/json_object.h"

namespace eyrie::tools {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kMaxSuspects = 8;  // in the text
constexpr size_t kMaxFurther = 5;

std::string NameOf(const DispatchPlace& place) {
  return absl::StrCat("'", PlainName(place.kernel), "'");
}

// "dispatch 5, 'predict_dispatch_5_matmul'".
std::string TextOf(const DispatchPlace& place) {
  return absl::StrCat("dispatch ", place.number, ", ", NameOf(place));
}

std::string EqualText(const Finding& finding) {
  if (!finding.equal_bad) return "the start";
  return absl::StrCat(TextOf(*finding.equal_bad), ", which is equal,");
}

void AppendPlace(const char* name, const DispatchPlace& place,
                 std::string& text) {
  absl::StrAppend(&text, "  ", name, ": dispatch ", place.number, " ",
                  PlainName(place.kernel), ", export ", place.ordinal);
  if (place.round > 0) {
    absl::StrAppend(&text, ", its run ", place.round + 1);
  }
  if (!place.site.empty()) {
    absl::StrAppend(&text, ", called at ", PlainName(place.site));
  }
  if (!place.source.empty()) {
    absl::StrAppend(&text, ", from ", PlainName(place.source));
  }
  absl::StrAppend(&text, "\n");
}

void AppendSuspects(const char* begin,
                    const std::vector<DispatchPlace>& suspects,
                    std::string& text) {
  if (suspects.empty()) return;
  absl::StrAppend(&text, "  ", begin, " one of these of the bad side:\n");
  for (size_t i = 0; i < suspects.size() && i < kMaxSuspects; ++i) {
    absl::StrAppend(&text, "    ", TextOf(suspects[i]), "\n");
  }
  if (suspects.size() > kMaxSuspects) {
    absl::StrAppend(&text, "    and ", suspects.size() - kMaxSuspects,
                    " more\n");
  }
}

void AppendFinding(const Finding& finding, std::string& text) {
  AppendPlace("good", finding.good, text);
  AppendPlace("bad ", finding.bad, text);
  absl::StrAppend(&text, "  binding ", finding.binding, ", ", finding.shape,
                  " at byte ", finding.offset, ": ", ToText(finding.difference),
                  ".\n");
  if (!finding.constants.empty()) {
    absl::StrAppend(&text, "  A constant that it reads differs, too: ",
                    finding.constants, ".\n");
  }
  AppendSuspects("It may also be", finding.suspects, text);
}

Json PlaceJson(const DispatchPlace& place) {
  return {{"dispatch", place.number}, {"run", place.round + 1},
          {"kernel", place.kernel},   {"export", place.ordinal},
          {"site", place.site},       {"source", place.source}};
}

Json NumberJson(double number) {
  return std::isfinite(number) ? Json(number) : Json();
}

Json FindingJson(const Finding& finding) {
  Json suspects = Json::array();
  for (const DispatchPlace& place : finding.suspects) {
    suspects.push_back(PlaceJson(place));
  }
  const Difference& difference = finding.difference;
  Json json = {
      {"good", PlaceJson(finding.good)},
      {"bad", PlaceJson(finding.bad)},
      {"exact", finding.suspects.empty()},
      {"suspects", suspects},
      {"equal", finding.equal_bad ? PlaceJson(*finding.equal_bad) : Json()},
      {"binding", finding.binding},
      {"offset", finding.offset},
      {"shape", finding.shape},
      {"elements", difference.count},
      {"differing", difference.differing},
      {"largest_error", NumberJson(difference.error)},
      {"ulps", difference.ulps ? NumberJson(*difference.ulps) : Json()},
      {"element", difference.at},
      {"good_value", difference.good},
      {"bad_value", difference.bad},
      {"constants", finding.constants}};
  return json;
}

}  // namespace

std::string AnswerOf(const BisectReport& report) {
  const Comparison& comparison = report.comparison;
  if (!comparison.findings.empty()) {
    const Finding& first = comparison.findings.front();
    if (first.suspects.empty()) {
      // The good side may have the name that the bad one has lost.
      return absl::StrCat(
          NameOf(IsUnnamed(first.bad.kernel) ? first.good : first.bad),
          comparison.has_inputs
              ? " computes something else: its results differ though its "
                "inputs are equal."
              : " is the first whose results differ. Constants, copies and "
                "what the program itself computes were not compared.");
    }
    return absl::StrCat("The difference begins between ", EqualText(first),
                        " and ", TextOf(first.bad), ", which differs.");
  }
  if (!report.failure.empty()) return report.failure;
  if (report.results.empty()) return "The results agree.";
  if (!report.writers.empty()) return report.writers.front();
  if (comparison.good_dispatches == 0 && comparison.bad_dispatches == 0) {
    return "The results differ, but neither side runs a dispatch that can be "
           "seen. Code for inline-static calls its kernels as functions.";
  }
  if (comparison.compared == 0) {
    return "The results differ, and no dispatch of one side belongs to one of "
           "the other, so none can be named.";
  }
  if (!comparison.unknown.empty()) {
    return absl::StrCat(
        "The difference begins between ",
        comparison.equal_before_unknown
            ? absl::StrCat(TextOf(*comparison.equal_before_unknown),
                           ", which is equal,")
            : "the start",
        " and the results; the two sides share no tensor there by which it "
        "could be narrowed down.");
  }
  if (!comparison.inputs.empty()) {
    return absl::StrCat(
        "No dispatch computes something else. Memory that no dispatch writes, "
        "such as that of a copy, a fill or the program itself, differs ",
        comparison.inputs, ".");
  }
  if (!comparison.signed_zeros.empty()) {
    return absl::StrCat(
        "The results differ, but no dispatch does if its inputs "
        "are equal, except for the sign of zeros, first in '",
        PlainName(comparison.signed_zeros), "'.");
  }
  return "The results differ, but no dispatch does if its inputs are equal: "
         "small errors add up, the program's own code computes something else, "
         "or "
         "a dispatch reads memory that is not set.";
}

absl::Status PrintBisectText(const BisectReport& report, bool all,
                             TextSink sink) {
  std::string text =
      absl::StrCat("good: ", report.good, "\nbad:  ", report.bad, "\n");
  for (const std::string& line : report.results) {
    absl::StrAppend(&text, line, "\n");
  }
  const Comparison& comparison = report.comparison;
  if (report.was_compared) {
    absl::StrAppend(&text, comparison.compared,
                    comparison.compared == 1 ? " pair of " : " pairs of ",
                    comparison.good_dispatches, " and ",
                    comparison.bad_dispatches, " dispatches were compared ",
                    report.method, ".\n");
  }
  if (report.results.empty() && !comparison.findings.empty() &&
      report.failure.empty()) {
    absl::StrAppend(&text, "The results agree, but a dispatch differs.\n");
  }
  absl::StrAppend(&text, "\n", AnswerOf(report), "\n");
  const auto& findings = comparison.findings;
  if (!findings.empty()) {
    AppendFinding(findings.front(), text);
  } else if (!report.results.empty()) {
    AppendSuspects("It is", comparison.unknown, text);
  }
  if (findings.empty() && comparison.closest && report.was_compared) {
    absl::StrAppend(&text,
                    "  The largest difference within the tolerance is in '",
                    PlainName(comparison.closest->kernel),
                    "': ", ToText(comparison.closest->difference), ".\n");
  }
  if (findings.size() > 1) {
    absl::StrAppend(&text, findings.size() - 1,
                    findings.size() == 2 ? " more differs" : " more differ",
                    ", though its inputs are equal:\n");
    const size_t most = all ? findings.size() : kMaxFurther + 1;
    for (size_t i = 1; i < findings.size() && i < most; ++i) {
      absl::StrAppend(&text, "  ", TextOf(findings[i].bad), ": ",
                      ToText(findings[i].difference), "\n");
    }
    if (most < findings.size()) {
      absl::StrAppend(&text, "  and ", findings.size() - most,
                      " more, which --all shows\n");
    }
  }
  if (!report.failure.empty() && !findings.empty()) {
    absl::StrAppend(&text, report.failure, "\n");
  }
  if (!report.reproducer.empty()) {
    absl::StrAppend(&text,
                    "A module of this dispatch alone, with its inputs, is "
                    "in '",
                    report.reproducer, "'; see its README.md.\n");
  } else if (!report.no_reproducer.empty()) {
    absl::StrAppend(&text, "There is no reproducer: ", report.no_reproducer,
                    "\n");
  }
  return sink(text);
}

absl::Status PrintBisectJson(const BisectReport& report, TextSink sink) {
  TextStream to(sink);
  JsonObject object(to);
  const Comparison& comparison = report.comparison;
  object.Field("differs", report.differs());
  object.Field("answer", AnswerOf(report));
  object.Field("good", report.good);
  object.Field("bad", report.bad);
  object.Field("results", Json(report.results));
  object.Field("failure", report.failure);
  object.Field("method", report.method);
  object.Field("good_dispatches", comparison.good_dispatches);
  object.Field("bad_dispatches", comparison.bad_dispatches);
  object.Field("compared", comparison.compared);
  object.Field("inputs", comparison.inputs);
  object.List("findings", comparison.findings.size(),
              [&](size_t i) { return FindingJson(comparison.findings[i]); });
  object.Field("closest", comparison.closest
                              ? Json(ToText(comparison.closest->difference))
                              : Json());
  object.Field("reproducer", report.reproducer);
  object.Field("no_reproducer", report.no_reproducer);
  object.End();
  return to.Finish();
}

}  // namespace eyrie::tools
