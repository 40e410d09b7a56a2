// Puts records, declaration and calling convention together.
//
// Tested by signature_test.cc, json_fuzz.cc.
#include "abi/signature.h"

#include <algorithm>
#include <utility>

#include "abi/declaration.h"
#include "abi/records.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/status_macros.h"

namespace eyrie::abi {
namespace {

using Kind = Type::Kind;
using hal::ElementType;
using vm::ValueType;

constexpr char kDeclaration[] = "iree.abi.declaration";
constexpr size_t kFences = 2;

Type FromDeclared(const DeclaredType& declared);

// "!util.list<i32>": what is between the brackets.
Type FromDeclaredList(absl::string_view text) {
  Type type;
  text.remove_prefix(std::min(text.find('<') + 1, text.size()));
  absl::ConsumeSuffix(&text, ">");
  type.kind = Kind::kAnyList;
  if (text == "?") return type;
  Type element = FromDeclared(ParseDeclaredType(text));
  if (element.is(Kind::kUnknown)) return type;
  if (element.is(Kind::kScalar) && element.element == ElementType::kInt8) {
    type.kind = Kind::kByteList;
    return type;
  }
  type.kind = Kind::kHomogeneous;
  type.members.push_back({"", std::move(element)});
  return type;
}

Type FromDeclared(const DeclaredType& declared) {
  Type type;
  switch (declared.kind) {
    case DeclaredType::Kind::kUnknown:
      break;
    case DeclaredType::Kind::kScalar:
      type.kind = Kind::kScalar;
      type.element = declared.element;
      break;
    case DeclaredType::Kind::kTensor:
      type.kind = Kind::kArray;
      type.element = declared.element;
      type.ranked = declared.ranked;
      type.shape.assign(declared.shape.begin(), declared.shape.end());
      break;
    case DeclaredType::Kind::kBufferView:
      type.kind = Kind::kArray;
      break;
    case DeclaredType::Kind::kBuffer:
      type.kind = Kind::kBuffer;
      break;
    case DeclaredType::Kind::kBytes:
      type.kind = Kind::kBytes;
      break;
    case DeclaredType::Kind::kList:
      return FromDeclaredList(declared.text);
    case DeclaredType::Kind::kFence:
      type.kind = Kind::kFence;
      break;
  }
  if (type.is(Kind::kUnknown)) type.text = declared.text;
  return type;
}

Type FromCarrier(ValueType carrier) {
  Type type;
  if (carrier == ValueType::kRef) return type;
  type.kind = Kind::kScalar;
  switch (carrier) {
    case ValueType::kI32:
      type.element = ElementType::kInt32;
      break;
    case ValueType::kI64:
      type.element = ElementType::kInt64;
      break;
    case ValueType::kF32:
      type.element = ElementType::kFloat32;
      break;
    default:
      type.element = ElementType::kFloat64;
      break;
  }
  return type;
}

bool IsFloat(ElementType element) {
  return hal::NumericalKind(element) >> 4 == 2;
}

// True if a register of this type can carry the type. f16 and the like travel
// as bits in an i32 too.
bool Carries(ValueType carrier, const Type& type) {
  if (type.is(Kind::kUnknown)) return true;
  if (!type.is(Kind::kScalar)) return carrier == ValueType::kRef;
  const uint32_t bits = hal::BitCount(type.element);
  switch (carrier) {
    case ValueType::kI32:
      return IsFloat(type.element) ? bits <= 16 : bits <= 32;
    case ValueType::kI64:
      return !IsFloat(type.element);
    case ValueType::kF32:
    case ValueType::kF64:
      return IsFloat(type.element);
    case ValueType::kRef:
      return false;
  }
  return false;
}

absl::string_view NameOf(ValueType carrier) {
  switch (carrier) {
    case ValueType::kI32:
      return "an i32";
    case ValueType::kI64:
      return "an i64";
    case ValueType::kF32:
      return "an f32";
    case ValueType::kF64:
      return "an f64";
    case ValueType::kRef:
      return "a reference";
  }
  return "";
}

std::string JoinTypes(const std::vector<Member>& members) {
  std::string text;
  for (const Member& member : members) {
    absl::StrAppend(&text, text.empty() ? "" : ", ", member.key,
                    member.key.empty() ? "" : ": ", member.type.ToString());
  }
  return text;
}

std::string ArrayText(const Type& type) {
  std::string text = type.ranked ? "" : "*x";
  for (const int64_t dimension : type.shape) {
    if (dimension == Type::kDynamic) {
      absl::StrAppend(&text, "?x");
    } else {
      absl::StrAppend(&text, dimension, "x");
    }
  }
  if (type.is(Kind::kRefArray)) {
    return absl::StrCat(text, "(", type.members[0].type.ToString(), ")");
  }
  if (type.element != ElementType::kNone) {
    return text + ElementText(type.element);
  }
  return absl::StrCat(text, type.text.empty() ? "unknown" : type.text);
}

std::string ParametersText(std::span<const Parameter> parameters) {
  std::string text;
  for (const Parameter& parameter : parameters) {
    absl::StrAppend(&text, text.empty() ? "" : ", ",
                    parameter.type.takes_keywords ? "**" : "", parameter.name,
                    parameter.name.empty() ? "" : ": ",
                    parameter.type.ToString());
  }
  return text;
}

}  // namespace

std::string ElementText(ElementType element) {
  const std::string name = hal::ElementTypeName(element);
  if (name[0] != '*' || hal::NumericalKind(element) == 0) return name;
  return absl::StrCat("i", hal::BitCount(element));
}

std::string Type::ToString() const {
  switch (kind) {
    case Kind::kUnknown:
      return text.empty() ? "unknown" : text;
    case Kind::kNull:
      return "null";
    case Kind::kScalar:
      return ElementText(element);
    case Kind::kArray:
    case Kind::kRefArray:
      return ArrayText(*this);
    case Kind::kBytes:
    case Kind::kByteList:
      return "bytes";
    case Kind::kBuffer:
      return "buffer";
    case Kind::kList:
      return absl::StrCat("[", JoinTypes(members), "]");
    case Kind::kTuple:
      return absl::StrCat("(", JoinTypes(members),
                          members.size() == 1 ? ",)" : ")");
    case Kind::kDict:
      return absl::StrCat("{", JoinTypes(members), "}");
    case Kind::kHomogeneous:
      return absl::StrCat("list<", JoinTypes(members), ">");
    case Kind::kAnyList:
      return "list";
    case Kind::kFence:
      return "fence";
  }
  return "";
}

bool TakesFences(std::span<const vm::Attribute> attributes,
                 const vm::CallingConvention& convention) {
  const std::vector<ValueType>& types = convention.argument_types();
  return vm::FindAttribute(attributes, "iree.abi.model") == "coarse-fences" &&
         types.size() >= kFences && types.back() == ValueType::kRef &&
         types[types.size() - 2] == ValueType::kRef;
}

// Fills a signature step by step.
class SignatureReader {
 public:
  SignatureReader(std::span<const vm::Attribute> attributes,
                  const vm::CallingConvention& convention)
      : attributes_(attributes) {
    std::span<const ValueType> types = convention.argument_types();
    if (TakesFences(attributes, convention)) {
      types = types.first(types.size() - kFences);
    }
    for (const ValueType type : types) {
      signature_.arguments_.push_back(FromConvention(type));
    }
    for (const ValueType type : convention.result_types()) {
      signature_.results_.push_back(FromConvention(type));
      signature_.carriers_.push_back(type);
    }
    signature_.source_name_ = "calling convention";
  }

