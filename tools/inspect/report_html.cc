// The page is one file with its styles and pictures, without scripts. Its
// content security policy prevents a browser from loading anything else.
//
// Tested by inspect_test.txt; looked at in a browser.
#include <algorithm>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "base/file_growth.h"
#include "base/plain_text.h"
#include "base/text_stream.h"
#include "tools/inspect/call_graph.h"
#include "tools/inspect/dispatch_graph.h"
#include "tools/inspect/html_text.h"
#include "tools/inspect/report.h"
#include "tools/inspect/svg_graph.h"
#include "tools/module_text.h"
#include "vm/asm/disassembler.h"

namespace eyrie::tools {
namespace {

constexpr size_t kMaxNodes = 400;     // of the graph
constexpr size_t kMaxEdges = 2000;    // of the graph
constexpr size_t kMaxDrawn = 200;     // dispatches
constexpr size_t kMaxSizes = 32;      // of a dispatch's bindings
constexpr size_t kMaxRows = 2000;     // of a table
constexpr size_t kMaxConstants = 50;  // the largest ones
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
  --no: #c33; --code: #8881; }
body { font: 15px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 76rem;
  padding: 1rem 1.5rem 4rem; overflow-wrap: break-word; }
h1 { font-size: 1.5rem; margin-bottom: 0; }
h2 { font-size: 1.15rem; margin-top: 2.2rem;
  border-bottom: 1px solid var(--line); }
nav a { margin-right: 1rem; display: inline-block; } .dim { color: var(--dim); }
.yes { color: var(--yes); } .no { color: var(--no); }
table { border-collapse: collapse; }
td, th { text-align: left; vertical-align: top; padding: .15rem 1rem .15rem 0;
  border-bottom: 1px solid var(--line); }
td { max-width: 28rem; } .sizes { display: inline-block; min-width: 10rem; }
code, pre, svg text { font-family: ui-monospace, "DejaVu Sans Mono", monospace;
  font-size: 12px; }
pre { background: var(--code); padding: .6rem; white-space: pre-wrap;
  margin: .3rem 0; } pre i { color: var(--dim); font-style: normal; }
.scroll { overflow-x: auto; } details { margin: .2rem 0; }
summary { cursor: pointer; }
.bar { display: flex; height: 1.4rem; width: 100%; margin: .5rem 0; }
.bar span { min-width: 1px; }
.c0 { background: #4878d0; } .c1 { background: #ee854a; }
.c2 { background: #6acc64; } .c3 { background: #999; }
.key { display: inline-block; width: .8rem; height: .8rem;
  margin-right: .4rem; }
svg path { fill: none; stroke: var(--dim); stroke-opacity: .6; }
svg path:hover { stroke: #4878d0; stroke-opacity: 1; stroke-width: 3; }
svg text.dim { fill: var(--dim); } svg a text { fill: #4878d0; }
svg a rect + text { fill: CanvasText; }
svg rect { stroke: var(--dim); fill: Canvas; } svg text { fill: CanvasText; }
svg .export rect { stroke-width: 2; stroke: #4878d0; }
svg .kernel rect { stroke: #ee854a; }
svg .module rect { stroke-dasharray: 3 2; }
svg rect.time { stroke: none; fill: #ee854a; }
svg a:hover rect { fill: var(--line); }
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

class HtmlWriter {
 public:
  HtmlWriter(const Report& report, TextSink sink)
      : report_(report),
        left_(MostTextOf(report.sizes.file)),
        to_(UINT64_MAX, sink) {}

  absl::Status Write() {
    WriteHead();
    WriteVerdict();
    WriteFunctions();
    WriteNeeds();
    WriteSizes();
    WriteExecutables();
    WriteDispatches();
    WriteGraph();
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
  std::string FunctionLink(uint32_t function) const {
    return absl::StrCat("<a href=\"#f", function, "\"><code>",
                        Plain(report_.names[function]), "</code></a>");
  }

  void WriteHead();
  void WriteVerdict();
  void WriteFunctions();
  void WriteNeeds();
  void WriteSizes();
  void WriteConstants();
  void WriteExecutables();
  void WriteDispatches();
  void WriteDispatchGraph();
  void WriteGraph();
  void WriteCode();
  void WriteFunctionHead(uint32_t function);
  void WriteCodeLine(absl::string_view line);

  const Report& report_;
  uint64_t left_;  // bytes of text that may still be shown
  uint64_t left_out_ = 0;
  TextStream to_;
};

void HtmlWriter::WriteHead() {
  const vm::ModuleDef& def = report_.def;
  const std::string name = Plain(def.archive().name());
  Add(kHead, "<title>", name, "</title>\n</head>\n<body>\n<h1>", name,
      "</h1>\n<p class=\"dim\">module <b>", Plain(def.name), "</b>, ",
      SizeText(report_.sizes.file), ", compiled by ",
      report_.releases.empty()
          ? "no single release"
          : absl::StrCat("iree-compile ", report_.releases.ToString()),
      ", bytecode ", def.bytecode_major, ".", def.bytecode_minor, ", ",
      def.archive().is_zip() ? "in a ZIP" : "bare", "</p>\n");
  Add("<nav>");
  for (const char* part : {"Functions", "Needs", "Sizes", "Executables",
                           "Dispatches", "Calls", "Code"}) {
    Add("<a href=\"#", part, "\">", part, "</a>");
  }
  Add("</nav>\n");
}

void HtmlWriter::WriteVerdict() {
  const Verdict& verdict = report_.verdict;
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
    Add("<p class=\"dim\">compiled for <code>", Plain(target), "</code></p>\n");
  }
}

void HtmlWriter::WriteFunctions() {
  Add("<h2 id=\"Functions\">Functions</h2>\n<pre>",
      HtmlText(SignaturesText(report_.def, report_.module.get())), "</pre>\n");
}

void HtmlWriter::WriteNeeds() {
  Add("<h2 id=\"Needs\">Needs</h2>\n");
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
  Add("<h2 id=\"Sizes\">Sizes</h2>\n<div class=\"bar\">");
  for (size_t i = 0; i < std::size(kParts); ++i) {
    Add("<span class=\"c", i, "\" style=\"flex:", kParts[i].bytes,
        "\"></span>");
  }
  Add("</div>\n<table>\n");
  for (size_t i = 0; i < std::size(kParts); ++i) {
    Row({absl::StrCat("<span class=\"key c", i, "\"></span>", kParts[i].name),
         SizeText(kParts[i].bytes)});
  }
  Row({"parameters in files", SizeText(sizes.parameters)});
  Row({"state of each context",
       absl::StrCat(SizeText(sizes.state_bytes), " and ", sizes.state_refs,
                    " references")});
  Row({"transient buffers", SizeText(sizes.transient)});
  Row({"persistent buffers", SizeText(sizes.persistent)});
  if (sizes.unknown_allocations > 0) {
    Row({"buffers whose size is known only at run time",
         absl::StrCat(sizes.unknown_allocations)});
  }
  Add("</table>\n");
  WriteConstants();
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
  Add("<details><summary>The largest constants and executables</summary>\n");
  Header({"constant", "bytes", "in the file"});
  for (size_t i = 0; i < shown; ++i) {
    const vm::RodataDef& rodata = report_.def.rodata[order[i]];
    Row({absl::StrCat(order[i]), absl::StrCat(rodata.bytes.size()),
         Plain(rodata.member_name)});
  }
  EndTable(order.size(), shown);
  Add("</details>\n");
}

void HtmlWriter::WriteExecutables() {
  Add("<h2 id=\"Executables\">Executables</h2>\n");
  const size_t shown = std::min(report_.executables.size(), kMaxRows);
  size_t rows = 0;
  for (size_t i = 0; i < shown; ++i) {
    const ExecutableReport& executable = report_.executables[i];
    Add("<p><b>", i, " ", Plain(executable.format), "</b> ",
        SizeText(executable.bytes), " <code>", Plain(executable.facts.name),
        "</code> <span class=\"dim\">", Plain(executable.member), " ",
        Plain(executable.facts.uses), "</span></p>\n");
    if (!executable.readable.ok()) {
      Add("<p>Not read: ", Plain(executable.readable.message()), "</p>\n");
    }
    const auto& kernels = executable.facts.kernels;
    if (kernels.empty()) continue;
    Header({"", "kernel", "bindings", "constants", "workgroup size",
            "local memory", "source"});
    const size_t of_this = std::min(kernels.size(), kMaxRows - rows);
    for (size_t j = 0; j < of_this; ++j) {
      const hal::KernelFacts& kernel = kernels[j];
      Row({absl::StrCat(j),
           absl::StrCat("<code>", Plain(kernel.name), "</code>"),
           NumberText(kernel.binding_count), NumberText(kernel.constant_count),
           absl::StrJoin(kernel.workgroup_size, " x "),
           kernel.local_memory == 0 ? "" : SizeText(kernel.local_memory),
           Plain(kernel.source)});
    }
    rows += of_this;
    EndTable(kernels.size(), of_this);
  }
}

void HtmlWriter::WriteDispatchGraph() {
  const DispatchGraph graph = DrawDispatches(report_, kMaxDrawn);
  if (graph.svg.empty()) return;
  Add("<p class=\"dim\">In the order of the code, with their workgroups and "
      "the sizes of their bindings. A line joins a dispatch with the next one "
      "that uses the same buffer.");
  if (!report_.times.empty()) {
    Add(" Times are from the trace: the mean of all dispatches of a kernel, "
        "over all threads. Bars compare them.");
  }
  if (graph.left_out > 0) {
    Add(" ", graph.left_out, " more dispatches are not drawn.");
  }
  if (graph.left_out_lines > 0) {
    Add(" ", graph.left_out_lines, " more lines are not drawn.");
  }
  Add("</p>\n<div class=\"scroll\">", graph.svg, "</div>\n");
}

void HtmlWriter::WriteDispatches() {
  Add("<h2 id=\"Dispatches\">Dispatches</h2>\n");
  WriteDispatchGraph();
  const bool has_times = !report_.times.empty();
  std::vector<std::string> heads = {"function", "kernel", "workgroups",
                                    "bindings", "constants"};
  if (has_times) heads.insert(heads.end(), {"mean time", "dispatches"});
  heads.push_back("source");
  Header(heads);
  SourceMap sources(report_.def);
  const auto& dispatches = report_.facts.dispatches;
  const size_t shown = std::min(dispatches.size(), kMaxRows);
  for (size_t i = 0; i < shown; ++i) {
    const DispatchUse& dispatch = dispatches[i];
    std::vector<std::string> cells = {
        FunctionLink(dispatch.place.function),
        absl::StrCat("<code>", Plain(KernelName(report_, dispatch)), "</code>"),
        WorkgroupsText(dispatch),
        absl::StrCat("<span class=\"sizes\">",
                     BindingsText(dispatch, kMaxSizes), "</span>"),
        absl::StrCat(dispatch.constants)};
    if (has_times) {
      const KernelTime* const time = TimeOf(report_, dispatch);
      cells.push_back(MeanText(time));
      cells.push_back(time == nullptr ? "" : absl::StrCat(time->count));
    }
    cells.push_back(HtmlText(sources.Find(dispatch.place)));
    Row(cells);
  }
  EndTable(dispatches.size(), shown);
}

void HtmlWriter::WriteGraph() {
  // Without a module the calls are unknown, and the boxes would have no
  // targets.
  if (report_.module == nullptr) {
    return Add("<h2 id=\"Calls\">Calls</h2>\n");
  }
  CallGraph graph = CreateCallGraph(report_, kMaxNodes);
  Add("<h2 id=\"Calls\">Calls</h2>\n<p class=\"dim\">Exported functions have "
      "a thick border, kernels are round, modules that are imported dashed.");
  if (graph.left_out > 0) {
    Add(" ", graph.left_out, " more are not shown.");
  }
  if (graph.edges.size() > kMaxEdges) {
    Add(" ", graph.edges.size() - kMaxEdges, " more lines are not drawn.");
    graph.edges.resize(kMaxEdges);
  }
  Add("</p>\n<div class=\"scroll\">", SvgGraph(graph), "</div>\n");
}

void HtmlWriter::WriteFunctionHead(uint32_t function) {
  const vm::FunctionDef& def = report_.def.functions[function];
  Add("<details><summary><code>", Plain(report_.names[function]), "</code> ",
      def.bytecode.size(), " bytes, ", def.block_count,
      def.block_count == 1 ? " block, " : " blocks, ", def.declared_i32_count,
      " and ", def.declared_ref_count, " registers</summary>\n<pre id=\"f",
      function, "\">");
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

// Splits pieces of text into lines, and passes each line to a function.
class Lines {
 public:
  explicit Lines(absl::FunctionRef<void(absl::string_view line)> take)
      : take_(take) {}

  void Add(absl::string_view piece) {
    for (size_t end; (end = piece.find('\n')) != piece.npos;) {
      absl::StrAppend(&begun_, piece.substr(0, end));
      take_(begun_);
      begun_.clear();
      piece.remove_prefix(end + 1);
    }
    absl::StrAppend(&begun_, piece);
  }

 private:
  absl::FunctionRef<void(absl::string_view line)> take_;
  std::string begun_;
};

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
