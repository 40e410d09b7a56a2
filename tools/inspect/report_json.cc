// The JSON report: the fields of `dump --json`, and those of this command.
//
// Tested by inspect_test.txt.
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "base/file_growth.h"
#include "base/status_macros.h"
#include "tools/inspect/report.h"
#include "tools/json_object.h"
#include "tools/module_text.h"

namespace eyrie::tools {
namespace {

using OrderedJson = nlohmann::ordered_json;

OrderedJson Optional(const std::optional<int64_t>& value) {
  return value.has_value() ? OrderedJson(*value) : OrderedJson();
}

OrderedJson Releases(const vm::ReleaseRange& releases) {
  if (releases.empty()) return OrderedJson();
  return {{"first", vm::ReleaseName(releases.first)},
          {"last", vm::ReleaseName(releases.last)}};
}

OrderedJson NeedJson(const Need& need) {
  constexpr const char* kWords[] = {"device", "format", "module", "function",
                                    "parameters"};
  return {{"kind", kWords[static_cast<size_t>(need.kind)]},
          {"name", need.name},
          {"required", need.required},
          {"found", need.found},
          {"detail", need.detail}};
}

OrderedJson SizesJson(const Sizes& sizes) {
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

OrderedJson Number(const std::optional<uint32_t>& number) {
  return number ? OrderedJson(*number) : OrderedJson();
}

OrderedJson Kernels(const hal::ExecutableFacts& facts) {
  OrderedJson list = OrderedJson::array();
  for (const hal::KernelFacts& kernel : facts.kernels) {
    list.push_back({{"name", kernel.name},
                    {"bindings", Number(kernel.binding_count)},
                    {"constants", Number(kernel.constant_count)},
                    {"workgroup_size", kernel.workgroup_size},
                    {"local_memory", kernel.local_memory},
                    {"source", kernel.source}});
  }
  return list;
}

OrderedJson ExecutableJson(const ExecutableReport& executable) {
  return {
      {"format", executable.format},
      {"rodata", executable.rodata.has_value() ? OrderedJson(*executable.rodata)
                                               : OrderedJson()},
      {"member", executable.member},
      {"bytes", executable.bytes},
      {"name", executable.facts.name},
      {"uses", executable.facts.uses},
      {"lacks", executable.facts.lacks},
      {"runs_on", executable.runs_on},
      {"refused", executable.refused},
      {"kernels", Kernels(executable.facts)}};
}

OrderedJson TimeJson(const Report& report, size_t index) {
  const auto& times = report.dispatch_ns;
  if (index >= times.size() || !times[index].has_value()) return nullptr;
  return *times[index];
}

OrderedJson DispatchJson(const Report& report, size_t index,
                         SourceMap& sources) {
  const DispatchUse& dispatch = report.facts.dispatches[index];
  OrderedJson workgroups = OrderedJson::array();
  for (const auto& count : dispatch.workgroups) {
    workgroups.push_back(Optional(count));
  }
  return {{"function", report.names[dispatch.place.function]},
          {"offset", dispatch.place.offset},
          {"executable",
           dispatch.executable.has_value()
               ? OrderedJson(report.executable_of_use[*dispatch.executable])
               : OrderedJson()},
          {"kernel", KernelName(report, dispatch)},
          {"indirect", dispatch.indirect},
          {"workgroups", workgroups},
          {"bindings", dispatch.bindings},
          {"constants", dispatch.constants},
          {"source", sources.Find(dispatch.place)},
          {"ns", TimeJson(report, index)}};
}

OrderedJson CallJson(const CallEdge& call) {
  return {{"caller", call.caller},
          {call.import ? "import" : "callee", call.callee},
          {"count", call.count}};
}

OrderedJson ParameterJson(const abi::ParameterUse& parameter) {
  return {{"scope", parameter.scope},
          {"key", parameter.key},
          {"bytes", parameter.bytes}};
}

void PrintLists(const Report& report, JsonObject& to) {
  const auto& executables = report.executables;
  const ModuleFacts& facts = report.facts;
  to.List("executables", executables.size(),
          [&](size_t i) { return ExecutableJson(executables[i]); });
  SourceMap sources(report.def);
  to.List("dispatches", facts.dispatches.size(),
          [&](size_t i) { return DispatchJson(report, i, sources); });
  to.List("calls", facts.calls.size(),
          [&](size_t i) { return CallJson(facts.calls[i]); });
  to.List("parameters", facts.parameters.size(),
          [&](size_t i) { return ParameterJson(facts.parameters[i]); });
}

}  // namespace

absl::Status PrintReportJson(const Report& report, TextSink sink) {
  const uint64_t most = MostTextOf(report.sizes.file);
  TextStream text(most, sink);
  JsonObject to(text);
  to.Field("file", report.def.archive().name());
  to.Field("releases", Releases(report.releases));
  to.Field("targets", report.targets);
  to.Field("would_run", report.verdict.runs);
  to.Field("devices", report.verdict.devices);
  to.Field("reasons", report.verdict.reasons);
  to.Field("notes", report.verdict.notes);
  to.List("needs", report.needs.size(),
          [&](size_t i) { return NeedJson(report.needs[i]); });
  to.Field("sizes", SizesJson(report.sizes));
  to.Field("recording", report.recording);
  PrintLists(report, to);
  to.Object("module", [&](JsonObject& module) {
    PrintMetadataJson(report.def, report.module.get(), module);
  });
  to.End();
  RETURN_IF_ERROR(text.Finish());
  return text.is_too_long() ? TextTooLongError(most, report.sizes.file)
                            : absl::OkStatus();
}

}  // namespace eyrie::tools
