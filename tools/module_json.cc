// A module's metadata as JSON.
//
// Tested by module_text_test.cc.
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "abi/signature/signature.h"
#include "abi/signature/signature_json.h"
#include "abi/signature/signature_reader.h"
#include "absl/container/flat_hash_map.h"
#include "tools/module_text.h"
#include "vm/isa/callconv.h"

namespace eyrie::tools {
namespace {

using OrderedJson = nlohmann::ordered_json;

std::string Text(absl::string_view view) {
  return std::string(view.data(), view.size());
}

// Returns each key once, with its last value.
OrderedJson Attributes(const std::vector<vm::Attribute>& attributes) {
  absl::flat_hash_map<absl::string_view, ptrdiff_t> places;
  OrderedJson::object_t object;
  for (const vm::Attribute& attribute : attributes) {
    const auto [known, is_new] =
        places.try_emplace(attribute.key, std::ssize(object));
    if (is_new) {
      object.emplace_back(Text(attribute.key), Text(attribute.value));
    } else {
      std::next(object.begin(), known->second)->second = Text(attribute.value);
    }
  }
  return object;
}

OrderedJson ImportJson(const vm::ImportDef& import) {
  return {{"name", Text(import.full_name)},
          {"calling_convention", Text(import.calling_convention)},
          {"optional", import.optional},
          {"attributes", Attributes(import.attributes)}};
}

OrderedJson SignatureJson(const vm::FunctionDef& function,
                          const vm::ExportDef& exported,
                          abi::ExportSignatures& signatures) {
  if (!vm::CallingConvention::Parse(function.calling_convention).ok()) {
    return OrderedJson();
  }
  const auto signature = signatures.Of(exported);
  if (!signature.ok()) return {{"error", Text(signature.status().message())}};
  return OrderedJson::parse(abi::SignatureJson(*signature), nullptr,
                            /*allow_exceptions=*/false);
}

OrderedJson ExportJson(const vm::ModuleDef& module,
                       const vm::ExportDef& exported,
                       abi::ExportSignatures& signatures) {
  const vm::FunctionDef& function = module.functions[exported.function];
  return {{"name", Text(exported.name)},
          {"function", exported.function},
          {"calling_convention", Text(function.calling_convention)},
          {"attributes", Attributes(function.attributes)},
          {"signature", SignatureJson(function, exported, signatures)}};
}

OrderedJson FunctionJson(const vm::ModuleDef& module, size_t i) {
  const vm::FunctionDef& function = module.functions[i];
  return {{"name", module.FunctionName(static_cast<uint32_t>(i))},
          {"calling_convention", Text(function.calling_convention)},
          {"bytecode_offset", function.bytecode_offset},
          {"bytecode_length", function.bytecode.size()},
          {"blocks", function.block_count},
          {"i32_registers", function.declared_i32_count},
          {"ref_registers", function.declared_ref_count},
          {"requirements", vm::FeaturesToString(function.requirements)}};
}

OrderedJson RodataJson(const vm::RodataDef& rodata) {
  return {{"length", rodata.bytes.size()},
          {"external", rodata.external},
          {"file_offset", rodata.file_offset},
          {"member", Text(rodata.member_name)}};
}

OrderedJson DependencyJson(const vm::DependencyDef& dependency) {
  return {{"name", Text(dependency.name)},
          {"minimum_version", dependency.minimum_version},
          {"optional", dependency.optional}};
}

}  // namespace

void PrintMetadataJson(const vm::ModuleDef& module,
                       const vm::VerifiedModule* verified, JsonObject& to) {
  to.Field("name", Text(module.name));
  to.Field("version", module.version);
  to.Field("bytecode_version", {{"major", module.bytecode_major},
                                {"minor", module.bytecode_minor}});
  to.Field("requirements", vm::FeaturesToString(module.requirements));
  to.Field("container", module.archive().is_zip() ? "zip" : "flatbuffer");
  to.Field("file_bytes", module.archive().bytes().size());
  to.Field("flatbuffer_bytes", module.archive().flatbuffer().size());
  to.Field("bytecode_bytes", module.bytecode.size());
  to.Field("attributes", Attributes(module.attributes));
  to.List("types", module.types.size(),
          [&](size_t i) { return OrderedJson(Text(module.types[i])); });
  to.List("dependencies", module.dependencies.size(),
          [&](size_t i) { return DependencyJson(module.dependencies[i]); });
  to.List("imports", module.imports.size(),
          [&](size_t i) { return ImportJson(module.imports[i]); });
  abi::ExportSignatures signatures(module, verified);
  to.List("exports", module.exports.size(), [&](size_t i) {
    return ExportJson(module, module.exports[i], signatures);
  });
  to.List("functions", module.functions.size(),
          [&](size_t i) { return FunctionJson(module, i); });
  to.List("rodata", module.rodata.size(),
          [&](size_t i) { return RodataJson(module.rodata[i]); });
  to.Field("global_bytes", module.global_bytes);
  to.Field("global_refs", module.global_refs);
  to.Field("debug_locations", module.location_count());
}

}  // namespace eyrie::tools
