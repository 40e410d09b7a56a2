// Writes a signature as JSON, with nlohmann/json.
#include "abi/signature/signature_json.h"

#include <nlohmann/json.hpp>
#include <span>
#include <utility>
#include <vector>

#include "abi/signature/structures.h"
#include "abi/v0/sip_signature.h"
#include "hal/element_type.h"

namespace eyrie::abi {
namespace {

using OrderedJson = nlohmann::ordered_json;

OrderedJson TypeJson(const Type& type);

OrderedJson MembersJson(const std::vector<Member>& members, bool keys) {
  OrderedJson list = OrderedJson::array();
  for (const Member& member : members) {
    OrderedJson item = TypeJson(member.type);
    if (keys) item = {{"key", member.key}, {"type", std::move(item)}};
    list.push_back(std::move(item));
  }
  return list;
}

// The names of the kinds, in the order of Type::Kind.
constexpr const char* kKindNames[] = {
    "unknown", "null",   "scalar", "ndarray", "ndarray", "bytes",
    "bytes",   "buffer", "list",   "tuple",   "dict",    "homogeneous_list",
    "list",    "fence"};

OrderedJson TypeJson(const Type& type) {
  using Kind = Type::Kind;
  OrderedJson json = {{"kind", kKindNames[static_cast<size_t>(type.kind)]}};
  if (type.is(Kind::kUnknown) && !type.text.empty()) json["name"] = type.text;
  if (type.is(Kind::kScalar)) json["dtype"] = ElementText(type.element);
  if (type.is(Kind::kArray) || type.is(Kind::kRefArray)) {
    const bool known = type.element != hal::ElementType::kNone;
    json["dtype"] =
        known ? OrderedJson(ElementText(type.element)) : OrderedJson();
    json["rank"] = type.ranked ? OrderedJson(type.shape.size()) : OrderedJson();
    if (type.ranked) {
      OrderedJson shape = OrderedJson::array();
      for (const int64_t dimension : type.shape) {
        const bool dynamic = dimension == Type::kDynamic;
        shape.push_back(dynamic ? OrderedJson() : OrderedJson(dimension));
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

OrderedJson ParametersJson(std::span<const Parameter> parameters) {
  OrderedJson list = OrderedJson::array();
  for (const Parameter& parameter : parameters) {
    OrderedJson json = {{"name", parameter.name},
                        {"keyword", parameter.keyword},
                        {"type", TypeJson(parameter.type)}};
    if (parameter.storage_of) json["storage_of"] = *parameter.storage_of;
    list.push_back(std::move(json));
  }
  return list;
}

}  // namespace

std::string SignatureJson(const Signature& signature) {
  OrderedJson json = {{"source", std::string(signature.source_name())},
                      {"text", signature.ToString()},
                      {"arguments", ParametersJson(signature.arguments())},
                      {"results", ParametersJson(signature.results())},
                      {"results_are_slots", signature.results_are_slots()}};
  const StructuredCall* structured = signature.structured();
  if (structured != nullptr) {
    json["structure"] = {
        {"inputs", v0::SipText(structured->structures->signature.inputs)},
        {"results", v0::SipText(structured->structures->signature.results)}};
  }
  const Signature& flat = structured ? *structured->flat : signature;
  if (const RawCall* raw = flat.raw()) {
    json["raw"] = raw->signature.ToString();
    if (!raw->allocator.empty()) json["result_allocator"] = raw->allocator;
    if (!raw->storage.empty()) json["storage"] = ParametersJson(raw->storage);
  }
  if (!signature.doc().empty()) json["doc"] = signature.doc();
  // Names may be any bytes; JSON must be UTF-8.
  return json.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
}

}  // namespace eyrie::abi
