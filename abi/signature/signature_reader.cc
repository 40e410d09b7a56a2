#include "abi/signature/signature_reader.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "abi/signature/declaration.h"
#include "abi/signature/records.h"
#include "abi/signature/structures.h"
#include "abi/signature/type_sources.h"
#include "abi/v0/attributes.h"
#include "absl/strings/str_cat.h"
#include "base/counted.h"
#include "base/plain_text.h"
#include "base/status_macros.h"

namespace eyrie::abi {
namespace {

using Kind = Type::Kind;
using hal::ElementType;
using vm::ValueType;

constexpr char kDeclaration[] = "iree.abi.declaration";

std::string CarrierText(ValueType carrier) {
  if (carrier == ValueType::kRef) return "a reference";
  return absl::StrCat("an ", vm::NameOf(carrier));
}

// The declared type of each argument or result; kUnknown if there is none.
using DeclaredTypes = std::vector<Type>;

const Type& DeclaredAt(const DeclaredTypes& declared, size_t index) {
  return index < declared.size() ? declared[index] : Type::Any();
}

// Returns why a type from metadata cannot be right for a parameter, as the end
// of a sentence; empty if it can.
std::string Contradiction(ValueType carrier, const Type& declared,
                          const Type& said) {
  if (!Carries(carrier, said)) {
    return absl::StrCat("the function has ", CarrierText(carrier), " there.");
  }
  if (Agrees(declared, said)) return "";
  return absl::StrCat("the function declares ", declared.ToString(), " there.");
}

}  // namespace

bool TakesFences(std::span<const vm::Attribute> attributes,
                 const vm::CallingConvention& convention) {
  const std::vector<ValueType>& types = convention.argument_types();
  return vm::FindAttribute(attributes, "iree.abi.model") == "coarse-fences" &&
         types.size() >= kFences && types.back() == ValueType::kRef &&
         types[types.size() - 2] == ValueType::kRef;
}

// Builds a signature step by step.
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

  Signature ReadDeclared(absl::string_view function) {
    Begin(function);
    DropStrayStorage();
    return std::move(signature_);
  }

  // Adds the types that a function's code shows, if it has no other source than
  // its calling convention.
  static void Infer(uint32_t ordinal, TypeInference& inference,
                    Signature& signature) {
    if (signature.source() != SignatureSource::kConvention ||
        !(AnyUnknown(signature.arguments_) || AnyUnknown(signature.results_))) {
      return;
    }
    const InferredTypes& types = inference.Of(ordinal);
    const bool knows_arguments =
        InferSide(types.arguments, signature.arguments_);
    const bool knows_results = InferSide(types.results, signature.results_);
    if (!knows_arguments && !knows_results) return;
    signature.source_ = SignatureSource::kInferred;
    signature.source_name_ = "inferred";
    for (size_t i = 0; i < signature.arguments_.size(); ++i) {
      signature.arguments_[i].name = absl::StrCat("input", i);
      signature.arguments_[i].keyword = true;
    }
  }

