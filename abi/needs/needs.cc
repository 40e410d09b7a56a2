// Combines facts about the code, the executables and this machine.
//
// Tested by tools/inspect/report_test.cc, inspect_test.txt.
#include "abi/needs/needs.h"

#include <map>
#include <set>
#include <utility>

#include "abi/call/describe_executable.h"
#include "abi/call/host_imports.h"
#include "abi/needs/machine.h"
#include "abi/needs/size_text.h"
#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/checked_math.h"
#include "base/counted.h"
#include "base/plain_text.h"

namespace eyrie::abi {
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
  Gatherer(const vm::ModuleDef& def, const ModuleFacts& facts,
           const hal::DriverOptions& options)
      : def_(def),
        facts_(facts),
        options_(options),
        machine_(KeysOf(facts, kDeviceCategory), options) {}

  ModuleNeeds Gather() {
    GatherExecutables();
    GatherDevices();
    GatherModules();
    GatherParameters();
    Judge();
    return std::move(needs_);
  }

 private:
  void GatherExecutables();
  void GatherExecutable(const ExecutableUse& use);
  void GatherDevices();
  void GatherModules();
  void GatherParameters();
  void Judge();
  void JudgeDevices();
  void JudgeExecutables();
  // Returns what a device would need to run executables of an unsupported
  // format.
  std::string FormatReason(const std::string& format) const;

  const vm::ModuleDef& def_;
  const ModuleFacts& facts_;
  const hal::DriverOptions& options_;
  const Machine machine_;
  // Index in the result of each executable, by rodata segment and format.
  std::map<std::pair<std::optional<uint32_t>, std::string>, size_t>
      executables_;
  uint64_t read_ = 0;  // bytes of executables
  ModuleNeeds needs_;
};

void Gatherer::GatherExecutables() {
  for (const ExecutableUse& use : facts_.executables) {
    GatherExecutable(use);
  }
}

