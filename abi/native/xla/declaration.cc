#include "abi/native/xla/declaration.h"

#include <iterator>
#include <set>
#include <utility>

#include "abi/native/ffi_registry.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/plain_text.h"
#include "base/status_macros.h"

namespace eyrie::native {
namespace {

constexpr size_t kMaxValues = 1024;  // operands, or results
constexpr int kMaxTuples = 16;       // maximum nesting
constexpr char kOperandTexts[] =
    "\"buffer\", \"token\", or a type such as \"?x4xf32\" or \"*xf32\" is "
    "expected.";
constexpr const char* kStageNames[] = {"instantiate", "prepare", "initialize",
                                       "execute", "record"};
static_assert(std::size(kStageNames) == EYRIE_FFI_STAGES);

// Returns an error such as "In the manifest, argument 0 of function 'f' is '4':
// " followed by `why`.
absl::Status BadText(absl::string_view where, absl::string_view text,
                     absl::string_view why) {
  return absl::InvalidArgumentError(absl::StrCat(
      "In the manifest, ", where, " is '", PlainName(text), "': ", why));
}

absl::Status NotOneOf(absl::string_view where, const Json& value,
                      absl::string_view expected) {
  return absl::InvalidArgumentError(absl::StrCat("In the manifest, ", where,
                                                 " is ", value.Describe(), "; ",
                                                 expected, " is expected."));
}

// Reads "buffer", "token", "?x4xf32", "*xf32" or "f32".
absl::Status ReadOperandText(absl::string_view where, absl::string_view text,
                             FfiOperand& operand) {
  if (text == "buffer") return absl::OkStatus();
  if (text == "token") {
    operand.kind = FfiOperand::Kind::kToken;
    return absl::OkStatus();
  }
  absl::string_view rest = text;
  std::vector<int64_t> dims;
  const bool unranked = rest.substr(0, 2) == "*x";
  if (unranked) rest.remove_prefix(2);
  while (!unranked && !rest.empty() &&
         (rest[0] == '?' || (rest[0] >= '0' && rest[0] <= '9'))) {
    const size_t x = rest.find('x');
    const absl::string_view dim = rest.substr(0, x);
    int64_t size = FfiOperand::kAnyDim;
    if (x == rest.npos ||
        (dim != "?" && (!absl::SimpleAtoi(dim, &size) || size < 0))) {
      return BadText(where, text, kOperandTexts);
    }
    dims.push_back(size);
    rest.remove_prefix(x + 1);
  }
  if (dims.size() > ShapeRule::kMaxRank) {
    return absl::InvalidArgumentError(
        absl::StrCat("In the manifest, ", where, " has ", dims.size(),
                     " dimensions; the limit is ", ShapeRule::kMaxRank, "."));
  }
  const absl::StatusOr<FfiType> type = ParseFfiType(rest);
  if (!type.ok()) {
    // If the text is not like a type at all, list all forms.
    const bool is_word = !rest.empty() && absl::ascii_isalpha(rest[0]);
    return BadText(where, text,
                   is_word ? type.status().message() : kOperandTexts);
  }
  operand.type = *type;
  if (InfoOf(*type).element == hal::ElementType::kNone) {
    return absl::UnimplementedError(
        absl::StrCat("In the manifest, ", where, " has an argument of ", rest,
                     ", which tensors cannot have."));
  }
  if (!unranked) operand.dims = std::move(dims);
  return absl::OkStatus();
}

absl::Status ReadAttributeOperand(JsonReader& json, FfiOperand& operand) {
  operand.kind = FfiOperand::Kind::kAttribute;
  ASSIGN_OR_RETURN(operand.attribute, json.GetString("attribute"));
  ASSIGN_OR_RETURN(const std::string type, json.GetString("type"));
  const auto bad = [&json](absl::string_view member, absl::string_view text,
                           absl::string_view why) {
    return BadText(absl::StrCat("\"", member, "\" of ", json.where()), text,
                   why);
  };
  if (operand.attribute.empty())
    return bad("attribute", "", "a name is required.");
  if (type == "string") return absl::OkStatus();
  const absl::StatusOr<FfiType> parsed = ParseFfiType(type);
  if (!parsed.ok()) return bad("type", type, parsed.status().message());
  operand.type = *parsed;
  if (operand.letter() != 0) return absl::OkStatus();
  return bad("type", type, "operands of imports cannot have this type.");
}

// Reads {"rest": "?xf32"}, {"optional": "buffer"} or {"attribute": …}.
absl::Status ReadOperandObject(JsonReader& json, FfiOperand& operand) {
  if (json.Find("attribute") != nullptr) {
    return ReadAttributeOperand(json, operand);
  }
  const Json* rest = json.Find("rest");
  const Json* optional = json.Find("optional");
  const Json* text = rest != nullptr ? rest : optional;
  if (text == nullptr || (rest != nullptr && optional != nullptr)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "In the manifest, ", json.where(),
        " must have exactly one of \"attribute\", \"optional\" and \"rest\"."));
  }
  operand.presence = rest != nullptr ? FfiOperand::Presence::kRest
                                     : FfiOperand::Presence::kOptional;
  if (!text->is(Json::Kind::kString)) {
    return json.WrongKind(rest != nullptr ? "rest" : "optional", *text,
                          "a string");
  }
  RETURN_IF_ERROR(ReadOperandText(json.where(), text->text, operand));
  if (operand.kind == FfiOperand::Kind::kToken) {
    return BadText(json.where(), "token", "tokens cannot be optional.");
  }
  return absl::OkStatus();
}