  absl::StatusOr<Signature> Read(absl::string_view function) {
    Begin(function);
    for (const absl::string_view key : {"iree.abi", "d"}) {
      const auto text = Attribute(key);
      if (!text) continue;
      DropStrayStorage();
      RETURN_IF_ERROR(At(key, Reflect(*text, key)));
      return std::move(signature_);
    }
    RETURN_IF_ERROR(ReadV0());
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

  // Reads the declaration and the documentation.
  void Begin(absl::string_view function) {
    signature_.function_ = std::string(function);
    if (const auto text = Attribute(kDeclaration)) Declare(*text);
    if (const auto doc = Attribute("doc")) signature_.doc_ = std::string(*doc);
  }

  // Ignores declarations of storage for results that do not exist.
  void DropStrayStorage() {
    for (Parameter& argument : signature_.arguments_) {
      if (argument.storage_of && (*argument.storage_of < 0 ||
                                  static_cast<size_t>(*argument.storage_of) >=
                                      signature_.results_.size())) {
        argument.storage_of.reset();
      }
    }
  }

  absl::Status At(absl::string_view key, const absl::Status& status) const {
    return Annotate(status,
                    absl::StrCat("(attribute '", key, "' of function '",
                                 PlainName(signature_.function_), "')"));
  }

  void SetSource(SignatureSource source, absl::string_view name) {
    signature_.source_ = source;
    signature_.source_name_ = std::string(name);
  }

  static bool AnyUnknown(const std::vector<Parameter>& parameters) {
    return std::any_of(
        parameters.begin(), parameters.end(),
        [](const Parameter& each) { return each.type.is(Kind::kUnknown); });
  }
  // Returns whether a type was set.
  static bool InferSide(std::span<const Type> types,
                        std::vector<Parameter>& parameters) {
    bool any = false;
    for (size_t i = 0; i < parameters.size() && i < types.size(); ++i) {
      if (!parameters[i].type.is(Kind::kUnknown) || types[i].is(Kind::kUnknown))
        continue;
      parameters[i].type = types[i];
      any = true;
    }
    return any;
  }

  static void DeclareSide(std::vector<Parameter>& declared,
                          std::vector<Parameter>& parameters,
                          DeclaredTypes& types) {
    types.resize(declared.size());
    for (size_t i = 0; i < declared.size(); ++i) {
      Parameter& parameter = parameters[i];
      parameter.name = std::move(declared[i].name);
      parameter.keyword = !parameter.name.empty();
      if (Carries(parameter.carrier, declared[i].type)) {
        types[i] = declared[i].type;
        parameter.type = std::move(declared[i].type);
      }
      parameter.storage_of = declared[i].storage_of;
    }
  }

  // Applies the declaration, unless it does not match the calling convention.
  void Declare(absl::string_view text) {
    std::optional<Declaration> declaration = ParseDeclaration(text);
    if (!declaration ||
        declaration->arguments.size() != signature_.arguments_.size() ||
        declaration->results.size() != signature_.results_.size()) {
      return;
    }
    DeclareSide(declaration->arguments, signature_.arguments_,
                declared_arguments_);
    DeclareSide(declaration->results, signature_.results_, declared_results_);
    SetSource(SignatureSource::kDeclaration, kDeclaration);
  }

  absl::Status ReadV0() {
    const absl::StatusOr<v0::Attributes> found =
        v0::Attributes::Read(attributes_);
    if (!found.ok()) {
      return Annotate(
          found.status(),
          absl::StrCat("(function '", PlainName(signature_.function_), "')"));
    }
    if (found->raw) RETURN_IF_ERROR(At("f", TakeRaw(*found)));
    DropStrayStorage();
    if (!found->sip) return absl::OkStatus();
    absl::StatusOr<Signature> structured =
        WithStructures(signature_, *found->sip);
    if (!structured.ok()) return At("sip", structured.status());
    signature_ = *std::move(structured);
    return absl::OkStatus();
  }

  absl::Status TakeRaw(const v0::Attributes& found) {
    auto raw = std::make_shared<RawCall>();
    ASSIGN_OR_RETURN(raw->signature, v0::RawSignature::Parse(*found.raw));
    const std::vector<v0::RawType>& inputs = raw->signature.inputs;
    const std::vector<v0::RawType>& results = raw->signature.results;
    raw->fills = Fills(raw->signature);
    if (raw->fills) {
      signature_.results_.assign(results.size(),
                                 FromConvention(ValueType::kRef));
      signature_.carriers_.assign(results.size(), ValueType::kRef);
    }
    if (results.size() != signature_.results_.size()) {
      return WrongRawCount(results.size(), "result", "returns",
                           signature_.results_.size());
    }
    RETURN_IF_ERROR(TakeStorage(inputs.size(), raw->storage));
    RETURN_IF_ERROR(TakeRawTypes(inputs, "Input", declared_arguments_,
                                 signature_.arguments_));
    RETURN_IF_ERROR(TakeRawTypes(results, "Result", declared_results_,
                                 signature_.results_));
    raw->allocator = std::string(found.result_allocator.value_or(""));
    signature_.raw_ = std::move(raw);
    SetSource(SignatureSource::kV0, "f");
    return absl::OkStatus();
  }

  // Reports whether the function returns nothing and takes storage for every
  // result.
  bool Fills(const v0::RawSignature& raw) const {
    return signature_.results_.empty() && !raw.results.empty() &&
           raw.inputs.size() < signature_.arguments_.size() &&
           signature_.arguments_.size() - raw.inputs.size() ==
               raw.results.size() &&
           std::all_of(
               raw.results.begin(), raw.results.end(),
               [](const v0::RawType& type) {
                 return type.kind == v0::RawType::Kind::kBuffer;
               });
  }

  // Moves the arguments after the inputs to `storage`. Each is for the result
  // that it declares, or all are in the order of the results.
  absl::Status TakeStorage(size_t inputs, std::vector<Parameter>& storage) {
    std::vector<Parameter>& arguments = signature_.arguments_;
    const size_t results = signature_.results_.size();
    if (inputs > arguments.size() || arguments.size() - inputs > results) {
      return WrongRawCount(inputs, "input", "takes", arguments.size());
    }
    std::vector<bool> has_storage(results, false);
    for (size_t i = inputs; i < arguments.size(); ++i) {
      Parameter& argument = arguments[i];
      // A tensor that is not declared as storage is an input, not storage.
      const bool opaque = argument.type.element == ElementType::kNone;
      if (!argument.storage_of && opaque) {
        argument.storage_of = static_cast<int>(i - inputs);
      }
      if (!argument.storage_of || argument.carrier != ValueType::kRef) {
        return WrongRawCount(inputs, "input", "takes", arguments.size());
      }
      const auto result = static_cast<size_t>(*argument.storage_of);
      if (result >= results || has_storage[result]) {
        return absl::InvalidArgumentError(
            absl::StrCat("Argument ", i, " is storage for result ", result,
                         result < results ? ", which already has storage."
                                          : ", which does not exist."));
      }
      has_storage[result] = true;
      storage.push_back(std::move(argument));
    }
    arguments.resize(inputs);
    return absl::OkStatus();
  }

  static absl::Status TakeRawTypes(std::span<const v0::RawType> types,
                                   absl::string_view side,
                                   const DeclaredTypes& declared,
                                   std::vector<Parameter>& parameters) {
    for (size_t i = 0; i < types.size(); ++i) {
      Parameter& parameter = parameters[i];
      Type type = FromRaw(types[i], parameter.type);
      const bool is_ref = parameter.carrier == ValueType::kRef;
      const bool wants_ref = types[i].kind == v0::RawType::Kind::kRefObject;
      std::string wrong =
          Contradiction(parameter.carrier, DeclaredAt(declared, i), type);
      if (wants_ref && !is_ref) {
        wrong = absl::StrCat("the function has ",
                             CarrierText(parameter.carrier), " there.");
      }
      if (!wrong.empty()) {
        return absl::InvalidArgumentError(
            absl::StrCat(side, " ", i, " of the raw signature is ",
                         types[i].ToString(), "; ", wrong));
      }
      parameter.type = std::move(type);
    }
    return absl::OkStatus();
  }

  static absl::Status WrongRawCount(size_t raw, absl::string_view what,
                                    absl::string_view verb, size_t count) {
    return absl::InvalidArgumentError(
        absl::StrCat("The raw signature has ", raw, " ", what,
                     raw == 1 ? "" : "s", "; the function ", verb, " ", count,
                     what == "input" ? ", those for storage included." : "."));
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

  // Copies a record's name to the parameter, and its type if the parameter can
  // hold it.
  static absl::Status Take(Records::Record& record, const std::string& what,
                           const Type& declared, Parameter& parameter) {
    if (record.named) parameter.name = std::move(record.name);
    parameter.keyword = record.named;
    // A null record means that a reference is always null. It means nothing for
    // other carriers.
    const bool says_nothing =
        record.type.is(Kind::kUnknown) ||
        (record.type.is(Kind::kNull) && parameter.carrier != ValueType::kRef);
    if (says_nothing) {
      if (parameter.type.is(Kind::kUnknown)) {
        parameter.type.text = std::move(record.type.text);
      }
      return absl::OkStatus();
    }
    const std::string wrong =
        Contradiction(parameter.carrier, declared, record.type);
    if (!wrong.empty()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "The record of ", what, " is ", record.type.ToString(), "; ", wrong));
    }
    parameter.type = Merged(declared, std::move(record.type));
    return absl::OkStatus();
  }

