// All that `eyrie inspect` says of a module, for each form to print.
//
// Texts from the file are as they stand there: who prints them makes them fit.
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

#include "abi/host_imports.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/text_stream.h"
#include "hal/driver.h"
#include "hal/executable_facts.h"
#include "tools/inspect/module_facts.h"
#include "vm/module_def.h"
#include "vm/verifier.h"

namespace eyrie::tools {

// Something the module needs, and where it is here.
struct Need {
  enum class Kind : uint8_t {
    kDevice,     // a pattern of names: "vulkan*"
    kFormat,     // of executables
    kModule,     // another module's name
    kImport,     // a function that a host module has not
    kParameters  // a scope
  };
  Kind kind;
  std::string name;
  std::vector<std::string> found;  // devices that have it
  // Without it the module does not run; else it has a way around it.
  bool required = true;
  std::string detail;  // "12 keys, 3.4 MiB"; may be empty
};

struct ExecutableReport {
  std::string format;
  std::optional<uint32_t> rodata;
  std::string member;  // of the ZIP; may be empty
  uint64_t bytes = 0;
  absl::Status readable;  // why facts are empty
  hal::ExecutableFacts facts;
  std::vector<std::string> runs_on;  // devices
  std::string refused;               // why not on others; a sentence
};

struct Verdict {
  bool runs = false;
  std::vector<std::string> devices;  // on any of which it would
  std::vector<std::string> reasons;  // why it would not; sentences
  std::vector<std::string> notes;    // what it takes besides
};

struct Sizes {
  uint64_t file = 0;
  uint64_t bytecode = 0;
  uint64_t executables = 0;
  uint64_t constants = 0;  // other rodata
  size_t constant_count = 0;
  uint64_t parameters = 0;  // that files must have
  uint64_t state_bytes = 0;
  uint64_t state_refs = 0;
  // Allocations whose size is a constant, over all functions.
  uint64_t transient = 0;
  uint64_t persistent = 0;
  size_t unknown_allocations = 0;
};

struct Report {
  std::shared_ptr<const vm::VerifiedModule> module;  // null: it is refused
  vm::ModuleDef def;
  absl::Status verified;           // why it is refused
  std::vector<std::string> names;  // of functions: "add", or "@7"
  abi::ReleaseRange releases;
  ModuleFacts facts;
  std::vector<Need> needs;
  std::vector<ExecutableReport> executables;  // each once
  std::vector<size_t> executable_of_use;      // by ModuleFacts::executables
  Verdict verdict;
  Sizes sizes;
  std::vector<std::string> targets;  // what it says it is compiled for

  const ExecutableReport& ExecutableOf(size_t use) const {
    return executables[executable_of_use[use]];
  }
};

// Reads what there is to know. `options` are those of this machine's devices.
// Fails as Archive::Open and ModuleDef::Decode; a module that the verifier
// refuses is a report.
absl::StatusOr<Report> CreateReport(const std::string& path,
                                    const hal::DriverOptions& options);

// The kernel of a dispatch, by what is known: a name, "kernel 3", or "?".
std::string KernelName(const Report& report, const DispatchUse& dispatch);

// "12x1x1", "12x?x1", or "indirect".
std::string WorkgroupsText(const DispatchUse& dispatch);

// Where instructions come from. Quick where those of one function are asked for
// together.
class SourceMap {
 public:
  explicit SourceMap(const vm::ModuleDef& def) : def_(def) {}

  // "model.mlir:12:3", fit for a line; empty: not known.
  std::string Find(const CodePlace& place);

 private:
  const vm::ModuleDef& def_;
  uint32_t function_ = 0xFFFFFFFF;
  std::vector<std::pair<uint32_t, int32_t>> locations_;
};

// The page. `most` lines of each list; 0: all of them.
std::string ReportText(const Report& report, size_t most);

// One object: that of `dump --json` as "module", and the rest.
// RESOURCE_EXHAUSTED: it ended at MostTextOf() bytes. Else the sink's error.
absl::Status PrintReportJson(const Report& report, TextSink sink);

// The call graph in Graphviz' language.
std::string ReportDot(const Report& report);

// A file for a browser, which loads nothing else, of MostTextOf() bytes, and
// how many more are not shown. Returns the sink's error.
absl::Status PrintReportHtml(const Report& report, TextSink sink);

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_INSPECT_REPORT_H_