class Reader {
 public:
  Reader(FfiDeclaration& declaration, std::string where)
      : declaration_(declaration), where_(std::move(where)) {}

  absl::Status ReadSymbols(JsonReader& json);
  absl::Status ReadOperands(const Json& list, int depth);
  absl::Status ReadResults(const Json& list, int depth);
  absl::Status Check() const;

 private:
  std::vector<OperandRank> OperandRanks() const;
  // Checks that each attribute name is used once among the arguments and
  // "attributes".
  absl::Status CheckNames() const;
  std::string Where(absl::string_view what, size_t index) const {
    return absl::StrCat(what, " ", index, " of ", where_);
  }
  absl::Status CheckList(const Json& list, absl::string_view what, size_t have,
                         int depth) const;

  FfiDeclaration& declaration_;
  const std::string where_;
};

absl::Status Reader::ReadSymbols(JsonReader& json) {
  auto& symbols = declaration_.symbols;
  ASSIGN_OR_RETURN(symbols[EYRIE_FFI_EXECUTE], json.GetString("symbol"));
  ASSIGN_OR_RETURN(declaration_.registered, json.GetString("registered"));
  const Json* stages = json.Find("stages");
  const int ways = !symbols[EYRIE_FFI_EXECUTE].empty() +
                   !declaration_.registered.empty() + (stages != nullptr);
  if (ways > 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("In the manifest, ", where_,
                     " has more than one of \"symbol\", \"stages\" and "
                     "\"registered\"."));
  }
  if (ways == 0) symbols[EYRIE_FFI_EXECUTE] = declaration_.name;
  if (stages == nullptr) return absl::OkStatus();
  ASSIGN_OR_RETURN(
      JsonReader reader,
      JsonReader::Open(*stages, absl::StrCat("\"stages\" of ", where_)));
  for (int stage = 0; stage < EYRIE_FFI_STAGES; ++stage) {
    ASSIGN_OR_RETURN(symbols[stage], reader.GetString(kStageNames[stage]));
  }
  RETURN_IF_ERROR(reader.Finish());
  if (symbols[EYRIE_FFI_EXECUTE].empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "In the manifest, \"stages\" of ", where_, " has no \"execute\"."));
  }
  return absl::OkStatus();
}

absl::Status Reader::CheckList(const Json& list, absl::string_view what,
                               size_t have, int depth) const {
  if (!list.is(Json::Kind::kArray)) {
    return absl::InvalidArgumentError(
        absl::StrCat("In the manifest, \"", what, "\" of ", where_, " is ",
                     list.Describe(), "; an array is expected."));
  }
  if (depth > kMaxTuples || have + list.items.size() > kMaxValues) {
    return absl::InvalidArgumentError(absl::StrCat(
        "In the manifest, ", where_, " has more ", what, " than ", kMaxValues,
        ", or tuples nested deeper than ", kMaxTuples, "."));
  }
  return absl::OkStatus();
}