  absl::Status TakeArguments(std::vector<Records::Record>& records) {
    std::vector<Parameter>& arguments = signature_.arguments_;
    if (records.size() != arguments.size()) {
      return WrongCount(records.size(), "argument", "takes", arguments.size());
    }
    for (size_t i = 0; i < records.size(); ++i) {
      RETURN_IF_ERROR(Take(records[i], absl::StrCat("argument ", i),
                           DeclaredAt(declared_arguments_, i), arguments[i]));
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
                         PlainName(arguments[i].name), "'."));
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
      RETURN_IF_ERROR(Take(records[i], absl::StrCat("result ", i),
                           DeclaredAt(declared_results_, i), results[i]));
    }
    return absl::OkStatus();
  }

  // Reports whether the function returns the slots of its only result one by
  // one: it has several results, none, or one that is not a list.
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
      const std::string wrong = Contradiction(
          results[i].carrier, DeclaredAt(declared_results_, i), slot);
      if (wrong.empty()) continue;
      return absl::InvalidArgumentError(
          absl::StrCat("The record of slot ", i, " of the only result is ",
                       slot.ToString(), "; ", wrong));
    }
    signature_.results_are_slots_ = true;
    results.assign(1, Parameter());
    return Take(record, "result 0", Type(), results[0]);
  }

  static absl::Status WrongCount(size_t records, absl::string_view what,
                                 absl::string_view verb, size_t count) {
    return absl::InvalidArgumentError(absl::StrCat(
        "There ", records == 1 ? "is " : "are ", Counted(records, "record"),
        " of a", what[0] == 'a' ? "n " : " ", what, "; the function ", verb,
        " ", count, "."));
  }

  std::span<const vm::Attribute> attributes_;
  DeclaredTypes declared_arguments_;
  DeclaredTypes declared_results_;
  Signature signature_;
};

