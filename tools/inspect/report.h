// The report of `eyrie inspect`, for all output formats.
//
// Texts from the file are unescaped; printing functions must escape them.
// Gathered by report.cc; tested by report_test.cc, inspect_test.txt.
#ifndef EYRIE_TOOLS_INSPECT_REPORT_H_
#define EYRIE_TOOLS_INSPECT_REPORT_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "abi/needs/module_facts.h"
#include "abi/needs/needs.h"
#include "abi/needs/size_text.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/text_stream.h"
#include "hal/driver.h"
#include "vm/module/module_def.h"
#include "vm/module/verifier.h"

namespace eyrie::tools {

using abi::BindingUse;
using abi::CallEdge;
using abi::CodePlace;
using abi::DispatchUse;
using abi::ExecutableReport;
using abi::ExecutableUse;
using abi::ModuleFacts;
using abi::Need;
using abi::SizeText;
using abi::Verdict;

struct Sizes {
  uint64_t file = 0;
  uint64_t bytecode = 0;
  uint64_t executables = 0;
  uint64_t constants = 0;  // other rodata
  size_t constant_count = 0;
  uint64_t parameters = 0;  // minimum size in files
  uint64_t state_bytes = 0;
  uint64_t state_refs = 0;
  // Allocations whose size is a constant, over all functions.
  uint64_t transient = 0;
  uint64_t persistent = 0;
  size_t unknown_allocations = 0;
};

struct Report : abi::ModuleNeeds {
  std::shared_ptr<const vm::VerifiedModule> module;  // null: it was rejected
  vm::ModuleDef def;
  absl::Status verified;           // why it was rejected
  std::vector<std::string> names;  // of functions: "add" or "@7"
  vm::ReleaseRange releases;
  ModuleFacts facts;
  Sizes sizes;
  std::vector<std::string> targets;  // its stated compilation targets
  // The nanoseconds of all runs of each of facts.dispatches; nullopt: it did
  // not run. Empty without a recording.
  std::vector<std::optional<double>> dispatch_ns;
  std::string recording;  // a sentence: what was recorded, or why nothing was

  const ExecutableReport& ExecutableOf(size_t use) const {
    return executables[executable_of_use[use]];
  }
};

// Creates the report of a file. `options` are for this machine's devices. Fails
// as Archive::Open and ModuleDef::Decode do. A module that the verifier rejects
// has a report.
absl::StatusOr<Report> CreateReport(const std::string& path,
                                    const hal::DriverOptions& options);

// Returns the kernel's name, at most 4096 bytes of it; "kernel 3", or "?" if it
// is unknown.
std::string KernelName(const Report& report, const DispatchUse& dispatch);

// "12x1x1", "12x?x1", or "indirect".
std::string WorkgroupsText(const DispatchUse& dispatch);

// Finds source locations of instructions. Fast if queries of one function
// follow each other. Thread-compatible.
class SourceMap {
 public:
  explicit SourceMap(const vm::ModuleDef& def) : def_(def) {}

  // Returns "model.mlir:12:3", safe to print, or "" if it is unknown.
  std::string Find(const CodePlace& place);

 private:
  const vm::ModuleDef& def_;
  uint32_t function_ = 0xFFFFFFFF;
  std::vector<std::pair<uint32_t, int32_t>> locations_;
};

// Returns the report as text, with at most `most` lines per list; 0: all.
std::string ReportText(const Report& report, size_t most);

// Prints the report as one JSON object; "module" is the output of `dump
// --json`. RESOURCE_EXHAUSTED: the text was cut off at MostTextOf() bytes.
// Otherwise returns the sink's error.
absl::Status PrintReportJson(const Report& report, TextSink sink);

// Returns the call graph in Graphviz format.
std::string ReportDot(const Report& report);

// Prints a self-contained HTML page. After MostTextOf() bytes, it only states
// how many are omitted. Returns the sink's error.
absl::Status PrintReportHtml(const Report& report, TextSink sink);

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_INSPECT_REPORT_H_