// Nested arrays are tuples, which are flattened in order.
absl::Status Reader::ReadOperands(const Json& list, int depth) {
  std::vector<FfiOperand>& operands = declaration_.operands;
  RETURN_IF_ERROR(CheckList(list, "arguments", operands.size(), depth));
  for (const Json& value : list.items) {
    if (value.is(Json::Kind::kArray)) {
      RETURN_IF_ERROR(ReadOperands(value, depth + 1));
      continue;
    }
    FfiOperand operand;
    const std::string where = Where("argument", operands.size());
    if (value.is(Json::Kind::kString)) {
      RETURN_IF_ERROR(ReadOperandText(where, value.text, operand));
    } else if (!value.is(Json::Kind::kObject)) {
      return NotOneOf(where, value, "a string, an object or an array");
    } else {
      ASSIGN_OR_RETURN(JsonReader json, JsonReader::Open(value, where));
      RETURN_IF_ERROR(ReadOperandObject(json, operand));
      RETURN_IF_ERROR(json.Finish());
    }
    operands.push_back(std::move(operand));
  }
  return absl::OkStatus();
}

// Returns the ranks of the operands that the handler receives.
std::vector<OperandRank> Reader::OperandRanks() const {
  std::vector<OperandRank> ranks;
  for (const FfiOperand& operand : declaration_.operands) {
    if (operand.kind == FfiOperand::Kind::kAttribute) continue;
    OperandRank rank = kAnyRank;
    if (operand.kind == FfiOperand::Kind::kToken) rank = kNoTensor;
    if (operand.dims) rank = static_cast<OperandRank>(operand.dims->size());
    ranks.push_back(rank);
  }
  return ranks;
}

absl::Status Reader::ReadResults(const Json& list, int depth) {
  std::vector<FfiResult>& results = declaration_.results;
  RETURN_IF_ERROR(CheckList(list, "results", results.size(), depth));
  const std::vector<OperandRank> ranks = OperandRanks();
  for (const Json& value : list.items) {
    if (value.is(Json::Kind::kArray)) {
      RETURN_IF_ERROR(ReadResults(value, depth + 1));
      continue;
    }
    FfiResult result;
    if (value.is(Json::Kind::kString) && value.text == "token") {
      result.kind = FfiResult::Kind::kToken;
      results.push_back(std::move(result));
      continue;
    }
    const std::string where = Where("result", results.size());
    if (!value.is(Json::Kind::kObject)) {
      return NotOneOf(where, value, "an object, \"token\" or an array");
    }
    ASSIGN_OR_RETURN(JsonReader json, JsonReader::Open(value, where));
    ASSIGN_OR_RETURN(const bool temporary, json.GetBool("temporary", false));
    ASSIGN_OR_RETURN(result.rest, json.GetBool("rest", false));
    if (temporary) result.kind = FfiResult::Kind::kTemporary;
    ASSIGN_OR_RETURN(result.shape, ShapeRule::Read(json, ranks));
    RETURN_IF_ERROR(json.Finish());
    results.push_back(std::move(result));
  }
  return absl::OkStatus();
}

absl::Status Reader::CheckNames() const {
  std::set<std::string> names;
  for (size_t i = 0; i < declaration_.operands.size(); ++i) {
    const std::string& name = declaration_.operands[i].attribute;
    if (name.empty()) continue;
    const bool declared = declaration_.attributes.members.contains(name);
    if (!declared && names.insert(name).second) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("In the manifest, ", Where("argument", i),
                     " is the attribute '", PlainName(name), "', like ",
                     declared ? "one of \"attributes\"." : "an earlier one."));
  }
  return absl::OkStatus();
}

absl::Status Reader::Check() const {
  RETURN_IF_ERROR(CheckNames());
  using Presence = FfiOperand::Presence;
  Presence before = Presence::kRequired;
  bool dynamic = false;
  for (size_t i = 0; i < declaration_.operands.size(); ++i) {
    const FfiOperand& operand = declaration_.operands[i];
    if (operand.kind == FfiOperand::Kind::kAttribute) {
      dynamic = true;
      continue;
    }
    // The order must be: required, optional, at most one rest.
    if (operand.presence < before || before == Presence::kRest) {
      return absl::InvalidArgumentError(
          absl::StrCat("In the manifest, ", Where("argument", i),
                       " must not follow an optional one."));
    }
    before = operand.presence;
  }
  for (size_t i = 0; i + 1 < declaration_.results.size(); ++i) {
    if (!declaration_.results[i].rest) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("In the manifest, ", Where("result", i),
                     " is a rest result and must be the last."));
  }
  if (dynamic && !declaration_.symbols[EYRIE_FFI_INSTANTIATE].empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "In the manifest, ", where_,
        " has attributes among its arguments, and a stage \"instantiate\", "
        "which runs before the arguments exist."));
  }
  return absl::OkStatus();
}