absl::StatusOr<Signature> ReadSignature(
    absl::string_view function, std::span<const vm::Attribute> attributes,
    const vm::CallingConvention& convention) {
  return SignatureReader(attributes, convention).Read(function);
}

absl::StatusOr<Signature> ReadSignature(absl::string_view function,
                                        uint32_t ordinal,
                                        TypeInference& inference) {
  const vm::VerifiedModule& module = inference.module();
  ASSIGN_OR_RETURN(
      Signature signature,
      ReadSignature(function, module.def().functions[ordinal].attributes,
                    module.signature(ordinal)));
  SignatureReader::Infer(ordinal, inference, signature);
  return signature;
}

absl::StatusOr<Signature> ExportSignatures::Of(const vm::ExportDef& exported) {
  if (inference_) {
    return ReadSignature(exported.name, exported.function, *inference_);
  }
  const vm::FunctionDef& function = def_.functions[exported.function];
  ASSIGN_OR_RETURN(const auto convention,
                   vm::CallingConvention::Parse(function.calling_convention));
  return ReadSignature(exported.name, function.attributes, convention);
}

Signature ReadDeclaredSignature(absl::string_view function, uint32_t ordinal,
                                TypeInference& inference) {
  const vm::VerifiedModule& module = inference.module();
  Signature signature =
      SignatureReader(module.def().functions[ordinal].attributes,
                      module.signature(ordinal))
          .ReadDeclared(function);
  SignatureReader::Infer(ordinal, inference, signature);
  return signature;
}

}  // namespace eyrie::abi