  absl::StatusOr<Signature> Read(absl::string_view function) {
    signature_.function_ = std::string(function);
    if (const auto text = Attribute(kDeclaration)) Declare(*text);
    if (const auto doc = Attribute("doc")) signature_.doc_ = std::string(*doc);
    for (const absl::string_view key : {"iree.abi", "d"}) {
      const auto text = Attribute(key);
      if (!text) continue;
      RETURN_IF_ERROR(
          Annotate(Reflect(*text, key),
                   absl::StrCat("(attribute '", key, "' of function '",
                                function, "')")));
      break;
    }
    return std::move(signature_);
  }

 private:
  static Parameter FromConvention(ValueType carrier) {
    Parameter parameter;
    parameter.type = FromCarrier(carrier);
    parameter.carrier = carrier;
    return parameter;
  }

  std::optional<absl::string_view> Attribute(absl::string_view key) const {
    return vm::FindAttribute(attributes_, key);
  }

  void SetSource(SignatureSource source, absl::string_view name) {
    signature_.source_ = source;
    signature_.source_name_ = std::string(name);
  }

  static void DeclareSide(std::vector<DeclaredValue>& declared,
                          std::vector<Parameter>& parameters) {
    for (size_t i = 0; i < declared.size(); ++i) {
      Parameter& parameter = parameters[i];
      parameter.name = std::move(declared[i].name);
      parameter.keyword = !parameter.name.empty();
      Type type = FromDeclared(declared[i].type);
      if (Carries(parameter.carrier, type)) parameter.type = std::move(type);
      parameter.storage_of = declared[i].storage_of;
    }
  }

