#include "abi/native/xla/signature_probe.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "abi/native/xla/refused_frame.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "base/plain_text.h"
#include "base/status_macros.h"

namespace eyrie::native {
namespace {

using Kind = RefusedFrame::Outcome::Kind;

constexpr size_t kMaxOperands = 256;  // of each kind, and of dimensions
constexpr size_t kMaxDepth = 8;       // of structs
constexpr size_t kMaxQuoted = 200;    // bytes of an error
constexpr int64_t kOddRank = 31;      // of no argument
constexpr char kOddName[] = "?";      // of no attribute
constexpr size_t kNone = ~size_t{0};  // no operand

// Texts of XLA's headers, each followed by what is expected.
constexpr char kArgumentCount[] = "Wrong number of arguments: expected ";
constexpr char kResultCount[] = "Wrong number of results: expected ";
constexpr char kAttributeCount[] = "Wrong number of attributes: expected ";
constexpr char kDecode[] = "Failed to decode";
constexpr char kType[] = "Wrong buffer dtype: expected ";
constexpr char kRank[] = "Wrong buffer rank: expected ";
constexpr char kName[] = "Attribute name mismatch: ? vs ";
constexpr char kMember[] = "Unexpected attribute: ";
constexpr char kKind[] = "Wrong attribute type: expected ";
constexpr char kScalarType[] = "Wrong scalar data type: expected ";
constexpr char kArrayType[] = "Wrong array data type: expected ";
constexpr char kPointer[] = "expected i64 scalar for passing pointer";

// Returns the text between `before` and `after`, or nullopt.
std::optional<absl::string_view> Between(absl::string_view text,
                                         absl::string_view before,
                                         absl::string_view after) {
  const size_t at = text.find(before);
  if (at == text.npos) return std::nullopt;
  text.remove_prefix(at + before.size());
  const size_t end = text.find(after);
  if (end == text.npos) return std::nullopt;
  return text.substr(0, end);
}

// Returns all texts that follow `before`. The headers do not separate their
// sentences, so each ends where another begins.
std::vector<std::string> AllAfter(absl::string_view text,
                                  absl::string_view before) {
  std::vector<std::string> all;
  for (size_t at = text.find(before); at != text.npos; at = text.find(before)) {
    text.remove_prefix(at + before.size());
    size_t end = text.size();
    for (const char* next : {"Wrong ", kName, kMember}) {
      end = std::min(end, text.find(next));
    }
    all.emplace_back(text.substr(0, end));
  }
  return all;
}

// Returns the name of an attribute's type in manifests.
std::string NameOf(absl::string_view type) {
  const FfiType found = FfiTypeNamed(type);
  return found == FfiType::kNone ? absl::AsciiStrToLower(type)
                                 : InfoOf(found).name;
}

struct Count {
  bool at_least = false;
  size_t number = 0;
};

// Reads a number of an error, up to kMaxOperands.
std::optional<size_t> NumberIn(absl::string_view text) {
  size_t number = 0;
  if (!absl::SimpleAtoi(text, &number) || number > kMaxOperands) {
    return std::nullopt;
  }
  return number;
}

// Reads "at least 2 but got …" after `before`.
std::optional<Count> CountAfter(absl::string_view text,
                                absl::string_view before) {
  auto found = Between(text, before, " but got");
  if (!found) return std::nullopt;
  const bool at_least = absl::ConsumePrefix(&*found, "at least ");
  absl::ConsumeSuffix(&*found, " attributes");
  // The headers count too few if the last ones are optional.
  if (at_least && absl::ConsumePrefix(&*found, "-")) return Count{true, 0};
  const std::optional<size_t> number = NumberIn(*found);
  if (!number) return std::nullopt;
  return Count{at_least, *number};
}

class Prober {
 public:
  Prober(eyrie_ffi_handler_t* handler, int32_t stage, int minor)
      : handler_(handler), minor_(minor) {
    base_.stage = stage;
  }

  absl::StatusOr<ProbedSignature> Run();

 private:
  using Buffers = std::vector<RefusedFrame::Buffer>;

  size_t operands() const { return base_.args.size() + base_.results.size(); }
  static RefusedFrame::Buffer& At(RefusedFrame& frame, size_t operand) {
    const size_t args = frame.args.size();
    return operand < args ? frame.args[operand] : frame.results[operand - args];
  }
  // Returns a frame that the handler refuses even if it accepts `operand`;
  // nullopt if none is known.
  std::optional<RefusedFrame> Refused(size_t operand);
  // Returns the error of a call.
  absl::StatusOr<std::string> Error(const RefusedFrame& frame) const;

