// The answer as a page, with the map of the bad module's dispatches. The page
// is one file without scripts, as that of `eyrie inspect`.
//
// Tested by bisect_test.txt; looked at in a browser.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tools/bisect/bisect_report.h"
#include "tools/inspect/dispatch_map.h"
#include "tools/inspect/html_text.h"

namespace eyrie::tools {
namespace {

constexpr size_t kMaxDrawnCells = 2000;  // of dispatches

constexpr char kPageHead[] = R"html(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy"
      content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width">
<title>eyrie bisect</title>
<style>
:root { color-scheme: light dark; }
body { font: 15px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 80rem;
  padding: 1rem 1.2rem 4rem; overflow-wrap: anywhere; }
pre { font: 12px/1.45 ui-monospace, monospace; background: #8881;
  padding: .6rem; white-space: pre-wrap; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.15rem; }
h3 { font-size: 1rem; margin: .5rem 0 .3rem; }
.map { display: flex; flex-wrap: wrap; gap: .3rem 1.5rem; }
.block { border-left: 3px solid #888; padding-left: .5rem; }
.flow { display: flex; flex-wrap: wrap; gap: 3px; }
.grid { display: grid; gap: 3px; justify-content: start; overflow-x: auto;
  grid-template-columns: repeat(var(--n), minmax(3.4rem, 8rem)); }
.cells a { background: #8883; color: CanvasText; border: 1px solid #8886;
  border-radius: 3px; padding: 1px 4px; text-decoration: none;
  font-size: 11px; line-height: 1.3; overflow: hidden; }
.flow a { width: 6rem; } .cells a > * { display: block; white-space: nowrap;
  overflow: hidden; text-overflow: ellipsis; text-decoration: none;
  font-style: normal; }
.cells a.equal, .key.equal { background: #33aa3366; }
.cells a.differs, .key.differs { background: #dd3333bb; }
.cells a.suspect, .key.suspect { background: #e6a23c99; }
.key { display: inline-block; width: .8rem; height: .8rem; background: #8883;
  margin: 0 .4rem 0 1rem; }
</style>
</head>
<body>
)html";

bool Has(const std::vector<DispatchPlace>& places, const std::string& kernel) {
  for (const DispatchPlace& place : places) {
    if (place.kernel == kernel) return true;
  }
  return false;
}

// Returns the class of a kernel's cells.
const char* ClassOf(const Comparison& comparison, const std::string& kernel) {
  for (const Finding& finding : comparison.findings) {
    if (finding.bad.kernel == kernel) return "differs";
    if (Has(finding.suspects, kernel)) return "suspect";
  }
  if (Has(comparison.unknown, kernel)) return "suspect";
  for (size_t i = 0; i < comparison.bad_kernels.size(); ++i) {
    if (comparison.bad_kernels[i] == kernel && comparison.bad_equal[i]) {
      return "equal";
    }
  }
  return "";
}

}  // namespace

absl::Status PrintBisectHtml(const BisectReport& report, const Report& bad,
                             TextSink sink) {
  std::string text;
  const absl::Status status =
      PrintBisectText(report, true, [&](absl::string_view part) {
        absl::StrAppend(&text, part);
        return absl::OkStatus();
      });
  if (!status.ok()) return status;
  std::vector<std::string> classes;
  for (const DispatchUse& use : bad.facts.dispatches) {
    classes.emplace_back(ClassOf(report.comparison, KernelName(bad, use)));
  }
  return sink(absl::StrCat(
      kPageHead, "<h1>", HtmlText(AnswerOf(report)),
      "</h1>\n<h2>Dispatches of the bad side</h2>\n<p><span "
      "class=\"key differs\"></span>differs <span class=\"key suspect\"></span>"
      "may be why <span class=\"key equal\"></span>equal <span "
      "class=\"key\"></span>not compared</p>\n<div class=\"map\">",
      DrawDispatchMap(bad, kMaxDrawnCells, classes),
      "</div>\n<h2>Report</h2>\n<pre>", HtmlText(text),
      "</pre>\n</body>\n</html>\n"));
}

}  // namespace eyrie::tools