std::string OperandText(const FfiOperand& operand) {
  const char* type =
      operand.type == FfiType::kNone ? nullptr : InfoOf(operand.type).name;
  if (operand.kind == FfiOperand::Kind::kToken) return "token";
  if (operand.kind == FfiOperand::Kind::kAttribute) {
    return absl::StrCat(PlainName(operand.attribute), ": ",
                        type == nullptr ? "string" : type);
  }
  std::string text;
  if (type == nullptr) {
    text = "buffer";
  } else if (!operand.dims) {
    text = absl::StrCat("*x", type);
  } else {
    for (const int64_t dim : *operand.dims) {
      absl::StrAppend(&text, dim < 0 ? "?" : absl::StrCat(dim), "x");
    }
    text += type;
  }
  switch (operand.presence) {
    case FfiOperand::Presence::kRequired:
      return text;
    case FfiOperand::Presence::kOptional:
      return absl::StrCat("optional ", text);
    case FfiOperand::Presence::kRest:
      return absl::StrCat(text, "…");
  }
  return text;
}

std::string ResultText(const FfiResult& result) {
  if (result.kind == FfiResult::Kind::kToken) return "token";
  return absl::StrCat(
      result.kind == FfiResult::Kind::kTemporary ? "temporary " : "",
      result.shape.ToString(), result.rest ? "…" : "");
}

}  // namespace

char FfiOperand::letter() const {
  if (kind == Kind::kToken) return 0;
  if (kind == Kind::kBuffer || type == FfiType::kNone) return 'r';
  switch (type) {
    case FfiType::kPred:
    case FfiType::kS8:
    case FfiType::kS16:
    case FfiType::kS32:
    case FfiType::kU8:
    case FfiType::kU16:
    case FfiType::kU32:
    case FfiType::kF16:
    case FfiType::kBF16:
      return 'i';
    case FfiType::kS64:
    case FfiType::kU64:
      return 'I';
    case FfiType::kF32:
      return 'f';
    case FfiType::kF64:
      return 'F';
    default:
      return 0;
  }
}

bool FfiDeclaration::takes_rest() const {
  for (const FfiOperand& operand : operands) {
    if (operand.presence != FfiOperand::Presence::kRequired) return true;
  }
  return false;
}

std::string FfiDeclaration::Describe() const {
  std::string text = absl::StrCat(
      "(",
      absl::StrJoin(operands, ", ",
                    [](std::string* out, const FfiOperand& operand) {
                      *out += OperandText(operand);
                    }),
      ") -> (",
      absl::StrJoin(results, ", ",
                    [](std::string* out, const FfiResult& result) {
                      *out += ResultText(result);
                    }),
      ")");
  const std::string declared = DeclaredText(attributes);
  if (!declared.empty()) absl::StrAppend(&text, " ", declared);
  if (fences) text += *fences ? " with fences" : " without fences";
  if (!IsHostPlatform(platform)) {
    absl::StrAppend(&text, " on ", PlainName(platform),
                    ", which does not run here");
  }
  return text;
}

absl::StatusOr<FfiDeclaration> ReadFfiDeclaration(absl::string_view name,
                                                  JsonReader& json) {
  FfiDeclaration declaration;
  declaration.name = std::string(name);
  Reader reader(declaration, json.where());
  RETURN_IF_ERROR(reader.ReadSymbols(json));
  ASSIGN_OR_RETURN(declaration.platform, json.GetString("platform", "Host"));
  ASSIGN_OR_RETURN(const std::string attributes, json.GetString("attributes"));
  absl::StatusOr<Attribute> declared = ParseDeclaredAttributes(attributes);
  if (!declared.ok()) {
    return Annotate(declared.status(), absl::StrCat("(", json.where(), ")"));
  }
  declaration.attributes = *std::move(declared);
  if (json.Find("fences") != nullptr) {
    ASSIGN_OR_RETURN(declaration.fences, json.GetBool("fences", false));
  }
  if (const Json* list = json.Find("arguments")) {
    RETURN_IF_ERROR(reader.ReadOperands(*list, 0));
  }
  if (const Json* list = json.Find("results")) {
    RETURN_IF_ERROR(reader.ReadResults(*list, 0));
  }
  RETURN_IF_ERROR(reader.Check());
  return declaration;
}

}  // namespace eyrie::native
