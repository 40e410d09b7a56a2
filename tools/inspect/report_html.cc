// The page is one file with its styles and pictures, without scripts. Its
// content security policy prevents a browser from loading anything else.
//
// Tested by inspect_test.txt; looked at in a browser.
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "base/file_growth.h"
#include "base/folders.h"
#include "base/plain_text.h"
#include "base/text_stream.h"
#include "tools/inspect/dispatch_map.h"
#include "tools/inspect/dispatch_times.h"
#include "tools/inspect/html_text.h"
#include "tools/inspect/lines.h"
#include "tools/inspect/pools.h"
#include "tools/inspect/report.h"
#include "tools/module_text.h"
#include "tools/trace_flags.h"
#include "vm/asm/disassembler.h"

namespace eyrie::tools {
namespace {

constexpr size_t kMaxCallees = 32;  // of a function, in its head
constexpr size_t kMaxDrawn = 1000;  // dispatches
constexpr size_t kMaxSizes = 32;    // of a dispatch's bindings
constexpr size_t kMaxRows = 2000;   // of a table
constexpr size_t kMaxExecutables = 100;
constexpr size_t kMaxConstants = 50;  // the largest ones
constexpr size_t kMaxOperations = 6;  // with the most time
constexpr size_t kMaxFunctions = 4;   // that are not folded
constexpr size_t kMaxSummary = 100;   // bytes of a target
constexpr size_t kMaxLine = 4096;     // bytes of code

constexpr char kHead[] = R"html(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy"
      content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width">
<style>
:root { color-scheme: light dark; --line: #8884; --dim: #777; --yes: #2a7d2a;
  --no: #c33; --code: #8881; --link: #2f66c4; }
@media (prefers-color-scheme: dark) { :root { --link: #8ab4f8; } }
body { font: 15px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 80rem;
  padding: 1rem 1.2rem 4rem; overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; margin: 0; } a { color: var(--link); }
h2 { font-size: 1.15rem; margin: 2rem 0 .6rem;
  border-bottom: 1px solid var(--line); }
h3 { font-size: 1rem; margin: 1rem 0 .3rem; } p { margin: .4rem 0; }
nav a { margin-right: 1rem; display: inline-block; } .dim { color: var(--dim); }
.yes { color: var(--yes); } .no { color: var(--no); }
.first { display: grid; gap: 1rem 2rem; margin-top: 1rem;
  grid-template-columns: repeat(auto-fit, minmax(min(20rem, 100%), 1fr)); }
.first h2 { margin-top: 0; } .first > div { min-width: 0; overflow-x: auto; }
table { border-collapse: collapse; }
td, th { text-align: left; vertical-align: top; padding: .15rem 1rem .15rem 0;
  border-bottom: 1px solid var(--line); }
td { max-width: 28rem; min-width: 2rem; } td.right { text-align: right;
  white-space: nowrap; } tr:target { background: #4878d033; }
.plain td { border: 0; padding: 0 .5rem .1rem 0; } .plain { width: 100%; }
.plain td + td, .plain code, .plain th, .lines { white-space: nowrap; }
.plain td { overflow-wrap: normal; } td.name { min-width: 12rem; }
.plain .wide { min-width: 1rem; }
.plain th { border: 0; padding: 0 .5rem 0 0; font-weight: normal;
  color: var(--dim); }
.share { display: block; height: .7rem; background: #ee854a; min-width: 1px;
  margin-top: .4rem; } .wide { width: 8rem; min-width: 3rem; }
code, pre { font: 12px/1.45 ui-monospace, "DejaVu Sans Mono", monospace; }
pre { background: var(--code); padding: .6rem; white-space: pre-wrap;
  margin: .3rem 0; } pre i { color: var(--dim); font-style: normal; }
.scroll { overflow-x: auto; } .scroll td, .scroll th { overflow-wrap: normal; }
.scroll code { overflow-wrap: anywhere; } details { margin: .2rem 0; }
summary { cursor: pointer; }
.bar { display: flex; height: 1.2rem; width: 100%; margin: .5rem 0; }
.bar span { min-width: 1px; }
.c0 { background: #4878d0; } .c1 { background: #ee854a; }
.c2 { background: #6acc64; } .c3 { background: #999; }
.key { display: inline-block; width: .8rem; height: .8rem;
  margin-right: .4rem; }
.map { display: flex; flex-wrap: wrap; gap: .3rem 1.5rem;
  margin-bottom: .8rem; }
.part { max-width: 100%; overflow-x: auto; padding: 2px; }
.part h3 { margin: .5rem 0 .3rem; }
.block { margin: .3rem 0 .5rem; border-left: 3px solid var(--dim);
  padding-left: .5rem; } .block > b { color: var(--dim); font-size: 12px; }
.flow { display: flex; flex-wrap: wrap; gap: 3px; }
.grid { display: grid; gap: 3px; justify-content: start;
  grid-template-columns: repeat(var(--n), minmax(var(--least), 8rem)); }
.cells a { background: rgb(238 133 74 / calc(var(--t) * 90%));
  color: CanvasText; border: 1px solid var(--line); border-radius: 3px;
  padding: 1px 4px;
  text-decoration: none; font-size: 11px; line-height: 1.3; overflow: hidden;
  box-sizing: border-box; min-height: 14px; } .map { --least: 3.4rem; }
@media (max-width: 40rem) { .map { --least: 5.2rem; } }
.cells a:hover, .cells a:focus { outline: 2px solid var(--link); }
.flow a { width: 6rem; } .cells a > * { display: block; text-decoration: none;
  white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }
.cells b { font-weight: 600; } .cells i { font-style: normal; }
#z0:checked ~ .map .flow a { width: 14px; }
#z0:checked ~ .map .grid { grid-template-columns: repeat(var(--n), 14px); }
#z0:checked ~ .map .cells a { padding: 0; }
#z0:checked ~ .map .cells a > *, #z1:checked ~ .map s { display: none; }
#z2:checked ~ .map { --least: 8rem; }
#z2:checked ~ .map .flow a { width: 8rem; }
#z2:checked ~ .map .cells a > * { white-space: normal; }
pre:target { outline: 2px solid #4878d0; }
</style>
)html";

std::string NumberText(const std::optional<uint32_t>& number) {
  return number ? absl::StrCat(*number) : "";
}

// Returns a text from the file, safe to print on one line.
std::string Plain(absl::string_view text) {
  return HtmlText(PlainText(text, kMaxLine));
}

std::string Code(absl::string_view text) {
  return absl::StrCat("<code>", Plain(text), "</code>");
}

// Returns the values of a signature, "(x: 4xf32, y: i32)" or "4xf32", a line
// each.
std::string TypesText(absl::string_view text) {
  if (absl::ConsumePrefix(&text, "(")) absl::ConsumeSuffix(&text, ")");
  return absl::StrCat("<code class=\"lines\">",
                      absl::StrReplaceAll(Plain(text), {{", ", "<br>"}}),
                      "</code>");
}

// Returns the executable's target without the features of the processor:
// "llvm-cpu", "embedded-elf-x86_64", {cpu = "generic".
absl::string_view TargetSummary(absl::string_view target) {
  constexpr absl::string_view kBegin = "#hal.executable.target<";
  const size_t at = target.find(kBegin);
  if (at != target.npos) target.remove_prefix(at + kBegin.size());
  const size_t end = target.find(", cpu_features");
  return target.substr(0, std::min(end, kMaxSummary));
}

class HtmlWriter {
 public:
  HtmlWriter(const Report& report, TextSink sink)
      : report_(report),
        total_ns_(TotalTime(report)),
        longest_ns_(LongestTime(report)),
        left_(MostTextOf(report.sizes.file)),
        to_(UINT64_MAX, sink) {}

  absl::Status Write() {
    WriteHead();
    WriteFunctions();
    Add("<div class=\"first\">\n");
    WriteVerdict();
    WriteSizes();
    WriteTimes();
    Add("</div>\n");
    WriteDispatches();
    WriteNeeds();
    WriteConstants();
    WriteExecutables();
    WriteCode();
    if (left_out_ > 0) {
      to_.Add("\n<p>... ", left_out_, " more bytes are not shown.</p>\n");
    }
    to_.Add("</body>\n</html>\n");
    return to_.Finish();
  }

 private:
  template <typename... Args>
  void Add(const Args&... args) {
    const std::string text = absl::StrCat(args...);
    if (left_out_ > 0 || text.size() > left_) {
      left_out_ += text.size();
    } else {
      left_ -= text.size();
      to_.Add(text);
    }
  }
  void Row(const std::vector<std::string>& cells) {
    Add("<tr><td>", absl::StrJoin(cells, "</td><td>"), "</td></tr>\n");
  }
  void Header(const std::vector<std::string>& cells) {
    Add("<div class=\"scroll\"><table>\n<tr><th>",
        absl::StrJoin(cells, "</th><th>"), "</th></tr>\n");
  }
  void EndTable(size_t all, size_t shown) {
    Add("</table></div>\n");
    if (all > shown) Add("<p>", all - shown, " more are not shown.</p>\n");
  }
  std::string ShareText(double ns) const {
    return absl::StrFormat("%.1f%%", total_ns_ > 0 ? 100 * ns / total_ns_ : 0);
  }
  static std::string ShareBar(double ns, double longest) {
    return absl::StrFormat(
        "<span class=\"share\" style=\"width:%.2f%%\"></span>",
        longest > 0 ? 100 * ns / longest : 0);
  }
  std::string FunctionLink(uint32_t function) const {
    return absl::StrCat("<a href=\"#f", function, "\"><code>",
                        Plain(report_.names[function]), "</code></a>");
  }

  void WriteHead();
  void WriteFunctions();
  void WriteVerdict();
  void WriteSizes();
  void WriteTimes();
  void WriteDispatches();
  void WriteMap();
  void WriteDispatchRow(size_t i, const std::string& kernel,
                        const std::string& bindings, const std::string& source);
  void WriteNeeds();
  void WriteConstants();
  void WriteExecutables();
  void WriteKernels(const ExecutableReport& executable,
                    const std::set<std::string>& dispatched);
  // Returns ", calls f, hal 2 times", as HTML; "" if it calls nothing.
  std::string CallsText(uint32_t function) const;
  void WriteCode();
  void WriteFunctionHead(uint32_t function);
  void WriteCodeLine(absl::string_view line);

  const Report& report_;
  const double total_ns_;    // of all dispatches
  const double longest_ns_;  // of a dispatch
  uint64_t left_;            // bytes of text that may still be shown
  uint64_t left_out_ = 0;
  TextStream to_;
};

void HtmlWriter::WriteHead() {
  const vm::ModuleDef& def = report_.def;
  const absl::string_view path = def.archive().name();
  const std::string name = Plain(FileNameOf(path));
  Add(kHead, "<title>", name, "</title>\n</head>\n<body>\n<h1>", name,
      "</h1>\n<p class=\"dim\">", Plain(path), ", module <b>", Plain(def.name),
      "</b>, ", SizeText(report_.sizes.file), ", compiled by ",
      report_.releases.empty()
          ? "no single release"
          : absl::StrCat("iree-compile ", report_.releases.ToString()),
      ", bytecode ", def.bytecode_major, ".", def.bytecode_minor, ", ",
      def.archive().is_zip() ? "in a ZIP" : "bare", "</p>\n");
  Add("<nav>");
  for (const char* part :
       {"Dispatches", "Needs", "Constants", "Executables", "Code"}) {
    Add("<a href=\"#", part, "\">", part, "</a>");
  }
  Add("</nav>\n");
}

// A line of SignaturesText is "add(x: 4xf32) -> 4xf32  [iree.abi]", or a remark
// on the line before it, which is indented.
void HtmlWriter::WriteFunctions() {
  const std::string text = SignaturesText(report_.def, report_.module.get());
  const std::vector<absl::string_view> lines =
      absl::StrSplit(text, '\n', absl::SkipEmpty());
  Add("<h2>What goes in, and what comes out</h2>\n");
  if (lines.empty()) return Add("<p>It exports no function.</p>\n");
  Header({"function", "in", "out", "from"});
  size_t functions = 0;
  for (const absl::string_view line : lines) {
    const size_t in = line.find('(');
    const size_t out = line.find(") -> ");
    const size_t source = std::min(line.rfind("  ["), line.size());
    if (absl::StartsWith(line, "    ") || in > out || out > source) {
      Row({"", Code(line), "", ""});
      continue;
    }
    if (functions++ == kMaxFunctions) {
      Add("</table></div>\n<details><summary>More functions</summary>\n");
      Header({"function", "in", "out", "from"});
    }
    Row({Code(line.substr(0, in)), TypesText(line.substr(in, out + 1 - in)),
         TypesText(line.substr(out + 5, source - out - 5)),
         Plain(line.substr(source))});
  }
  EndTable(0, 0);
  if (functions > kMaxFunctions) Add("</details>\n");
}

void HtmlWriter::WriteVerdict() {
  const Verdict& verdict = report_.verdict;
  Add("<div><h2>Will it run here?</h2>\n");
  if (verdict.runs) {
    Add("<p><b class=\"yes\">It would run here",
        verdict.devices.empty()
            ? ""
            : absl::StrCat(", on ",
                           Plain(absl::StrJoin(verdict.devices, " or "))),
        ".</b></p>\n");
  } else {
    Add("<p><b class=\"no\">It would not run here.</b></p>\n");
  }
  for (const auto* list : {&verdict.reasons, &verdict.notes}) {
    for (const std::string& sentence : *list) {
      Add("<p>", Plain(sentence), "</p>\n");
    }
  }
  for (const std::string& target : report_.targets) {
    Add("<details class=\"dim\"><summary>Compiled for ",
        Code(TargetSummary(target)), "</summary>", Code(target),
        "</details>\n");
  }
  for (const ExecutableReport& executable : report_.executables) {
    if (executable.facts.uses.empty()) continue;
    Add("<p class=\"dim\">Its kernels use ", Code(executable.facts.uses),
        "</p>\n");
  }
  Add("</div>\n");
}

void HtmlWriter::WriteNeeds() {
  Add("<h2 id=\"Needs\">Needs</h2>\n");
  if (report_.needs.empty()) return Add("<p>It needs nothing.</p>\n");
  Header({"what", "name", "here", ""});
  constexpr const char* kWords[] = {"device", "format of executables", "module",
                                    "function", "parameters"};
  const size_t shown = std::min(report_.needs.size(), kMaxRows);
  for (size_t i = 0; i < shown; ++i) {
    const Need& need = report_.needs[i];
    const bool is_device =
        need.kind == Need::Kind::kDevice || need.kind == Need::Kind::kFormat;
    Row({kWords[static_cast<size_t>(need.kind)],
         absl::StrCat("<code>", Plain(need.name), "</code>"),
         !is_device           ? (need.required ? "" : "optional")
         : need.found.empty() ? "<span class=\"no\">no</span>"
                              : Plain(absl::StrJoin(need.found, ", ")),
         Plain(need.detail)});
  }
  EndTable(report_.needs.size(), shown);
}

void HtmlWriter::WriteSizes() {
  const Sizes& sizes = report_.sizes;
  const uint64_t known = sizes.bytecode + sizes.executables + sizes.constants;
  const struct {
    const char* name;
    uint64_t bytes;
  } kParts[] = {
      {"constants", sizes.constants},
      {"executables", sizes.executables},
      {"bytecode", sizes.bytecode},
      {"names, tables, debug information",
       sizes.file > known ? sizes.file - known : 0},
  };
  Add("<div><h2>How big is it?</h2>\n<p><b>", SizeText(sizes.file),
      "</b></p>\n<div class=\"bar\">");
  for (size_t i = 0; i < std::size(kParts); ++i) {
    Add("<span class=\"c", i, "\" style=\"flex:", kParts[i].bytes,
        "\"></span>");
  }
  Add("</div>\n<table class=\"plain\">\n");
  const auto row = [&](const std::string& name, uint64_t bytes) {
    if (bytes > 0) Row({name, SizeText(bytes)});
  };
  for (size_t i = 0; i < std::size(kParts); ++i) {
    row(absl::StrCat("<span class=\"key c", i, "\"></span>", kParts[i].name),
        kParts[i].bytes);
  }
  row("parameters in files", sizes.parameters);
  row("state of each context", sizes.state_bytes);
  row("transient buffers", sizes.transient);
  row("persistent buffers", sizes.persistent);
  if (sizes.unknown_allocations > 0) {
    Row({"buffers whose size is known only at run time",
         absl::StrCat(sizes.unknown_allocations)});
  }
  Add("</table></div>\n");
}

void HtmlWriter::WriteTimes() {
  Add("<div><h2>Where does its time go?</h2>\n");
  if (report_.recording.empty()) {
    Add("<p>Not measured: <code>--input=auto</code> calls the function and "
        "shows the time of each dispatch.</p>\n");
  }
  Add("<p>", Plain(report_.recording), "</p>\n");
  const std::vector<OperationTime> operations = TimesByOperation(report_);
  if (operations.empty()) return Add("</div>\n");
  Add("<table class=\"plain\">\n<tr><th>operation</th><th>share</th><th></th>"
      "<th>time</th><th>count</th></tr>\n");
  const size_t shown = std::min(operations.size(), kMaxOperations);
  for (size_t i = 0; i < shown; ++i) {
    const OperationTime& operation = operations[i];
    Add("<tr><td>", Code(operation.name), "</td><td class=\"right\">",
        ShareText(operation.ns), "</td><td class=\"wide\">",
        ShareBar(operation.ns, operations[0].ns), "</td><td class=\"right\">",
        TimeText(operation.ns), "</td><td class=\"right\">",
        operation.dispatches, "</td></tr>\n");
  }
  Add("</table>");
  if (operations.size() > shown) {
    Add("<p>", operations.size() - shown, " more take less.</p>\n");
  }
  Add("</div>\n");
}

void HtmlWriter::WriteConstants() {
  std::vector<size_t> order;
  for (size_t i = 0; i < report_.def.rodata.size(); ++i) order.push_back(i);
  const size_t shown = std::min(order.size(), kMaxConstants);
  std::partial_sort(order.begin(),
                    order.begin() + static_cast<ptrdiff_t>(shown), order.end(),
                    [&](size_t a, size_t b) {
                      const auto& rodata = report_.def.rodata;
                      return rodata[a].bytes.size() > rodata[b].bytes.size();
                    });
  Add("<h2 id=\"Constants\">Constants</h2>\n<details><summary>The largest "
      "constants and executables</summary>\n");
  Header({"constant", "size", "in the file"});
  for (size_t i = 0; i < shown; ++i) {
    const vm::RodataDef& rodata = report_.def.rodata[order[i]];
    Row({absl::StrCat(order[i]), SizeText(rodata.bytes.size()),
         Plain(rodata.member_name)});
  }
  EndTable(order.size(), shown);
  Add("</details>\n");
}

// Kernels that are dispatched have rows already.
void HtmlWriter::WriteKernels(const ExecutableReport& executable,
                              const std::set<std::string>& dispatched) {
  const auto& kernels = executable.facts.kernels;
  std::vector<size_t> others;
  for (size_t i = 0; i < kernels.size(); ++i) {
    if (!dispatched.contains(kernels[i].name)) others.push_back(i);
  }
  Add("<p>", kernels.size(), kernels.size() == 1 ? " kernel, " : " kernels, ",
      kernels.size() - others.size(), " of them in the table of dispatches.",
      "</p>\n");
  if (others.empty()) return;
  Header({"", "kernel", "bindings", "constants", "workgroup size",
          "local memory", "source"});
  const size_t shown = std::min(others.size(), kMaxRows);
  for (size_t i = 0; i < shown; ++i) {
    const hal::KernelFacts& kernel = kernels[others[i]];
    Row({absl::StrCat(others[i]), Code(kernel.name),
         NumberText(kernel.binding_count), NumberText(kernel.constant_count),
         absl::StrJoin(kernel.workgroup_size, " x "),
         kernel.local_memory == 0 ? "" : SizeText(kernel.local_memory),
         Plain(kernel.source)});
  }
  EndTable(others.size(), shown);
}

void HtmlWriter::WriteExecutables() {
  Add("<h2 id=\"Executables\">Executables</h2>\n");
  if (report_.executables.empty()) return Add("<p>It has none.</p>\n");
  std::set<std::string> dispatched;
  for (const DispatchUse& dispatch : report_.facts.dispatches) {
    dispatched.insert(KernelName(report_, dispatch));
  }
  const size_t shown = std::min(report_.executables.size(), kMaxExecutables);
  for (size_t i = 0; i < shown; ++i) {
    const ExecutableReport& executable = report_.executables[i];
    Add("<p><b>", i, " ", Plain(executable.format), "</b> ",
        SizeText(executable.bytes), " ", Code(executable.facts.name),
        " <span class=\"dim\">", Plain(executable.member), "</span></p>\n");
    if (!executable.readable.ok()) {
      Add("<p>Not read: ", Plain(executable.readable.message()), "</p>\n");
    }
    if (!executable.facts.kernels.empty()) WriteKernels(executable, dispatched);
  }
  if (report_.executables.size() > shown) {
    Add("<p>", report_.executables.size() - shown,
        " more are not shown.</p>\n");
  }
}

void HtmlWriter::WriteMap() {
  const size_t all = report_.facts.dispatches.size();
  Add("<p class=\"dim\">In the order of the code. If a block of operations "
      "repeats, each row is one repetition.",
      report_.dispatch_ns.empty()
          ? ""
          : " The stronger the colour, the longer the dispatch.");
  if (all > kMaxDrawn) Add(" ", all - kMaxDrawn, " more are not drawn.");
  Add("</p>\n");
  constexpr const char* kZooms[] = {"small", "names", "shapes"};
  for (size_t i = 0; i < std::size(kZooms); ++i) {
    Add("<input type=\"radio\" name=\"zoom\" id=\"z", i, "\"",
        i == 1 ? " checked" : "", "><label for=\"z", i, "\">", kZooms[i],
        "</label>\n");
  }
  Add("<div class=\"map\">", DrawDispatchMap(report_, kMaxDrawn), "</div>\n");
}

void HtmlWriter::WriteDispatchRow(size_t i, const std::string& kernel,
                                  const std::string& bindings,
                                  const std::string& source) {
  const DispatchUse& dispatch = report_.facts.dispatches[i];
  Add("<tr id=\"d", i, "\"><td>", i, "</td><td class=\"name\">", Code(kernel),
      "</td>");
  if (!report_.dispatch_ns.empty()) {
    const std::optional<double>& ns = report_.dispatch_ns[i];
    Add("<td class=\"right\">", ns ? TimeText(*ns) : "did not run",
        "</td><td class=\"right\">", ns ? ShareText(*ns) : "",
        "</td><td class=\"wide\">", ns ? ShareBar(*ns, longest_ns_) : "",
        "</td>");
  }
  Add("<td>", WorkgroupsText(dispatch), "</td><td class=\"name\">", bindings,
      "</td><td>",
      dispatch.constants == 0 ? "" : absl::StrCat(dispatch.constants),
      "</td><td>", HtmlText(source), "</td></tr>\n");
}

void HtmlWriter::WriteDispatches() {
  const auto& dispatches = report_.facts.dispatches;
  Add("<h2 id=\"Dispatches\">Dispatches</h2>\n");
  if (dispatches.empty()) {
    return Add("<p>Its code dispatches no kernels.</p>\n");
  }
  WriteMap();
  const Pools pools(report_);
  const std::string prefix = SharedPrefix(report_);
  if (!prefix.empty()) {
    Add("<p class=\"dim\">Names of kernels begin with ", Code(prefix),
        ".</p>\n");
  }
  if (const std::string text = pools.ToString(); !text.empty()) {
    Add("<p class=\"dim\">The compiler binds pools whole: ", text,
        ". Only the machine code knows which part a dispatch uses.</p>\n");
  }
  std::vector<std::string> heads = {"", "kernel"};
  if (!report_.dispatch_ns.empty()) {
    heads.insert(heads.end(), {"time", "share", ""});
  }
  heads.insert(heads.end(),
               {"workgroups", "bindings", "push constants", "source"});
  SourceMap sources(report_.def);
  const size_t shown = std::min(dispatches.size(), kMaxRows);
  for (size_t i = 0; i < shown; ++i) {
    const DispatchUse& dispatch = dispatches[i];
    const uint32_t function = dispatch.place.function;
    if (i == 0) Header(heads);
    if (i == 0 || function != dispatches[i - 1].place.function) {
      Add("<tr><th></th><th colspan=\"", heads.size() - 1, "\">",
          FunctionLink(function), "</th></tr>\n");
    }
    WriteDispatchRow(i, KernelName(report_, dispatch).substr(prefix.size()),
                     pools.BindingsText(dispatch, kMaxSizes),
                     sources.Find(dispatch.place));
  }
  EndTable(dispatches.size(), shown);
}

std::string HtmlWriter::CallsText(uint32_t function) const {
  const std::vector<CallEdge>& calls = report_.facts.calls;
  auto call = std::lower_bound(calls.begin(), calls.end(), function,
                               [](const CallEdge& edge, uint32_t caller) {
                                 return edge.caller < caller;
                               });
  // By the modules of imports, and by the functions of this module.
  std::map<std::tuple<bool, absl::string_view, uint32_t>, uint64_t> callees;
  for (; call != calls.end() && call->caller == function; ++call) {
    if (call->import) {
      callees[{true, report_.def.imports[call->callee].module_name(), 0}] +=
          call->count;
    } else {
      callees[{false, "", call->callee}] += call->count;
    }
  }
  std::string text;
  size_t shown = 0;
  for (const auto& [callee, count] : callees) {
    if (shown == kMaxCallees) break;
    const auto& [is_import, module, ordinal] = callee;
    absl::StrAppend(&text, shown++ == 0 ? ", calls " : ", ",
                    is_import ? Code(module) : FunctionLink(ordinal),
                    count == 1 ? "" : absl::StrCat(" ", count, " times"));
  }
  if (callees.size() > shown) {
    absl::StrAppend(&text, " and ", callees.size() - shown, " more");
  }
  return text;
}

void HtmlWriter::WriteFunctionHead(uint32_t function) {
  const vm::FunctionDef& def = report_.def.functions[function];
  Add("<details><summary><code>", Plain(report_.names[function]), "</code> ",
      def.bytecode.size(), " bytes, ", def.block_count,
      def.block_count == 1 ? " block, " : " blocks, ", def.declared_i32_count,
      " and ", def.declared_ref_count, " registers", CallsText(function),
      "</summary>\n<pre id=\"f", function, "\">");
}

void HtmlWriter::WriteCodeLine(absl::string_view line) {
  // Omits comments for the assembler, but keeps source locations.
  const size_t note = line.find("  //! loc[");
  const size_t comment = line.find("  // ");
  const absl::string_view code =
      line.substr(0, std::min({note, comment, line.size()}));
  Add(HtmlText(PlainText(code, kMaxLine)));
  if (comment != line.npos) {
    Add("<i>", HtmlText(PlainText(line.substr(comment), kMaxLine)), "</i>");
  }
  Add("\n");
}

void HtmlWriter::WriteCode() {
  Add("<h2 id=\"Code\">Code</h2>\n");
  if (report_.module == nullptr) {
    return Add("<p>", Plain(report_.verified.message()), "</p>\n");
  }
  vm::DisassemblyOptions options;
  options.offsets = true;
  options.only_functions = true;
  // A limit above what browsers can show.
  options.most_text = kLeastMostText;
  // Functions appear in order, each from "vm.func" to "}".
  uint32_t function = 0;
  bool inside = false;
  const auto take = [&](absl::string_view line) {
    if (!inside && absl::StartsWith(line, "vm.func ")) {
      WriteFunctionHead(function++);
      inside = true;
    }
    if (!inside) return;
    WriteCodeLine(line);
    if (line != "}") return;
    Add("</pre></details>\n");
    inside = false;
  };
  Lines lines(take);
  const auto add = [&](absl::string_view piece) {
    lines.Add(piece);
    return absl::OkStatus();
  };
  const absl::Status status = vm::Disassemble(*report_.module, options, add);
  if (inside) Add("</pre></details>\n");
  if (!status.ok()) Add("<p>", Plain(status.message()), "</p>\n");
}

}  // namespace

absl::Status PrintReportHtml(const Report& report, TextSink sink) {
  return HtmlWriter(report, sink).Write();
}

}  // namespace eyrie::tools
