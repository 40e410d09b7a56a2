#include "abi/native/xla/signature_probe.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "abi/native/xla/refused_frame.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/plain_text.h"
#include "base/status_macros.h"

namespace eyrie::native {
namespace {

using Kind = RefusedFrame::Outcome::Kind;

constexpr size_t kMaxOperands = 256;  // of each kind, and of dimensions
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
  absl::Status ProbeAttributes();
  absl::StatusOr<std::string> ProbeAttribute(
      const std::vector<std::string>& names, size_t index);

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
  fixed = count.number;
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
  if (counts_attributes_) return absl::OkStatus();
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

absl::StatusOr<std::string> Prober::ProbeAttribute(
    const std::vector<std::string>& names, size_t index) {
  std::optional<RefusedFrame> frame = Refused(kNone);
  if (!frame) return "";
  std::vector<std::string> sorted = names;
  std::sort(sorted.begin(), sorted.end());
  frame->attributes.clear();
  RefusedFrame::Attribute* asked = nullptr;
  for (const std::string& name : sorted) {
    frame->attributes.push_back({name == names[index] ? name : kOddName});
  }
  if (!counts_attributes_) {  // a struct's are looked up by their order
    std::sort(frame->attributes.begin(), frame->attributes.end(),
              [](const auto& a, const auto& b) { return a.name < b.name; });
  }
  for (RefusedFrame::Attribute& each : frame->attributes) {
    if (each.name == names[index]) asked = &each;
  }
  ASSIGN_OR_RETURN(std::string error, Error(*frame));
  if (const auto type = Between(error, kScalarType, " but got")) {
    return absl::StrCat(":", NameOf(*type));
  }
  if (absl::StrContains(error, kPointer)) return ":ptr";
  const auto kind = Between(error, kKind, " but got");
  if (kind == "string") return ":string";
  if (kind != "array") return "";
  asked->kind = EYRIE_FFI_ARRAY;
  ASSIGN_OR_RETURN(error, Error(*frame));
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
  for (size_t i = 0; i < names.size(); ++i) {
    ASSIGN_OR_RETURN(found_.attributes[names[i]], ProbeAttribute(names, i));
  }
  return absl::OkStatus();
}

absl::StatusOr<ProbedSignature> Prober::Run() {
  RETURN_IF_ERROR(CountAll());
  RETURN_IF_ERROR(ProbeOperands());
  RETURN_IF_ERROR(ProbeAttributes());
  // The number of arguments is not checked if no argument is.
  found_.has_rest |= found_.arguments.empty();
  return std::move(found_);
}

}  // namespace

absl::StatusOr<ProbedSignature> ProbeSignature(eyrie_ffi_handler_t* handler,
                                               int32_t stage, int minor) {
  return Prober(handler, stage, minor).Run();
}

}  // namespace eyrie::native