void Gatherer::GatherExecutable(const ExecutableUse& use) {
  // Several devices may create the same executable; it is read once.
  const auto [known, is_new] = executables_.try_emplace(
      {use.rodata, use.format}, needs_.executables.size());
  needs_.executable_of_use.push_back(known->second);
  if (!is_new) return;
  ExecutableReport executable;
  executable.format = use.format;
  executable.rodata = use.rodata;
  if (!use.rodata.has_value()) {
    executable.readable =
        absl::NotFoundError("Its content is known only at run time.");
    needs_.executables.push_back(std::move(executable));
    return;
  }
  const vm::RodataDef& rodata = def_.rodata[*use.rodata];
  executable.bytes = rodata.bytes.size();
  executable.member = std::string(rodata.member_name);
  read_ = CheckedAdd(read_, executable.bytes).value_or(UINT64_MAX);
  if (read_ > kMaxReads * def_.archive().bytes().size()) {
    executable.readable = absl::ResourceExhaustedError(
        "The module has the same bytes as too many executables.");
    needs_.executables.push_back(std::move(executable));
    return;
  }
  auto facts = DescribeExecutable(use.format, rodata.bytes);
  executable.readable = facts.status();
  if (facts.ok()) executable.facts = *std::move(facts);
  for (const std::string& device : machine_.WithFormat(use.format)) {
    absl::Status status = machine_.Check(device, use.format, rodata.bytes);
    if (status.ok() && !executable.facts.lacks.empty()) {
      status = absl::UnimplementedError(
          absl::StrCat("It requires features that this machine lacks: ",
                       executable.facts.lacks, "."));
    }
    if (status.ok() && options_.isolate &&
        !executable.facts.not_isolated.empty()) {
      status = absl::UnimplementedError(executable.facts.not_isolated);
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
  needs_.executables.push_back(std::move(executable));
}

std::string Gatherer::FormatReason(const std::string& format) const {
  if (absl::StartsWith(format, kSystemPrefix) && options_.isolate) {
    return absl::StrCat("Executables of the format ", format,
                        " cannot be isolated, because they call the system's C "
                        "library. The compiler's --iree-llvmcpu-link-embedded "
                        "makes others.");
  }
  if (absl::StartsWith(format, kSystemPrefix) &&
      !options_.allow_system_executables) {
    return absl::StrCat("Executables of the format ", format,
                        " run with --allow_system_executables.");
  }
  return absl::StrCat("No device here runs executables of the format ", format,
                      ".");
}

void Gatherer::GatherDevices() {
  for (const std::string& pattern : KeysOf(facts_, kDeviceCategory)) {
    needs_.needs.push_back(
        {Need::Kind::kDevice, pattern, machine_.WithName(pattern), true, ""});
  }
  for (const std::string& format : KeysOf(facts_, kFormatCategory)) {
    needs_.needs.push_back(
        {Need::Kind::kFormat, format, machine_.WithFormat(format), false, ""});
  }
}

void Gatherer::GatherModules() {
  std::map<std::string, bool> required;
  for (const vm::DependencyDef& dependency : def_.dependencies) {
    required[std::string(dependency.name)] |= !dependency.optional;
  }
  for (const vm::ImportDef& import : def_.imports) {
    const std::string module(import.module_name());
    required[module] |= !import.optional;
    if (!IsHostModule(module) || import.optional) continue;
    if (ReleasesOf(import.full_name, import.calling_convention).has_value()) {
      continue;
    }
    needs_.needs.push_back({Need::Kind::kImport,
                            std::string(import.full_name),
                            {},
                            true,
                            std::string(import.calling_convention)});
  }
  for (const auto& [name, is_required] : required) {
    if (IsHostModule(name)) continue;
    needs_.needs.push_back({Need::Kind::kModule,
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
  for (const ParameterUse& parameter : facts_.parameters) {
    Scope& scope = scopes[parameter.scope];
    ++scope.keys;
    Add(scope.bytes, parameter.bytes);
  }
  for (const auto& [name, scope] : scopes) {
    needs_.needs.push_back({Need::Kind::kParameters,
                            name,
                            {},
                            true,
                            absl::StrCat(Counted(scope.keys, "key"), ", ",
                                         SizeText(scope.bytes))});
  }
}

void Gatherer::JudgeDevices() {
  Verdict& verdict = needs_.verdict;
  for (const Need& need : needs_.needs) {
    const std::string name = PlainName(need.name);
    switch (need.kind) {
      case Need::Kind::kDevice:
        if (!need.found.empty()) break;
        verdict.reasons.push_back(absl::StrCat(
            "It needs a ", name, " device. ",
            machine_.absent().empty() ? "There is no such driver."
                                      : absl::StrJoin(machine_.absent(), " ")));
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
  Verdict& verdict = needs_.verdict;
  std::set<std::string> devices;
  bool any = false;
  std::vector<std::string> reasons;
  for (const ExecutableReport& executable : needs_.executables) {
    devices.insert(executable.runs_on.begin(), executable.runs_on.end());
    any |= !executable.runs_on.empty() || executable.format.empty();
    if (!executable.refused.empty() &&
        !absl::c_linear_search(reasons, executable.refused)) {
      reasons.push_back(executable.refused);
    }
  }
  if (!needs_.executables.empty() && !any) {
    if (reasons.empty()) {
      reasons.push_back(FormatReason(needs_.executables[0].format));
    }
    verdict.reasons.insert(verdict.reasons.end(), reasons.begin(),
                           reasons.end());
  } else {
    verdict.notes.insert(verdict.notes.end(), reasons.begin(), reasons.end());
  }
  if (needs_.executables.empty()) {
    for (const Need& need : needs_.needs) {
      if (need.kind != Need::Kind::kDevice) continue;
      devices.insert(need.found.begin(), need.found.end());
    }
  }
  verdict.devices.assign(devices.begin(), devices.end());
}

void Gatherer::Judge() {
  Verdict& verdict = needs_.verdict;
  JudgeDevices();
  JudgeExecutables();
  verdict.runs = verdict.reasons.empty();
}

}  // namespace

ModuleNeeds ReadNeeds(const vm::ModuleDef& def, const ModuleFacts& facts,
                      const hal::DriverOptions& options) {
  return Gatherer(def, facts, options).Gather();
}

}  // namespace eyrie::abi
