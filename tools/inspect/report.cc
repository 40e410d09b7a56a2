// Combines facts about the code, the executables and this machine.
//
// Tested by report_test.cc, inspect_test.txt.
#include "tools/inspect/report.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "abi/call/describe_executable.h"
#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/checked_math.h"
#include "base/plain_text.h"
#include "base/status_macros.h"
#include "tools/inspect/machine.h"
#include "tools/inspect/size_text.h"
#include "vm/module/archive.h"

namespace eyrie::tools {
namespace {

constexpr char kDeviceCategory[] = "hal.device.id";
constexpr char kCheckModule[] = "check";
constexpr char kSystemPrefix[] = "system-elf-";
constexpr uint64_t kMaxReads = 4;  // of each byte of a file

// Adds with saturation: sums of sizes may overflow.
void Add(uint64_t& sum, uint64_t bytes) {
  sum = CheckedAdd(sum, bytes).value_or(UINT64_MAX);
}

std::vector<std::string> KeysOf(const ModuleFacts& facts,
                                absl::string_view category) {
  std::vector<std::string> keys;
  for (const DeviceQuery& query : facts.queries) {
    if (query.category == category && !query.key.empty()) {
      keys.push_back(query.key);
    }
  }
  return keys;
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
      report_.facts = ReadModuleFacts(*report_.module);
    }
    machine_.emplace(KeysOf(report_.facts, kDeviceCategory), options_);
    GatherExecutables();
    GatherDevices();
    GatherModules();
    GatherParameters();
    GatherTargets();
    Measure();
    Judge();
    return std::move(report_);
  }

 private:
  void NameFunctions();
  void GatherExecutables();
  void GatherExecutable(const ExecutableUse& use);
  void GatherDevices();
  void GatherModules();
  void GatherParameters();
  void GatherTargets();
  void Measure();
  void Judge();
  void JudgeDevices();
  void JudgeExecutables();
  // Returns what a device would need to run executables of an unsupported
  // format.
  std::string FormatReason(const std::string& format) const;

