// The report as text.
//
// Tested by inspect_test.txt.
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "base/counted.h"
#include "base/plain_text.h"
#include "tools/inspect/dispatch_times.h"
#include "tools/inspect/report.h"
#include "tools/module_text.h"
#include "tools/trace_flags.h"

namespace eyrie::tools {
namespace {

// Returns "2 bindings, 1 constant, ", or nothing if they are not declared.
std::string CountsText(const hal::KernelFacts& kernel) {
  if (!kernel.binding_count || !kernel.constant_count) return "";
  return absl::StrCat(Counted(*kernel.binding_count, "binding"), ", ",
                      Counted(*kernel.constant_count, "constant"), ", ");
}

constexpr size_t kMaxTarget = 300;  // bytes of what a module is compiled for

class TextWriter {
 public:
  TextWriter(const Report& report, size_t most)
      : report_(report), most_(most == 0 ? SIZE_MAX : most) {}

  std::string Write() {
    WriteHead();
    WriteFunctions();
    WriteNeeds();
    WriteSizes();
    WriteTimes();
    WriteExecutables();
    WriteDispatches();
    return std::move(text_);
  }

 private:
  template <typename... Args>
  void Line(const Args&... args) {
    absl::StrAppend(&text_, args..., "\n");
  }
  // "  device       local*: local-sync"
  void Item(absl::string_view name, absl::string_view value) {
    Line(absl::StrFormat("  %-12s %s", name, value));
  }
  // Ends a list of which `shown` of `all` were shown.
  void More(size_t all, size_t shown) {
    if (all > shown) {
      Line("  ... ", all - shown, " more; --all shows them.");
    }
  }

  // Returns ", 1.2 us", or "" without a time.
  std::string TimeOf(size_t dispatch) const {
    const auto& times = report_.dispatch_ns;
    if (dispatch >= times.size() || !times[dispatch].has_value()) return "";
    return absl::StrCat(", ", TimeText(*times[dispatch]));
  }

  void WriteHead();
  void WriteVerdict();
  void WriteFunctions();
  void WriteNeeds();
  void WriteSizes();
  void WriteTimes();
  void WriteExecutables();
  void WriteKernels(const ExecutableReport& executable);
  void WriteDispatches();

