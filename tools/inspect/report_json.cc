// For programs: what `dump --json` says, and what this command adds.
//
// Tested by inspect_test.txt.
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "base/file_growth.h"
#include "base/plain_text.h"
#include "base/status_macros.h"
#include "tools/inspect/report.h"
#include "tools/module_text.h"

namespace eyrie::tools {
namespace {

using Json = nlohmann::ordered_json;

Json Optional(const std::optional<int64_t>& value) {
  return value.has_value() ? Json(*value) : Json();
}

Json Releases(const abi::ReleaseRange& releases) {
  if (releases.empty()) return Json();
  return {{"first", "3." + std::to_string(releases.first)},
          {"last", "3." + std::to_string(releases.last)}};
}

Json Needs(const Report& report) {
  constexpr const char* kWords[] = {"device", "format", "module", "function",
                                    "parameters"};
  Json list = Json::array();
  for (const Need& need : report.needs) {
    list.push_back({{"kind", kWords[static_cast<size_t>(need.kind)]},
                    {"name", need.name},
                    {"required", need.required},
                    {"found", need.found},
                    {"detail", need.detail}});
  }
  return list;
}

Json SizesJson(const Sizes& sizes) {
  return {{"file", sizes.file},
          {"bytecode", sizes.bytecode},
          {"executables", sizes.executables},
          {"constants", sizes.constants},
          {"parameters", sizes.parameters},
          {"state_bytes", sizes.state_bytes},
          {"state_references", sizes.state_refs},
          {"transient_buffers", sizes.transient},
          {"persistent_buffers", sizes.persistent},
          {"buffers_of_unknown_size", sizes.unknown_allocations}};
}

Json Kernels(const hal::ExecutableFacts& facts) {
  Json list = Json::array();
  for (const hal::KernelFacts& kernel : facts.kernels) {
    list.push_back({{"name", kernel.name},
                    {"bindings", kernel.binding_count},
                    {"constants", kernel.constant_count},
                    {"workgroup_size", kernel.workgroup_size},
                    {"local_memory", kernel.local_memory},
                    {"source", kernel.source}});
  }
  return list;
}

Json Executables(const Report& report) {
  Json list = Json::array();
  for (const ExecutableReport& executable : report.executables) {
    list.push_back(
        {{"format", executable.format},
         {"rodata",
          executable.rodata.has_value() ? Json(*executable.rodata) : Json()},
         {"member", executable.member},
         {"bytes", executable.bytes},
         {"name", executable.facts.name},
         {"uses", executable.facts.uses},
         {"lacks", executable.facts.lacks},
         {"runs_on", executable.runs_on},
         {"refused", executable.refused},
         {"kernels", Kernels(executable.facts)}});
  }
  return list;
}

// Names of functions and kernels stand in each dispatch again.
absl::StatusOr<Json> Dispatches(const Report& report) {
  Json list = Json::array();
  SourceMap sources(report.def);
  DecodingBudget budget(report.sizes.file);
  for (const DispatchUse& dispatch : report.facts.dispatches) {
    const std::string& function = report.names[dispatch.place.function];
    const std::string kernel = KernelName(report, dispatch);
    RETURN_IF_ERROR(budget.TakeBytes(function.size() + kernel.size(),
                                     "The module's dispatches"));
    Json workgroups = Json::array();
    for (const auto& count : dispatch.workgroups) {
      workgroups.push_back(Optional(count));
    }
    list.push_back({{"function", function},
                    {"offset", dispatch.place.offset},
                    {"executable",
                     dispatch.executable.has_value()
                         ? Json(report.executable_of_use[*dispatch.executable])
                         : Json()},
                    {"kernel", kernel},
                    {"indirect", dispatch.indirect},
                    {"workgroups", workgroups},
                    {"bindings", dispatch.bindings},
                    {"constants", dispatch.constants},
                    {"source", sources.Find(dispatch.place)}});
  }
  return list;
}

Json Calls(const Report& report) {
  Json list = Json::array();
  for (const CallEdge& call : report.facts.calls) {
    list.push_back({{"caller", call.caller},
                    {call.import ? "import" : "callee", call.callee},
                    {"count", call.count}});
  }
  return list;
}

Json Parameters(const Report& report) {
  Json list = Json::array();
  for (const ParameterUse& parameter : report.facts.parameters) {
    list.push_back({{"scope", parameter.scope},
                    {"key", parameter.key},
                    {"bytes", parameter.bytes}});
  }
  return list;
}

}  // namespace

absl::StatusOr<std::string> ReportJson(const Report& report) {
  ASSIGN_OR_RETURN(Json dispatches, Dispatches(report));
  const Json root = {
      {"file", report.def.archive().name()},
      {"releases", Releases(report.releases)},
      {"targets", report.targets},
      {"would_run", report.verdict.runs},
      {"devices", report.verdict.devices},
      {"reasons", report.verdict.reasons},
      {"notes", report.verdict.notes},
      {"needs", Needs(report)},
      {"sizes", SizesJson(report.sizes)},
      {"executables", Executables(report)},
      {"dispatches", std::move(dispatches)},
      {"calls", Calls(report)},
      {"parameters", Parameters(report)},
      {"module", Json::parse(MetadataJson(report.def), nullptr,
                             /*allow_exceptions=*/false)},
  };
  return EscapeJsonControls(
             root.dump(2, ' ', false, Json::error_handler_t::replace)) +
         "\n";
}

}  // namespace eyrie::tools
