// A module's metadata as JSON.
//
// Tested by module_text_test.cc.
#include <nlohmann/json.hpp>
#include <span>
#include <utility>
#include <vector>

#include "abi/signature.h"
#include "hal/element_type.h"
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

Json TypeJson(const abi::Type& type);

Json MembersJson(const std::vector<abi::Member>& members, bool keys) {
  Json list = Json::array();
  for (const abi::Member& member : members) {
    Json item = TypeJson(member.type);
    if (keys) item = {{"key", member.key}, {"type", std::move(item)}};
    list.push_back(std::move(item));
  }
  return list;
}

// What the kinds are called; in their order.
constexpr const char* kKindNames[] = {
    "unknown", "null",   "scalar", "ndarray", "ndarray", "bytes",
    "bytes",   "buffer", "list",   "tuple",   "dict",    "homogeneous_list",
    "list",    "fence"};

Json TypeJson(const abi::Type& type) {
  using Kind = abi::Type::Kind;
  Json json = {{"kind", kKindNames[static_cast<size_t>(type.kind)]}};
  if (type.is(Kind::kUnknown) && !type.text.empty()) json["name"] = type.text;
  if (type.is(Kind::kScalar)) json["dtype"] = abi::ElementText(type.element);
  if (type.is(Kind::kArray) || type.is(Kind::kRefArray)) {
    const bool known = type.element != hal::ElementType::kNone;
    json["dtype"] = known ? Json(abi::ElementText(type.element)) : Json();
    json["rank"] = type.ranked ? Json(type.shape.size()) : Json();
    if (type.ranked) {
      Json shape = Json::array();
      for (const int64_t dimension : type.shape) {
        const bool dynamic = dimension == abi::Type::kDynamic;
        shape.push_back(dynamic ? Json() : Json(dimension));
      }
      json["shape"] = std::move(shape);
    }
  }
  if (type.is(Kind::kRefArray) || type.is(Kind::kHomogeneous)) {
    json["element"] = TypeJson(type.members[0].type);
  } else if (type.is_structure()) {
    json["items"] = MembersJson(type.members, type.is(Kind::kDict));
  }
  if (type.takes_keywords) json["takes_keywords"] = true;
  return json;
}

Json ParametersJson(std::span<const abi::Parameter> parameters) {
  Json list = Json::array();
  for (const abi::Parameter& parameter : parameters) {
    Json json = {{"name", parameter.name},
                 {"keyword", parameter.keyword},
                 {"type", TypeJson(parameter.type)}};
    if (parameter.storage_of) json["storage_of"] = *parameter.storage_of;
    list.push_back(std::move(json));
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
  Json json = {{"source", Text(signature->source_name())},
               {"text", signature->ToString()},
               {"arguments", ParametersJson(signature->arguments())},
               {"results", ParametersJson(signature->results())},
               {"results_are_slots", signature->results_are_slots()}};
  if (!signature->doc().empty()) json["doc"] = signature->doc();
  return json;
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
  return root.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace eyrie::tools