  // A declaration that speaks of other values is of no use.
  void Declare(absl::string_view text) {
    std::optional<Declaration> declaration = ParseDeclaration(text);
    if (!declaration ||
        declaration->arguments.size() != signature_.arguments_.size() ||
        declaration->results.size() != signature_.results_.size()) {
      return;
    }
    DeclareSide(declaration->arguments, signature_.arguments_);
    DeclareSide(declaration->results, signature_.results_);
    for (Parameter& argument : signature_.arguments_) {
      if (argument.storage_of && (*argument.storage_of < 0 ||
                                  static_cast<size_t>(*argument.storage_of) >=
                                      signature_.results_.size())) {
        argument.storage_of.reset();
      }
    }
    SetSource(SignatureSource::kDeclaration, kDeclaration);
  }

  absl::Status Reflect(absl::string_view json, absl::string_view key) {
    ASSIGN_OR_RETURN(Records records, ParseRecords(json));
    SetSource(SignatureSource::kReflection, key);
    if (!records.doc.empty()) signature_.doc_ = std::move(records.doc);
    if (records.arguments) {
      RETURN_IF_ERROR(TakeArguments(*records.arguments));
    }
    if (records.results) RETURN_IF_ERROR(TakeResults(*records.results));
    return absl::OkStatus();
  }

  // Gives a parameter its record's name and type, if it can carry it.
  static absl::Status Take(Records::Record& record, const std::string& what,
                           Parameter& parameter) {
    if (record.named) parameter.name = std::move(record.name);
    parameter.keyword = record.named;
    // A null record says that the reference is null, if it is one.
    const bool says_nothing =
        record.type.is(Kind::kUnknown) ||
        (record.type.is(Kind::kNull) && parameter.carrier != ValueType::kRef);
    if (says_nothing) {
      if (parameter.type.is(Kind::kUnknown)) {
        parameter.type.text = std::move(record.type.text);
      }
      return absl::OkStatus();
    }
    if (!Carries(parameter.carrier, record.type)) {
      return absl::InvalidArgumentError(absl::StrCat(
          "The record of ", what, " is ", record.type.ToString(),
          "; the function has ", NameOf(parameter.carrier), " there."));
    }
    parameter.type = std::move(record.type);
    return absl::OkStatus();
  }

