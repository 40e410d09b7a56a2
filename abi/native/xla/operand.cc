#include "abi/native/xla/operand.h"

#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "base/plain_text.h"
#include "base/status_macros.h"

namespace eyrie::native {
namespace {

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

}  // namespace

absl::Status NotExpectedHere(absl::string_view where, const Json& value,
                             absl::string_view expected) {
  return absl::InvalidArgumentError(absl::StrCat("In the manifest, ", where,
                                                 " is ", value.Describe(), "; ",
                                                 expected, " is expected."));
}

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

}  // namespace eyrie::native