  // Finds the numbers of operands, and the number of attributes if they are
  // counted.
  absl::Status CountAll();
  // Changes base_ to what an error about numbers says. Returns false if the
  // error is about something else.
  absl::StatusOr<bool> TakeCount(absl::string_view error);
  absl::Status TakeOperands(const Count& count, Buffers& operands, bool& rest,
                            size_t& fixed) const;
  // Finds operands whose types the handler checks.
  absl::Status FindTyped();
  absl::Status ProbeOperands();
  absl::StatusOr<ProbedBuffer> ProbeOperand(size_t operand);

  // The names of attributes, or of a struct's members, in order; and which of
  // them is asked for.
  struct Level {
    std::vector<std::string> names;
    size_t index;
  };
  using Path = std::vector<Level>;
  absl::Status ProbeAttributes();
  // Returns the declaration of the attribute at a path.
  absl::StatusOr<std::string> ProbeAttribute(const Path& path);
  absl::StatusOr<std::string> ProbeStruct(const Path& path);
  // Returns the members of a struct at a path, in order.
  absl::StatusOr<std::vector<std::string>> MemberNames(const Path& path,
                                                       size_t count);
  // Returns a frame that has `asked` at a path. The others have no name that
  // the handler knows; or, if `named`, their own. Nullopt if it may not be
  // refused.
  std::optional<RefusedFrame> AttributeFrame(const Path& path,
                                             RefusedFrame::Attribute asked,
                                             bool named);
  // Returns nullopt if no operand is known to be refused, and otherwise base_
  // with one that is, without attributes.
  std::optional<RefusedFrame> WrongOperand() const;

