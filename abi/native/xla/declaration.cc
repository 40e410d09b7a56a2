#include "abi/native/xla/declaration.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "abi/native/ffi_registry.h"
#include "absl/algorithm/container.h"
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
constexpr const char* kStageNames[] = {"instantiate", "prepare", "initialize",
                                       "execute", "record"};
static_assert(std::size(kStageNames) == EYRIE_FFI_STAGES);

constexpr char kOperandTexts[] =
    "\"buffer\", \"token\", or a type such as \"?x4xf32\" or \"*xf32\" is "
    "expected.";

// Returns an error such as "In the manifest, argument 0 of function 'f' is '4':
// " followed by `why`.
absl::Status BadText(absl::string_view where, absl::string_view text,
                     absl::string_view why) {
  return absl::InvalidArgumentError(absl::StrCat(
      "In the manifest, ", where, " is '", PlainName(text), "': ", why));
}

// Returns the error "In the manifest, `where` is the number 7; `expected` is
// expected."
absl::Status NotExpectedHere(absl::string_view where, const Json& value,
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
  auto shape = hal::TensorType::TakeShape(rest);
  if (!shape.ok()) return BadText(where, text, kOperandTexts);
  if (shape->shape.size() > ShapeRule::kMaxRank) {
    return absl::InvalidArgumentError(
        absl::StrCat("In the manifest, ", where, " has ", shape->shape.size(),
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
  operand.tensor = *std::move(shape);
  operand.tensor.element = InfoOf(*type).element;
  if (operand.tensor.element == hal::ElementType::kNone) {
    return absl::UnimplementedError(
        absl::StrCat("In the manifest, ", where, " has an argument of ", rest,
                     ", which tensors cannot have."));
  }
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

// Returns the name of the member that gives an argument's type, or nullptr if
// there is not exactly one.
const char* OperandMember(JsonReader& json, FfiOperand::Presence& presence) {
  static constexpr struct {
    const char* name;
    FfiOperand::Presence presence;
  } kRows[] = {
      {"buffer", FfiOperand::Presence::kRequired},
      {"optional", FfiOperand::Presence::kOptional},
      {"rest", FfiOperand::Presence::kRest},
  };
  const char* found = nullptr;
  int count = 0;
  for (const auto& row : kRows) {
    if (json.Find(row.name) == nullptr) continue;
    ++count;
    found = row.name;
    presence = row.presence;
  }
  return count == 1 ? found : nullptr;
}

// Reads {"rest": "?xf32"}, {"buffer": "?x?xf64", "layout": …}, …
absl::Status ReadOperandObject(JsonReader& json, FfiOperand& operand) {
  if (json.Find("attribute") != nullptr) {
    return ReadAttributeOperand(json, operand);
  }
  const char* const member = OperandMember(json, operand.presence);
  if (member == nullptr) {
    return absl::InvalidArgumentError(absl::StrCat(
        "In the manifest, ", json.where(),
        " must have exactly one of \"attribute\", \"buffer\", \"optional\" and "
        "\"rest\"."));
  }
  const Json& text = *json.Find(member);
  if (!text.is(Json::Kind::kString)) {
    return json.WrongKind(member, text, "a string");
  }
  RETURN_IF_ERROR(ReadOperandText(json.where(), text.text, operand));
  if (operand.kind == FfiOperand::Kind::kToken) {
    return BadText(json.where(), "token", "a token is written as \"token\".");
  }
  if (const Json* layout = json.Find("layout")) {
    ASSIGN_OR_RETURN(operand.layout,
                     TensorLayout::Read(*layout, json.where(), operand.rank()));
  }
  return absl::OkStatus();
}

// Reads an argument. `where` names it in messages. UNIMPLEMENTED: tensors
// cannot have its element type.
absl::StatusOr<FfiOperand> ReadFfiOperand(const Json& value,
                                          const std::string& where) {
  FfiOperand operand;
  if (value.is(Json::Kind::kString)) {
    RETURN_IF_ERROR(ReadOperandText(where, value.text, operand));
    return operand;
  }
  if (!value.is(Json::Kind::kObject)) {
    return NotExpectedHere(where, value, "a string, an object or an array");
  }
  ASSIGN_OR_RETURN(JsonReader json, JsonReader::Open(value, where));
  RETURN_IF_ERROR(ReadOperandObject(json, operand));
  RETURN_IF_ERROR(json.Finish());
  return operand;
}

class Reader {
 public:
  Reader(FfiDeclaration& declaration, std::string where)
      : declaration_(declaration), where_(std::move(where)) {}

  absl::Status ReadSymbols(JsonReader& json);
  absl::Status ReadOperands(const Json& list, int depth);
  absl::Status ReadResults(const Json& list, int depth);
  absl::Status ReadResult(JsonReader& json, ShapeRule::Operands ranks,
                          FfiResult& result) const;
  // Checks a result that is "inout", and gives it its argument's layout.
  absl::Status CheckInout(JsonReader& json, FfiResult& result) const;
  absl::Status Check() const;
  std::vector<OperandRank> OperandRanks() const;

 private:
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
    ASSIGN_OR_RETURN(operands.emplace_back(),
                     ReadFfiOperand(value, Where("argument", operands.size())));
  }
  return absl::OkStatus();
}

// Returns the ranks of the operands that the handler receives.
std::vector<OperandRank> Reader::OperandRanks() const {
  std::vector<OperandRank> ranks;
  for (const FfiOperand& operand : declaration_.operands) {
    if (operand.kind == FfiOperand::Kind::kAttribute) continue;
    ranks.push_back(operand.rank());
  }
  return ranks;
}

absl::Status Reader::ReadResult(JsonReader& json, ShapeRule::Operands ranks,
                                FfiResult& result) const {
  ASSIGN_OR_RETURN(const bool temporary, json.GetBool("temporary", false));
  ASSIGN_OR_RETURN(result.rest, json.GetBool("rest", false));
  if (temporary) result.kind = FfiResult::Kind::kTemporary;
  ASSIGN_OR_RETURN(result.shape, ShapeRule::Read(json, ranks));
  if (result.shape.inout()) return CheckInout(json, result);
  const Json* const layout = json.Find("layout");
  if (layout == nullptr) return absl::OkStatus();
  if (temporary) {
    return absl::InvalidArgumentError(absl::StrCat(
        "In the manifest, ", json.where(),
        " has a layout, and is temporary, so that nothing reads it."));
  }
  ASSIGN_OR_RETURN(result.layout, TensorLayout::Read(*layout, json.where(),
                                                     result.shape.Rank(ranks)));
  return absl::OkStatus();
}

absl::Status Reader::CheckInout(JsonReader& json, FfiResult& result) const {
  const auto bad = [&](absl::string_view why) {
    return absl::InvalidArgumentError(
        absl::StrCat("In the manifest, ", json.where(), " is \"inout\"", why));
  };
  if (result.rest || result.kind == FfiResult::Kind::kTemporary) {
    return bad(", and also \"rest\" or \"temporary\".");
  }
  if (json.Find("layout") != nullptr) {
    return bad(", and has a layout; it takes its argument's.");
  }
  const int index = *result.shape.inout();
  for (const FfiResult& other : declaration_.results) {
    if (other.kind == FfiResult::Kind::kToken) continue;
    if (other.shape.inout() == result.shape.inout()) {
      return bad(
          absl::StrCat(" with operand ", index, ", like an earlier result."));
    }
  }
  int at = 0;
  for (const FfiOperand& operand : declaration_.operands) {
    if (operand.kind == FfiOperand::Kind::kAttribute || at++ != index) continue;
    if (operand.presence != FfiOperand::Presence::kRequired) {
      return bad(absl::StrCat(" with operand ", index,
                              ", which an import need not have."));
    }
    result.layout = operand.layout;
  }
  return absl::OkStatus();
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
      return NotExpectedHere(where, value, "an object, \"token\" or an array");
    }
    ASSIGN_OR_RETURN(JsonReader json, JsonReader::Open(value, where));
    RETURN_IF_ERROR(ReadResult(json, ranks, result));
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

std::string ResultText(const FfiResult& result) {
  if (result.kind == FfiResult::Kind::kToken) return "token";
  std::string text = absl::StrCat(
      result.kind == FfiResult::Kind::kTemporary ? "temporary " : "",
      result.shape.ToString());
  if (!result.layout.is_row_major()) {
    absl::StrAppend(&text, " ", result.layout.ToString());
  }
  return absl::StrCat(text, result.rest ? "…" : "");
}

}  // namespace

OperandRank FfiOperand::rank() const {
  if (kind != Kind::kBuffer) return kNoTensor;
  return tensor.ranked ? static_cast<OperandRank>(tensor.shape.size())
                       : kAnyRank;
}

char FfiOperand::letter() const {
  if (kind == Kind::kToken) return 0;
  if (kind == Kind::kBuffer || type == FfiType::kNone) return 'r';
  return ScalarLetter(InfoOf(type).element);
}

std::string FfiOperand::Declared() const {
  const std::string element =
      type == FfiType::kNone
          ? ""
          : std::string(hal::ElementTypeName(InfoOf(type).element));
  if (kind == Kind::kAttribute) {
    const bool plain = absl::c_all_of(
        attribute, [](char c) { return absl::ascii_isalnum(c) || c == '_'; });
    return absl::StrCat(plain ? absl::StrCat("%", attribute, ": ") : "",
                        element.empty() ? "!util.buffer" : element);
  }
  if (presence == Presence::kOptional) return "?";
  if (element.empty()) return "!hal.buffer_view";
  return absl::StrCat("tensor<", tensor.ToString(), ">");
}

std::string FfiOperand::ToString() const {
  const char* const name = type == FfiType::kNone ? nullptr : InfoOf(type).name;
  if (kind == Kind::kToken) return "token";
  if (kind == Kind::kAttribute) {
    return absl::StrCat(PlainName(attribute), ": ",
                        name == nullptr ? "string" : name);
  }
  std::string text =
      name == nullptr ? "buffer" : absl::StrCat(tensor.ShapePrefix(), name);
  if (!layout.is_row_major()) {
    absl::StrAppend(&text, " ", layout.ToString());
  }
  switch (presence) {
    case Presence::kRequired:
      return text;
    case Presence::kOptional:
      return absl::StrCat("optional ", text);
    case Presence::kRest:
      return absl::StrCat(text, "…");
  }
  return text;
}

const char* FfiStageName(int stage) { return kStageNames[stage]; }

bool FfiDeclaration::takes_rest() const {
  for (const FfiOperand& operand : operands) {
    if (operand.presence != FfiOperand::Presence::kRequired) return true;
  }
  return false;
}

std::vector<const FfiOperand*> FfiDeclaration::Expand(size_t operands) const {
  using Presence = FfiOperand::Presence;
  size_t further = operands;
  for (const FfiOperand& operand : this->operands) {
    const bool counts =
        operand.presence == Presence::kRequired && operand.letter() != 0;
    if (counts && further > 0) --further;
  }
  std::vector<const FfiOperand*> expanded;
  for (const FfiOperand& operand : this->operands) {
    size_t count = 1;
    if (operand.presence == Presence::kOptional) count = further > 0 ? 1 : 0;
    if (operand.presence == Presence::kRest) count = further;
    if (operand.presence != Presence::kRequired) further -= count;
    expanded.insert(expanded.end(), count, &operand);
  }
  return expanded;
}

std::vector<std::string> FfiDeclaration::DeclareOperands(
    size_t operands) const {
  std::vector<std::string> declared;
  for (const FfiOperand* const operand : Expand(operands)) {
    if (operand->letter() != 0) declared.push_back(operand->Declared());
  }
  return declared;
}

std::string FfiDeclaration::ImportConvention(size_t operands) const {
  std::string text = "0";
  size_t buffers = 0;  // arguments of the handler
  for (const FfiOperand* const operand : Expand(operands)) {
    if (operand->letter() != 0) text += operand->letter();
    buffers += operand->kind != FfiOperand::Kind::kAttribute;
  }
  if (fences.value_or(false)) text += "rr";
  if (text.size() == 1) text += 'v';
  text += '_';
  const size_t arguments = text.size();
  for (const FfiResult& result : this->results) {
    if (result.kind != FfiResult::Kind::kBuffer) continue;
    // A rest result that follows arguments has one for each of them.
    const auto first = static_cast<size_t>(result.shape.last_operand());
    const bool each = result.rest && result.shape.is_each();
    text.append(each ? buffers - std::min(first, buffers) : 1, 'r');
  }
  if (text.size() == arguments) text += 'v';
  return text;
}

std::string FfiDeclaration::Describe() const {
  std::string text = absl::StrCat(
      "(",
      absl::StrJoin(operands, ", ",
                    [](std::string* out, const FfiOperand& operand) {
                      *out += operand.ToString();
                    }),
      ") -> (",
      absl::StrJoin(results, ", ",
                    [](std::string* out, const FfiResult& result) {
                      *out += ResultText(result);
                    }),
      ")");
  text += equal.ToString();
  const std::string declared = DeclaredText(attributes);
  if (!declared.empty()) absl::StrAppend(&text, " ", declared);
  if (fences) text += *fences ? " with fences" : " without fences";
  if (!IsHostPlatform(platform)) {
    absl::StrAppend(
        &text, " on ", PlainName(platform),
        IsCudaPlatform(platform) ? "" : ", which does not run here");
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
  ASSIGN_OR_RETURN(declaration.equal,
                   EqualDims::Read(json, reader.OperandRanks()));
  if (const Json* list = json.Find("results")) {
    RETURN_IF_ERROR(reader.ReadResults(*list, 0));
  }
  RETURN_IF_ERROR(reader.Check());
  return declaration;
}

}  // namespace eyrie::native