  const Report& report_;
  const size_t most_;
  std::string text_;
};

std::string Found(const std::vector<std::string>& devices) {
  return devices.empty() ? "not here" : absl::StrJoin(devices, ", ");
}

const char* NeedWord(Need::Kind kind) {
  switch (kind) {
    case Need::Kind::kDevice:
      return "device";
    case Need::Kind::kFormat:
      return "format";
    case Need::Kind::kModule:
      return "module";
    case Need::Kind::kImport:
      return "function";
    case Need::Kind::kParameters:
      return "parameters";
  }
  return "";
}

void TextWriter::WriteVerdict() {
  const Verdict& verdict = report_.verdict;
  if (verdict.runs) {
    Item(
        "would run",
        verdict.devices.empty()
            ? "yes"
            : absl::StrCat("yes, on ", absl::StrJoin(verdict.devices, " or ")));
  } else {
    Item("would run", "no");
  }
  for (const auto* list : {&verdict.reasons, &verdict.notes}) {
    for (const std::string& sentence : *list) {
      Item("", PlainText(sentence, 1000));
    }
  }
}

void TextWriter::WriteHead() {
  const vm::ModuleDef& def = report_.def;
  Line("Module ", PlainName(def.name), " in ", PlainPath(def.archive().name()));
  Item("compiled by",
       report_.releases.empty()
           ? "no single release: its bytecode and its imports contradict each "
             "other"
           : absl::StrCat("iree-compile ", report_.releases.ToString()));
  Item(
      "bytecode",
      absl::StrCat(def.bytecode_major, ".", def.bytecode_minor, ", ",
                   def.archive().is_zip() ? "in a ZIP" : "bare",
                   def.has_debug_database() ? ", with debug information" : ""));
  for (const std::string& target : report_.targets) {
    Item("for", PlainText(target, kMaxTarget));
  }
  WriteVerdict();
}

void TextWriter::WriteFunctions() {
  const std::string signatures =
      SignaturesText(report_.def, report_.module.get());
  if (signatures.empty()) return;
  Line("\nFunctions");
  const std::vector<absl::string_view> lines =
      absl::StrSplit(signatures, '\n', absl::SkipEmpty());
  const size_t shown = std::min(lines.size(), most_);
  for (size_t i = 0; i < shown; ++i) Line("  ", lines[i]);
  More(lines.size(), shown);
}

void TextWriter::WriteNeeds() {
  if (report_.needs.empty()) return;
  Line("\nNeeds");
  size_t shown = 0;
  for (const Need& need : report_.needs) {
    if (shown++ == most_) break;
    std::string text = PlainName(need.name);
    if (need.kind == Need::Kind::kParameters && text.empty()) {
      text = "(no scope)";
    }
    if (need.kind == Need::Kind::kDevice || need.kind == Need::Kind::kFormat) {
      absl::StrAppend(&text, ": ", Found(need.found));
    }
    if (!need.required && need.kind == Need::Kind::kModule) {
      absl::StrAppend(&text, " (optional)");
    }
    if (!need.detail.empty()) {
      absl::StrAppend(&text, ": ", PlainName(need.detail));
    }
    Item(NeedWord(need.kind), text);
  }
  More(report_.needs.size(), std::min(most_, report_.needs.size()));
}

void TextWriter::WriteSizes() {
  const Sizes& sizes = report_.sizes;
  Line("\nSizes");
  Item("file", SizeText(sizes.file));
  Item("bytecode",
       absl::StrCat(SizeText(sizes.bytecode), " in ",
                    Counted(report_.def.functions.size(), "function")));
  Item("executables", absl::StrCat(SizeText(sizes.executables), " in ",
                                   report_.executables.size()));
  Item("constants",
       absl::StrCat(SizeText(sizes.constants), " in ", sizes.constant_count));
  if (sizes.parameters > 0) {
    Item("parameters",
         absl::StrCat(SizeText(sizes.parameters), " in ",
                      Counted(report_.facts.parameters.size(), "key")));
  }
  if (sizes.state_bytes > 0 || sizes.state_refs > 0) {
    Item("state", absl::StrCat(SizeText(sizes.state_bytes), " and ",
                               sizes.state_refs, " references"));
  }
  std::string allocations =
      absl::StrCat(SizeText(sizes.transient), " transient, ",
                   SizeText(sizes.persistent), " persistent");
  if (sizes.unknown_allocations > 0) {
    absl::StrAppend(&allocations, ", and ", sizes.unknown_allocations,
                    " whose size is known only at run time");
  }
  if (!report_.facts.allocations.empty()) {
    Item("buffers",
         absl::StrCat(allocations, ", in ",
                      Counted(report_.facts.allocations.size(), "place")));
  }
}

void TextWriter::WriteTimes() {
  if (report_.recording.empty()) return;
  Line("\nTime");
  Line("  ", PlainText(report_.recording, 1000));
  const std::vector<OperationTime> operations = TimesByOperation(report_);
  const double total = TotalTime(report_);
  const size_t shown = std::min(operations.size(), most_);
  for (size_t i = 0; i < shown; ++i) {
    const OperationTime& operation = operations[i];
    Line(absl::StrFormat("  %5.1f%% %10s  %s x %d",
                         total > 0 ? 100 * operation.ns / total : 0,
                         TimeText(operation.ns), PlainName(operation.name),
                         operation.dispatches));
  }
  More(operations.size(), shown);
}

void TextWriter::WriteKernels(const ExecutableReport& executable) {
  const auto& kernels = executable.facts.kernels;
  const size_t shown = std::min(kernels.size(), most_);
  for (size_t i = 0; i < shown; ++i) {
    const hal::KernelFacts& kernel = kernels[i];
    std::string line = absl::StrFormat(
        "    %3d %s: %sworkgroups of %dx%dx%d", i,
        kernel.name.empty() ? "(no name)" : PlainName(kernel.name),
        CountsText(kernel), kernel.workgroup_size[0], kernel.workgroup_size[1],
        kernel.workgroup_size[2]);
    if (kernel.local_memory > 0) {
      absl::StrAppend(&line, ", ", SizeText(kernel.local_memory),
                      " of their own");
    }
    if (!kernel.source.empty()) {
      absl::StrAppend(&line, "  // ", PlainName(kernel.source));
    }
    Line(line);
  }
  More(kernels.size(), shown);
}

void TextWriter::WriteExecutables() {
  if (report_.executables.empty()) return;
  Line("\nExecutables");
  const size_t shown = std::min(report_.executables.size(), most_);
  for (size_t i = 0; i < shown; ++i) {
    const ExecutableReport& executable = report_.executables[i];
    Line("  ", i, " ",
         executable.format.empty() ? "(format not known)"
                                   : PlainName(executable.format),
         ", ", SizeText(executable.bytes),
         executable.facts.name.empty()
             ? ""
             : absl::StrCat(", '", PlainName(executable.facts.name), "'"),
         executable.member.empty()
             ? ""
             : absl::StrCat(", ", PlainName(executable.member)));
    if (!executable.facts.uses.empty()) {
      Line("    uses ", executable.facts.uses);
    }
    if (!executable.readable.ok()) {
      Line("    not read: ", PlainText(executable.readable.message(), 1000));
    } else if (executable.facts.kernels.empty()) {
      Line("    its kernels are not found");
    }
    WriteKernels(executable);
  }
  More(report_.executables.size(), shown);
}

void TextWriter::WriteDispatches() {
  const std::vector<DispatchUse>& dispatches = report_.facts.dispatches;
  if (report_.facts.unfollowed > 0) {
    Line("\n", report_.facts.unfollowed,
         " functions are too large to follow what is in their registers.");
  }
  if (dispatches.empty()) return;
  Line("\nDispatches (in the order of the code)");
  SourceMap sources(report_.def);
  const size_t shown = std::min(dispatches.size(), most_);
  for (size_t i = 0; i < shown; ++i) {
    const DispatchUse& dispatch = dispatches[i];
    const std::string source = sources.Find(dispatch.place);
    Line("  ", PlainName(report_.names[dispatch.place.function]), ": ",
         PlainName(KernelName(report_, dispatch)), " x ",
         WorkgroupsText(dispatch), ", ", Counted(dispatch.bindings, "binding"),
         ", ", Counted(dispatch.constants, "constant"), TimeOf(i),
         source.empty() ? "" : absl::StrCat("  // ", source));
  }
  More(dispatches.size(), shown);
}

}  // namespace

std::string ReportText(const Report& report, size_t most) {
  return TextWriter(report, most).Write();
}

}  // namespace eyrie::tools