  absl::Status TakeArguments(std::vector<Records::Record>& records) {
    std::vector<Parameter>& arguments = signature_.arguments_;
    if (records.size() != arguments.size()) {
      return WrongCount(records.size(), "argument", "takes", arguments.size());
    }
    for (size_t i = 0; i < records.size(); ++i) {
      RETURN_IF_ERROR(
          Take(records[i], absl::StrCat("argument ", i), arguments[i]));
      if (arguments[i].type.takes_keywords && i + 1 < records.size()) {
        return absl::InvalidArgumentError(
            absl::StrCat("The dict of keyword arguments is argument ", i,
                         " of ", records.size(), ", not the last."));
      }
      for (size_t j = 0; j < i; ++j) {
        if (!arguments[i].keyword || !arguments[j].keyword ||
            arguments[i].name != arguments[j].name) {
          continue;
        }
        return absl::InvalidArgumentError(
            absl::StrCat("Arguments ", j, " and ", i, " have the same name, '",
                         arguments[i].name, "'."));
      }
    }
    return absl::OkStatus();
  }

  absl::Status TakeResults(std::vector<Records::Record>& records) {
    std::vector<Parameter>& results = signature_.results_;
    if (records.size() == 1 && AreSlots(records[0].type)) {
      return TakeSlots(records[0]);
    }
    if (records.size() != results.size()) {
      return WrongCount(records.size(), "result", "returns", results.size());
    }
    for (size_t i = 0; i < results.size(); ++i) {
      RETURN_IF_ERROR(Take(records[i], absl::StrCat("result ", i), results[i]));
    }
    return absl::OkStatus();
  }

  // True if the function returns the slots of its only result one by one. Its
  // own results say so: several, none, or one that is no list.
  bool AreSlots(const Type& type) const {
    if (!type.is_structure() && !type.is(Kind::kHomogeneous)) return false;
    if (signature_.results_.size() != 1) return true;
    if (!type.is_structure() || type.members.size() != 1) return false;
    const Kind kind = signature_.results_[0].type.kind;
    return kind == Kind::kScalar || kind == Kind::kArray ||
           kind == Kind::kBytes || kind == Kind::kBuffer;
  }

  absl::Status TakeSlots(Records::Record& record) {
    std::vector<Parameter>& results = signature_.results_;
    const Type& type = record.type;
    if (type.is_structure() && type.members.size() != results.size()) {
      return WrongCount(type.members.size(), "slot of its only result",
                        "returns", results.size());
    }
    for (size_t i = 0; i < results.size(); ++i) {
      const Type& slot = type.members[type.is_structure() ? i : 0].type;
      if (Carries(results[i].carrier, slot)) continue;
      return absl::InvalidArgumentError(absl::StrCat(
          "The record of slot ", i, " of the only result is ", slot.ToString(),
          "; the function has ", NameOf(results[i].carrier), " there."));
    }
    signature_.results_are_slots_ = true;
    results.assign(1, Parameter());
    return Take(record, "result 0", results[0]);
  }

  static absl::Status WrongCount(size_t records, absl::string_view what,
                                 absl::string_view verb, size_t count) {
    return absl::InvalidArgumentError(absl::StrCat(
        "There are ", records, " records of a", what[0] == 'a' ? "n " : " ",
        what, "; the function ", verb, " ", count, "."));
  }

  std::span<const vm::Attribute> attributes_;
  Signature signature_;
};

absl::StatusOr<Signature> Signature::Read(
    absl::string_view function, std::span<const vm::Attribute> attributes,
    const vm::CallingConvention& convention) {
  return SignatureReader(attributes, convention).Read(function);
}

std::string Signature::ArgumentName(size_t index) const {
  const std::string& name = arguments_[index].name;
  if (name.empty()) return absl::StrCat("argument ", index);
  return absl::StrCat("argument ", index, " ('", name, "')");
}

std::string Signature::ResultName(size_t index) const {
  return absl::StrCat("result ", index);
}

std::string Signature::ToString() const {
  const std::string results = ParametersText(results_);
  const bool alone = results_.size() == 1 && results_[0].name.empty();
  return absl::StrCat(function_, "(", ParametersText(arguments_), ") -> ",
                      alone ? results : absl::StrCat("(", results, ")"));
}

}  // namespace eyrie::abi