  const hal::DriverOptions& options_;
  std::optional<Machine> machine_;
  // Index in the report of each executable, by rodata segment and format.
  std::map<std::pair<std::optional<uint32_t>, std::string>, size_t>
      executables_;
  uint64_t read_ = 0;  // bytes of executables
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

void Gatherer::GatherExecutables() {
  for (const ExecutableUse& use : report_.facts.executables) {
    GatherExecutable(use);
  }
}

void Gatherer::GatherExecutable(const ExecutableUse& use) {
  // Several devices may create the same executable; it is read once.
  const auto [known, is_new] = executables_.try_emplace(
      {use.rodata, use.format}, report_.executables.size());
  report_.executable_of_use.push_back(known->second);
  if (!is_new) return;
  ExecutableReport executable;
  executable.format = use.format;
  executable.rodata = use.rodata;
  if (!use.rodata.has_value()) {
    executable.readable =
        absl::NotFoundError("Its content is known only at run time.");
    report_.executables.push_back(std::move(executable));
    return;
  }
  const vm::RodataDef& rodata = report_.def.rodata[*use.rodata];
  executable.bytes = rodata.bytes.size();
  executable.member = std::string(rodata.member_name);
  read_ = CheckedAdd(read_, executable.bytes).value_or(UINT64_MAX);
  if (read_ > kMaxReads * report_.def.archive().bytes().size()) {
    executable.readable = absl::ResourceExhaustedError(
        "The module has the same bytes as too many executables.");
    report_.executables.push_back(std::move(executable));
    return;
  }
  auto facts = abi::DescribeExecutable(use.format, rodata.bytes);
  executable.readable = facts.status();
  if (facts.ok()) executable.facts = *std::move(facts);
  for (const std::string& device : machine_->WithFormat(use.format)) {
    absl::Status status = machine_->Check(device, use.format, rodata.bytes);
    if (status.ok() && !executable.facts.lacks.empty()) {
      status = absl::UnimplementedError(
          absl::StrCat("It requires features that this machine lacks: ",
                       executable.facts.lacks, "."));
    }
    if (status.ok()) {
      executable.runs_on.push_back(device);
    } else {
      executable.refused = std::string(status.message());
    }
  }
  if (!executable.readable.ok() && executable.refused.empty() &&
      executable.runs_on.empty()) {
    executable.refused = FormatReason(use.format);
  }
  report_.executables.push_back(std::move(executable));
}

std::string Gatherer::FormatReason(const std::string& format) const {
  if (absl::StartsWith(format, kSystemPrefix) &&
      !options_.allow_system_executables) {
    return absl::StrCat("Executables of the format ", format,
                        " run with --allow_system_executables.");
  }
  return absl::StrCat("No device here runs executables of the format ", format,
                      ".");
}

void Gatherer::GatherDevices() {
  for (const std::string& pattern : KeysOf(report_.facts, kDeviceCategory)) {
    report_.needs.push_back(
        {Need::Kind::kDevice, pattern, machine_->WithName(pattern), true, ""});
  }
  for (const std::string& format : KeysOf(report_.facts, kFormatCategory)) {
    report_.needs.push_back(
        {Need::Kind::kFormat, format, machine_->WithFormat(format), false, ""});
  }
}

void Gatherer::GatherModules() {
  std::map<std::string, bool> required;
  for (const vm::DependencyDef& dependency : report_.def.dependencies) {
    required[std::string(dependency.name)] |= !dependency.optional;
  }
  for (const vm::ImportDef& import : report_.def.imports) {
    const std::string module(import.module_name());
    required[module] |= !import.optional;
    if (!abi::IsHostModule(module) || import.optional) continue;
    if (abi::ReleasesOf(import.full_name, import.calling_convention)
            .has_value()) {
      continue;
    }
    report_.needs.push_back({Need::Kind::kImport,
                             std::string(import.full_name),
                             {},
                             true,
                             std::string(import.calling_convention)});
  }
  for (const auto& [name, is_required] : required) {
    if (abi::IsHostModule(name)) continue;
    report_.needs.push_back({Need::Kind::kModule,
                             name,
                             {},
                             is_required,
                             name == kCheckModule ? "eyrie check has it" : ""});
  }
}

void Gatherer::GatherParameters() {
  struct Scope {
    size_t keys = 0;
    uint64_t bytes = 0;
  };
  std::map<std::string, Scope> scopes;
  for (const ParameterUse& parameter : report_.facts.parameters) {
    Scope& scope = scopes[parameter.scope];
    ++scope.keys;
    Add(scope.bytes, parameter.bytes);
    Add(report_.sizes.parameters, parameter.bytes);
  }
  for (const auto& [name, scope] : scopes) {
    report_.needs.push_back(
        {Need::Kind::kParameters,
         name,
         {},
         true,
         absl::StrCat(scope.keys, scope.keys == 1 ? " key, " : " keys, ",
                      SizeText(scope.bytes))});
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
  for (const AllocationUse& use : report_.facts.allocations) {
    if (!use.bytes.has_value() || *use.bytes < 0) {
      ++sizes.unknown_allocations;
    } else {
      Add(use.transient ? sizes.transient : sizes.persistent,
          static_cast<uint64_t>(*use.bytes));
    }
  }
}

void Gatherer::JudgeDevices() {
  Verdict& verdict = report_.verdict;
  for (const Need& need : report_.needs) {
    const std::string name = PlainName(need.name);
    switch (need.kind) {
      case Need::Kind::kDevice:
        if (!need.found.empty()) break;
        verdict.reasons.push_back(
            absl::StrCat("It needs a ", name, " device. ",
                         machine_->absent().empty()
                             ? "There is no such driver."
                             : absl::StrJoin(machine_->absent(), " ")));
        break;
      case Need::Kind::kImport:
        verdict.reasons.push_back(absl::StrCat("It imports ", name, " (",
                                               PlainName(need.detail),
                                               "), which is not known here."));
        break;
      case Need::Kind::kModule:
        if (!need.required) break;
        verdict.notes.push_back(absl::StrCat(
            "It needs a module '", name,
            "': another module's file before it (--module), or a native "
            "library that offers it (--native_library)."));
        break;
      case Need::Kind::kParameters:
        verdict.notes.push_back(absl::StrCat(
            "It needs parameters", need.name.empty() ? "" : " of the scope '",
            name, need.name.empty() ? "" : "'", ": --parameters=",
            need.name.empty() ? "" : name + "=", "FILE (", need.detail, ")."));
        break;
      case Need::Kind::kFormat:
        break;
    }
  }
}

// A device needs only one of several formats. So a format that is not supported
// is a reason only if no format is; otherwise it is a note.
void Gatherer::JudgeExecutables() {
  Verdict& verdict = report_.verdict;
  std::set<std::string> devices;
  bool any = false;
  std::vector<std::string> reasons;
  for (const ExecutableReport& executable : report_.executables) {
    devices.insert(executable.runs_on.begin(), executable.runs_on.end());
    any |= !executable.runs_on.empty() || executable.format.empty();
    if (!executable.refused.empty() &&
        !absl::c_linear_search(reasons, executable.refused)) {
      reasons.push_back(executable.refused);
    }
  }
  if (!report_.executables.empty() && !any) {
    if (reasons.empty()) {
      reasons.push_back(FormatReason(report_.executables[0].format));
    }
    verdict.reasons.insert(verdict.reasons.end(), reasons.begin(),
                           reasons.end());
  } else {
    verdict.notes.insert(verdict.notes.end(), reasons.begin(), reasons.end());
  }
  if (report_.executables.empty()) {
    for (const Need& need : report_.needs) {
      if (need.kind != Need::Kind::kDevice) continue;
      devices.insert(need.found.begin(), need.found.end());
    }
  }
  verdict.devices.assign(devices.begin(), devices.end());
}

void Gatherer::Judge() {
  Verdict& verdict = report_.verdict;
  if (!report_.verified.ok()) {
    verdict.reasons.push_back(std::string(report_.verified.message()));
    return;
  }
  JudgeDevices();
  JudgeExecutables();
  verdict.runs = verdict.reasons.empty();
}

}  // namespace

absl::StatusOr<Report> CreateReport(const std::string& path,
                                    const hal::DriverOptions& options) {
  ASSIGN_OR_RETURN(auto archive, vm::Archive::Open(path));
  ASSIGN_OR_RETURN(vm::ModuleDef def, vm::ModuleDef::Decode(archive));
  return Gatherer(std::move(def), options).Gather();
}

std::string KernelName(const Report& report, const DispatchUse& dispatch) {
  if (!dispatch.kernel.empty()) return dispatch.kernel;
  if (!dispatch.ordinal.has_value()) return "?";
  const auto ordinal = static_cast<uint64_t>(*dispatch.ordinal);
  if (dispatch.executable.has_value()) {
    const auto& kernels =
        report.ExecutableOf(*dispatch.executable).facts.kernels;
    if (ordinal < kernels.size() && !kernels[ordinal].name.empty()) {
      return kernels[ordinal].name;
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