  eyrie_ffi_handler_t* const handler_;
  const int minor_;
  RefusedFrame base_;
  bool counts_attributes_ = false;  // base_ has them, with wrong names
  size_t fixed_args_ = 0;
  size_t fixed_results_ = 0;
  std::vector<size_t> typed_;
  std::vector<FfiType> types_;  // of typed_
  ProbedSignature found_;
};

absl::StatusOr<std::string> Prober::Error(const RefusedFrame& frame) const {
  ASSIGN_OR_RETURN(RefusedFrame::Outcome outcome, frame.Call(handler_, minor_));
  if (outcome.kind == Kind::kRefused) return std::move(outcome.error);
  return absl::UnimplementedError(
      "The handler does not refuse what it cannot use; its signature is not "
      "known.");
}

absl::Status Prober::TakeOperands(const Count& count, Buffers& operands,
                                  bool& rest, size_t& fixed) const {
  const size_t had = operands.size();
  if (rest |= count.at_least; rest) {
    operands.resize(had < count.number ? count.number : had + 1);
  } else {
    operands.resize(count.number);
  }
  fixed = operands.size();  // fewer are refused, also if the error says fewer
  if (operands.size() != had && operands.size() <= kMaxOperands) {
    return absl::OkStatus();
  }
  return absl::UnimplementedError(absl::StrCat("The handler accepts neither ",
                                               had, " nor ", operands.size(),
                                               " arguments or results."));
}

absl::StatusOr<bool> Prober::TakeCount(absl::string_view error) {
  if (const auto count = CountAfter(error, kArgumentCount)) {
    RETURN_IF_ERROR(
        TakeOperands(*count, base_.args, found_.has_rest, fixed_args_));
    return true;
  }
  if (const auto count = CountAfter(error, kResultCount)) {
    RETURN_IF_ERROR(TakeOperands(*count, base_.results, found_.has_rest_results,
                                 fixed_results_));
    return true;
  }
  if (absl::StrContains(error, kDecode)) return false;
  const auto count = CountAfter(error, kAttributeCount);
  if (!count || counts_attributes_) {
    return absl::UnimplementedError(
        absl::StrCat("The handler's errors are not those of XLA's headers: '",
                     PlainText(error, kMaxQuoted), "'."));
  }
  counts_attributes_ = true;
  base_.attributes.resize(count->number, {kOddName});
  return true;
}

absl::Status Prober::CountAll() {
  for (size_t i = 0; i < 2 * kMaxOperands; ++i) {
    base_.ends_at_last = operands() > 0;
    ASSIGN_OR_RETURN(const auto outcome, base_.Call(handler_, minor_));
    base_.ends_at_last = false;
    if (outcome.kind != Kind::kRefused) return absl::OkStatus();
    ASSIGN_OR_RETURN(const bool more, TakeCount(outcome.error));
    if (!more) return absl::OkStatus();
  }
  return absl::UnimplementedError(
      "The handler refuses all numbers of operands.");
}

std::optional<RefusedFrame> Prober::WrongOperand() const {
  if (typed_.empty()) return std::nullopt;
  RefusedFrame frame = base_;
  frame.attributes.clear();
  At(frame, typed_[0]).type =
      types_[0] == FfiType::kU8 ? FfiType::kS8 : FfiType::kU8;
  return frame;
}

std::optional<RefusedFrame> Prober::Refused(size_t operand) {
  if (counts_attributes_) return base_;
  RefusedFrame frame = base_;
  for (size_t i = 0; i < typed_.size(); ++i) {
    if (typed_[i] == operand) continue;
    At(frame, typed_[i]).type =
        types_[i] == FfiType::kU8 ? FfiType::kS8 : FfiType::kU8;
    return frame;
  }
  return std::nullopt;
}

absl::Status Prober::FindTyped() {
  for (size_t k = 0; k + 1 < operands(); ++k) {
    RefusedFrame frame = base_;
    frame.ends_at_last = true;
    At(frame, k).hidden = true;
    ASSIGN_OR_RETURN(const auto outcome, frame.Call(handler_, minor_));
    if (outcome.kind != Kind::kReadType) continue;
    // It checks the type, and refuses this one.
    frame = base_;
    At(frame, k).type = RefusedFrame::kOddType;
    ASSIGN_OR_RETURN(const std::string error, Error(frame));
    const auto name = Between(error, kType, " but got F8E4M3B11FNUZ");
    if (!name) continue;
    typed_.push_back(k);
    types_.push_back(FfiTypeNamed(name->substr(name->rfind(' ') + 1)));
    if (typed_.size() == 2) break;  // enough to be refused
  }
  return absl::OkStatus();
}

absl::StatusOr<ProbedBuffer> Prober::ProbeOperand(size_t operand) {
  ProbedBuffer found;
  std::optional<RefusedFrame> frame = Refused(operand);
  const auto typed = std::find(typed_.begin(), typed_.end(), operand);
  if (typed != typed_.end()) {
    found.type = types_[static_cast<size_t>(typed - typed_.begin())];
  } else if (frame) {
    At(*frame, operand).type = RefusedFrame::kOddType;
    ASSIGN_OR_RETURN(const std::string error, Error(*frame));
    const size_t end = error.find(" but got F8E4M3B11FNUZ");
    if (end == error.npos) return found;
    const size_t begin = error.rfind(kType, end);
    if (begin == error.npos) return found;
    found.type = FfiTypeNamed(absl::string_view(error).substr(0, end).substr(
        begin + sizeof(kType) - 1));
  }
  if (found.type == FfiType::kNone || !frame) return found;
  At(*frame, operand).type = found.type;
  At(*frame, operand).rank = kOddRank;
  ASSIGN_OR_RETURN(const std::string error, Error(*frame));
  const auto rank = Between(error, kRank, absl::StrCat(" but got ", kOddRank));
  const auto number = rank ? NumberIn(*rank) : std::nullopt;
  if (number) found.rank = static_cast<int>(*number);
  return found;
}

absl::Status Prober::ProbeOperands() {
  RETURN_IF_ERROR(FindTyped());
  for (size_t i = 0; i < fixed_args_; ++i) {
    ASSIGN_OR_RETURN(found_.arguments.emplace_back(), ProbeOperand(i));
  }
  for (size_t i = 0; i < fixed_results_; ++i) {
    ASSIGN_OR_RETURN(found_.results.emplace_back(),
                     ProbeOperand(base_.args.size() + i));
  }
  return absl::OkStatus();
}

std::optional<RefusedFrame> Prober::AttributeFrame(
    const Path& path, RefusedFrame::Attribute asked, bool named) {
  std::optional<RefusedFrame> frame = WrongOperand();
  bool is_refused = frame.has_value() || asked.kind != EYRIE_FFI_DICTIONARY;
  if (!frame) {
    frame = base_;
    frame->attributes.clear();
  }
  for (size_t depth = path.size(); depth-- > 0;) {
    const auto& [names, index] = path[depth];
    is_refused |= names.size() > 1;
    asked.name = names[index];
    std::vector<RefusedFrame::Attribute> level;
    for (size_t i = 0; i < names.size(); ++i) {
      level.push_back(
          i == index ? asked
                     : RefusedFrame::Attribute{named ? names[i] : kOddName});
    }
    // A struct's members are looked up by their order.
    if (depth > 0 || !counts_attributes_) {
      std::sort(level.begin(), level.end(),
                [](const auto& a, const auto& b) { return a.name < b.name; });
    }
    asked = {.kind = EYRIE_FFI_DICTIONARY, .members = std::move(level)};
  }
  frame->attributes = std::move(asked.members);
  if (!is_refused) return std::nullopt;
  return frame;
}

absl::StatusOr<std::vector<std::string>> Prober::MemberNames(const Path& path,
                                                             size_t count) {
  RefusedFrame::Attribute odd = {.kind = EYRIE_FFI_DICTIONARY};
  odd.members.resize(count, {kOddName});
  const auto frame = AttributeFrame(path, std::move(odd), /*named=*/true);
  ASSIGN_OR_RETURN(const std::string error, Error(*frame));
  std::vector<std::string> names = AllAfter(error, kMember);
  std::sort(names.begin(), names.end());
  return names;
}

absl::StatusOr<std::string> Prober::ProbeStruct(const Path& path) {
  const auto frame = AttributeFrame(path, {.kind = EYRIE_FFI_DICTIONARY},
                                    /*named=*/true);
  if (!frame || path.size() == kMaxDepth) return "={*}";
  ASSIGN_OR_RETURN(const std::string error, Error(*frame));
  const auto count = CountAfter(error, kAttributeCount);
  if (!count) return "={*}";
  ASSIGN_OR_RETURN(const auto names, MemberNames(path, count->number));
  if (names.size() != count->number) return "={*}";
  std::vector<std::string> members;
  bool open = false;
  for (size_t i = 0; i < names.size(); ++i) {
    Path inner = path;
    inner.push_back({names, i});
    ASSIGN_OR_RETURN(const std::string type, ProbeAttribute(inner));
    open |= type.empty();
    if (!type.empty()) members.push_back(names[i] + type);
  }
  if (open) members.push_back("*");
  return absl::StrCat("={", absl::StrJoin(members, "&"), "}");
}

absl::StatusOr<std::string> Prober::ProbeAttribute(const Path& path) {
  ASSIGN_OR_RETURN(std::string error, Error(*AttributeFrame(path, {}, false)));
  if (const auto type = Between(error, kScalarType, " but got")) {
    return absl::StrCat(":", NameOf(*type));
  }
  if (absl::StrContains(error, kPointer)) return ":ptr";
  const auto kind = Between(error, kKind, " but got");
  if (kind == "string") return ":string";
  if (kind == "dictionary") return ProbeStruct(path);
  if (kind != "array") return "";
  ASSIGN_OR_RETURN(error, Error(*AttributeFrame(path, {.kind = EYRIE_FFI_ARRAY},
                                                /*named=*/false)));
  const auto type = Between(error, kArrayType, " but got");
  return type ? absl::StrCat(":[", NameOf(*type), "]") : "";
}

absl::Status Prober::ProbeAttributes() {
  const std::optional<RefusedFrame> frame = Refused(kNone);
  if (!frame) {
    found_.takes_any_attributes = true;
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(std::string error, Error(*frame));
  std::vector<std::string> names = AllAfter(error, kName);
  if (const auto members = CountAfter(error, kAttributeCount)) {
    RefusedFrame struct_frame = *frame;
    struct_frame.attributes.resize(members->number, {kOddName});
    ASSIGN_OR_RETURN(error, Error(struct_frame));
    names = AllAfter(error, kMember);
  }
  if (names.empty()) found_.takes_any_attributes = true;
  if (names.size() > kMaxOperands) {
    return absl::UnimplementedError(
        absl::StrCat("The handler's error names ", names.size(),
                     " attributes; the limit is ", kMaxOperands, "."));
  }
  std::sort(names.begin(), names.end());
  for (size_t i = 0; i < names.size(); ++i) {
    ASSIGN_OR_RETURN(found_.attributes[names[i]], ProbeAttribute({{names, i}}));
  }
  return absl::OkStatus();
}

absl::StatusOr<ProbedSignature> Prober::Run() {
  RETURN_IF_ERROR(CountAll());
  RETURN_IF_ERROR(ProbeOperands());
  RETURN_IF_ERROR(ProbeAttributes());
  // Numbers are not checked if there is nothing else to check.
  found_.has_rest |= found_.arguments.empty();
  found_.has_rest_results |= found_.results.empty();
  return std::move(found_);
}

}  // namespace

absl::StatusOr<ProbedSignature> ProbeSignature(eyrie_ffi_handler_t* handler,
                                               int32_t stage, int minor) {
  return Prober(handler, stage, minor).Run();
}

}  // namespace eyrie::native
