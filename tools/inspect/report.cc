// Describes a module: names, sizes, needs and targets.
//
// Tested by report_test.cc, inspect_test.txt.
#include "tools/inspect/report.h"

#include <algorithm>
#include <set>
#include <utility>

#include "abi/call/host_imports.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/checked_math.h"
#include "base/plain_text.h"
#include "base/status_macros.h"
#include "vm/module/archive.h"

namespace eyrie::tools {
namespace {

// Adds with saturation: sums of sizes may overflow.
void Add(uint64_t& sum, uint64_t bytes) {
  sum = CheckedAdd(sum, bytes).value_or(UINT64_MAX);
}

class Gatherer {
 public:
  Gatherer(vm::ModuleDef def, const hal::DriverOptions& options)
      : options_(options) {
    report_.def = std::move(def);
  }

  Report Gather() {
    NameFunctions();
    report_.releases = abi::ReleasesOf(report_.def);
    auto verified = vm::VerifiedModule::Verify(report_.def);
    report_.verified = verified.status();
    if (verified.ok()) {
      report_.module = *std::move(verified);
      report_.facts = abi::ReadModuleFacts(*report_.module);
    }
    static_cast<abi::ModuleNeeds&>(report_) =
        abi::ReadNeeds(report_.def, report_.facts, options_);
    if (!report_.verified.ok()) {
      report_.verdict = {};
      report_.verdict.reasons.push_back(
          std::string(report_.verified.message()));
    }
    GatherTargets();
    Measure();
    return std::move(report_);
  }

 private:
  void NameFunctions();
  void GatherTargets();
  void Measure();

  const hal::DriverOptions& options_;
  Report report_;
};

// Returns ModuleDef::FunctionName of all functions.
void Gatherer::NameFunctions() {
  const vm::ModuleDef& def = report_.def;
  for (const vm::FunctionDef& function : def.functions) {
    report_.names.emplace_back(function.debug_name);
  }
  for (const vm::ExportDef& exported : def.exports) {
    std::string& name = report_.names[exported.function];
    if (name.empty()) name = std::string(exported.name);
  }
  for (size_t i = 0; i < report_.names.size(); ++i) {
    if (report_.names[i].empty()) report_.names[i] = absl::StrCat("@", i);
  }
}

// Adds the device targets that are listed in the text of the error "no device
// was found".
void Gatherer::GatherTargets() {
  for (const std::string& text : report_.facts.target_texts) {
    const size_t at = text.find("#hal.device.target");
    if (at != text.npos) report_.targets.push_back(text.substr(at));
  }
}

void Gatherer::Measure() {
  Sizes& sizes = report_.sizes;
  sizes.file = report_.def.archive().bytes().size();
  sizes.bytecode = report_.def.bytecode.size();
  sizes.state_bytes = report_.def.global_bytes;
  sizes.state_refs = report_.def.global_refs;
  std::set<uint32_t> executables;
  for (const ExecutableReport& executable : report_.executables) {
    if (executable.rodata.has_value()) executables.insert(*executable.rodata);
  }
  for (uint32_t i = 0; i < report_.def.rodata.size(); ++i) {
    const uint64_t bytes = report_.def.rodata[i].bytes.size();
    if (executables.contains(i)) {
      Add(sizes.executables, bytes);
    } else {
      Add(sizes.constants, bytes);
      ++sizes.constant_count;
    }
  }
  for (const abi::ParameterUse& use : report_.facts.parameters) {
    Add(sizes.parameters, use.bytes);
  }
  for (const abi::AllocationUse& use : report_.facts.allocations) {
    if (!use.bytes.has_value() || *use.bytes < 0) {
      ++sizes.unknown_allocations;
    } else {
      Add(use.transient ? sizes.transient : sizes.persistent,
          static_cast<uint64_t>(*use.bytes));
    }
  }
}

}  // namespace

absl::StatusOr<Report> CreateReport(const std::string& path,
                                    const hal::DriverOptions& options) {
  ASSIGN_OR_RETURN(auto archive, vm::Archive::Open(path));
  ASSIGN_OR_RETURN(vm::ModuleDef def, vm::ModuleDef::Decode(archive));
  return Gatherer(std::move(def), options).Gather();
}

std::string KernelName(const Report& report, const DispatchUse& dispatch) {
  constexpr size_t kMaxName = 4096;  // bytes; the file does not limit them
  if (!dispatch.kernel.empty()) return dispatch.kernel.substr(0, kMaxName);
  if (!dispatch.ordinal.has_value()) return "?";
  const auto ordinal = static_cast<uint64_t>(*dispatch.ordinal);
  if (dispatch.executable.has_value()) {
    const auto& kernels =
        report.ExecutableOf(*dispatch.executable).facts.kernels;
    if (ordinal < kernels.size() && !kernels[ordinal].name.empty()) {
      return kernels[ordinal].name.substr(0, kMaxName);
    }
  }
  return absl::StrCat("kernel ", ordinal);
}

std::string WorkgroupsText(const DispatchUse& dispatch) {
  if (dispatch.indirect) return "indirect";
  return absl::StrJoin(
      dispatch.workgroups, "x", [](std::string* out, const auto& count) {
        absl::StrAppend(out, count.has_value() ? absl::StrCat(*count) : "?");
      });
}

std::string SourceMap::Find(const CodePlace& place) {
  if (place.function != function_) {
    function_ = place.function;
    locations_ = def_.LocationsOf(place.function);
  }
  const auto after = std::upper_bound(
      locations_.begin(), locations_.end(), place.offset,
      [](uint32_t offset, const auto& row) { return offset < row.first; });
  if (after == locations_.begin()) return "";
  const auto places = def_.ReadLocation(std::prev(after)->second);
  if (places.empty() || places[0].file.empty()) return "";
  return absl::StrCat(PlainName(places[0].file), ":", places[0].line, ":",
                      places[0].column);
}

}  // namespace eyrie::tools
