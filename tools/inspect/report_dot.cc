// The call graph for Graphviz: `dot -Tsvg`.
//
// Tested by inspect_test.txt.
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "base/plain_text.h"
#include "tools/inspect/report.h"

namespace eyrie::tools {
namespace {

std::string Quoted(absl::string_view text) {
  return absl::StrCat(
      "\"", absl::StrReplaceAll(text, {{"\\", "\\\\"}, {"\"", "\\\""}}), "\"");
}

// Nodes are functions "f1" by their ordinals, kernels "k1" and modules "m1".
class DotWriter {
 public:
  explicit DotWriter(const Report& report) : report_(report) {}

  std::string Write() {
    absl::StrAppend(&text_, "digraph ", Quoted(PlainName(report_.def.name)),
                    " {\n  rankdir=LR;\n");
    WriteFunctions();
    CountCalls();
    for (const auto& [nodes, count] : calls_) {
      absl::StrAppend(&text_, "  ", nodes.first, " -> ", nodes.second,
                      count > 1 ? absl::StrCat(" [label=\"", count, "\"]") : "",
                      ";\n");
    }
    return text_ + "}\n";
  }

 private:
  using Names = std::map<std::string, std::string>;  // nodes by their labels

  void Node(absl::string_view node, absl::string_view label,
            const char* shape) {
    absl::StrAppend(&text_, "  ", node, " [label=", Quoted(label), ", ", shape,
                    "];\n");
  }
  // Returns the node with a label; writes it if it is new.
  const std::string& NodeOf(Names& names, const char* letter,
                            const std::string& label, const char* shape) {
    const auto [name, is_new] =
        names.try_emplace(label, absl::StrCat(letter, names.size()));
    if (is_new) Node(name->second, label, shape);
    return name->second;
  }
  void WriteFunctions();
  void CountCalls();

  const Report& report_;
  Names kernels_;
  Names modules_;
  std::map<std::pair<std::string, std::string>, uint64_t> calls_;
  std::string text_;
};

void DotWriter::WriteFunctions() {
  std::set<uint32_t> exported;
  for (const vm::ExportDef& each : report_.def.exports) {
    exported.insert(each.function);
  }
  for (uint32_t i = 0; i < report_.names.size(); ++i) {
    Node(absl::StrCat("f", i), PlainName(report_.names[i]),
         exported.contains(i) ? "shape=box, style=bold" : "shape=box");
  }
}

void DotWriter::CountCalls() {
  for (const DispatchUse& dispatch : report_.facts.dispatches) {
    const std::string kernel = PlainName(KernelName(report_, dispatch));
    ++calls_[{absl::StrCat("f", dispatch.place.function),
              NodeOf(kernels_, "k", kernel, "shape=ellipse")}];
  }
  for (const CallEdge& call : report_.facts.calls) {
    const std::string callee =
        call.import
            ? NodeOf(modules_, "m",
                     PlainName(report_.def.imports[call.callee].module_name()),
                     "shape=folder, style=dashed")
            : absl::StrCat("f", call.callee);
    calls_[{absl::StrCat("f", call.caller), callee}] += call.count;
  }
}

}  // namespace

std::string ReportDot(const Report& report) {
  return DotWriter(report).Write();
}

}  // namespace eyrie::tools
