// A module's metadata as JSON.
//
// Tested by module_text_test.cc.
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "abi/signature.h"
#include "abi/signature_json.h"
#include "base/plain_text.h"
#include "tools/module_text.h"
#include "vm/callconv.h"

namespace eyrie::tools {
namespace {

using Json = nlohmann::ordered_json;

std::string Text(absl::string_view view) {
  return std::string(view.data(), view.size());
}

Json Attributes(const std::vector<vm::Attribute>& attributes) {
  Json object = Json::object();
  for (const vm::Attribute& attribute : attributes) {
    object[Text(attribute.key)] = Text(attribute.value);
  }
  return object;
}

Json Imports(const vm::ModuleDef& module) {
  Json list = Json::array();
  for (const vm::ImportDef& import : module.imports) {
    list.push_back({{"name", Text(import.full_name)},
                    {"calling_convention", Text(import.calling_convention)},
                    {"optional", import.optional},
                    {"attributes", Attributes(import.attributes)}});
  }
  return list;
}

Json SignatureJson(absl::string_view name, const vm::FunctionDef& function) {
  const auto convention =
      vm::CallingConvention::Parse(function.calling_convention);
  if (!convention.ok()) return Json();
  const auto signature =
      abi::Signature::Read(name, function.attributes, *convention);
  if (!signature.ok()) return {{"error", Text(signature.status().message())}};
  return Json::parse(abi::SignatureJson(*signature), nullptr,
                     /*allow_exceptions=*/false);
}

Json Exports(const vm::ModuleDef& module) {
  Json list = Json::array();
  for (const vm::ExportDef& exported : module.exports) {
    const vm::FunctionDef& function = module.functions[exported.function];
    list.push_back({{"name", Text(exported.name)},
                    {"function", exported.function},
                    {"calling_convention", Text(function.calling_convention)},
                    {"attributes", Attributes(function.attributes)},
                    {"signature", SignatureJson(exported.name, function)}});
  }
  return list;
}

Json Functions(const vm::ModuleDef& module) {
  Json list = Json::array();
  for (size_t i = 0; i < module.functions.size(); ++i) {
    const vm::FunctionDef& function = module.functions[i];
    list.push_back(
        {{"name", module.FunctionName(static_cast<uint32_t>(i))},
         {"calling_convention", Text(function.calling_convention)},
         {"bytecode_offset", function.bytecode_offset},
         {"bytecode_length", function.bytecode.size()},
         {"blocks", function.block_count},
         {"i32_registers", function.i32_register_count},
         {"ref_registers", function.ref_register_count},
         {"requirements", vm::FeaturesToString(function.requirements)}});
  }
  return list;
}

Json Rodata(const vm::ModuleDef& module) {
  Json list = Json::array();
  for (const vm::RodataDef& rodata : module.rodata) {
    list.push_back({{"length", rodata.bytes.size()},
                    {"external", rodata.external},
                    {"file_offset", rodata.file_offset},
                    {"member", Text(rodata.member_name)}});
  }
  return list;
}

Json Dependencies(const vm::ModuleDef& module) {
  Json list = Json::array();
  for (const vm::DependencyDef& dependency : module.dependencies) {
    list.push_back({{"name", Text(dependency.name)},
                    {"minimum_version", dependency.minimum_version},
                    {"optional", dependency.optional}});
  }
  return list;
}

}  // namespace

std::string MetadataJson(const vm::ModuleDef& module) {
  Json types = Json::array();
  for (absl::string_view type : module.types) types.push_back(Text(type));
  Json root = {
      {"name", Text(module.name)},
      {"version", module.version},
      {"bytecode_version",
       {{"major", module.bytecode_major}, {"minor", module.bytecode_minor}}},
      {"requirements", vm::FeaturesToString(module.requirements)},
      {"container", module.archive().is_zip() ? "zip" : "flatbuffer"},
      {"file_bytes", module.archive().bytes().size()},
      {"flatbuffer_bytes", module.archive().flatbuffer().size()},
      {"bytecode_bytes", module.bytecode.size()},
      {"attributes", Attributes(module.attributes)},
      {"types", std::move(types)},
      {"dependencies", Dependencies(module)},
      {"imports", Imports(module)},
      {"exports", Exports(module)},
      {"functions", Functions(module)},
      {"rodata", Rodata(module)},
      {"global_bytes", module.global_bytes},
      {"global_refs", module.global_refs},
      {"debug_locations", module.location_count()},
  };
  // Names come from the file: what is not UTF-8 is replaced, never thrown.
  return EscapeJsonControls(
             root.dump(2, ' ', false, Json::error_handler_t::replace)) +
         "\n";
}

}  // namespace eyrie::tools
