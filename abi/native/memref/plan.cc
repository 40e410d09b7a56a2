#include "abi/native/memref/plan.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "abi/native/ffi_types.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"

namespace eyrie::native {
namespace {

char LetterOf(const MemrefType& type) {
  return type.is_scalar() ? ScalarLetter(type.element) : 'r';
}

bool IsFloat(const MemrefType& type) {
  return !hal::IsIntegerOrBool(type.element);
}

// Reports whether row-major strides satisfy the layout.
bool IsDenseLayout(const MemrefType& type) {
  if (type.kind != MemrefType::Kind::kRanked) return false;
  if (type.offset != 0 && type.offset != MemrefType::kDynamic) return false;
  for (size_t i = 0; i < type.strides.size(); ++i) {
    const bool is_last = i + 1 == type.strides.size();
    if (type.strides[i] != MemrefType::kDynamic &&
        !(is_last && type.strides[i] == 1)) {
      return false;
    }
  }
  return true;
}

size_t RoundUp(size_t bytes, size_t alignment) {
  return (bytes + alignment - 1) / alignment * alignment;
}

// Assigns places in the order of the wrapper's parameters.
class Planner {
 public:
  Planner(const MemrefSignature& signature, MemrefPlan& plan)
      : signature_(signature), layout_(signature.index_bits), plan_(plan) {}

  absl::Status Plan() {
    RETURN_IF_ERROR(PlanResults());
    for (size_t i = 0; i < signature_.type.arguments.size(); ++i) {
      RETURN_IF_ERROR(PlanArgument(i));
    }
    PlanOutputs();
    return absl::OkStatus();
  }

 private:
  size_t TakeArena(size_t bytes) {
    return std::exchange(plan_.arena_bytes,
                         plan_.arena_bytes + RoundUp(bytes, 8));
  }
  absl::Status PlanResults();
  absl::Status PlanArgument(size_t index);
  void PlanOutputs();

  const MemrefSignature& signature_;
  const DescriptorLayout layout_;
  MemrefPlan& plan_;
};

absl::Status Planner::PlanResults() {
  const std::vector<MemrefType>& results = signature_.type.results;
  if (results.size() == 1 && results[0].is_scalar()) {
    plan_.call =
        MachineCall(IsFloat(results[0]) ? MachineCall::Returns::kFloat
                                        : MachineCall::Returns::kInteger);
    return absl::OkStatus();
  }
  if (results.empty()) return absl::OkStatus();
  size_t end = 0;
  for (const MemrefType& type : results) {
    plan_.returns_memrefs = plan_.returns_memrefs || !type.is_scalar();
    size_t alignment = 8;
    size_t bytes = DescriptorLayout::kUnrankedBytes;
    if (type.is_scalar()) {
      bytes = alignment = signature_.ElementBytes(type);
    } else if (type.kind == MemrefType::Kind::kRanked) {
      bytes = layout_.Bytes(type.shape.size());
    }
    plan_.result_offsets.push_back(RoundUp(end, alignment));
    end = plan_.result_offsets.back() + bytes;
  }
  plan_.has_struct = true;
  ASSIGN_OR_RETURN(plan_.struct_place, plan_.call.AddInteger());
  plan_.struct_offset = TakeArena(end);
  return absl::OkStatus();
}

absl::Status Planner::PlanArgument(size_t index) {
  const MemrefType& type = signature_.type.arguments[index];
  MemrefPlan::Place argument = {};
  if (type.is_scalar() && IsFloat(type)) {
    ASSIGN_OR_RETURN(argument.word, plan_.call.AddFloat());
  } else {
    ASSIGN_OR_RETURN(argument.word, plan_.call.AddInteger());
  }
  if (type.kind == MemrefType::Kind::kRanked) {
    argument.descriptor = TakeArena(layout_.Bytes(type.shape.size()));
  } else if (type.kind == MemrefType::Kind::kUnranked) {
    // The pair, followed by a descriptor of any rank.
    argument.descriptor = TakeArena(DescriptorLayout::kUnrankedBytes +
                                    layout_.Bytes(MemrefType::kMaxRank));
  }
  if (!type.is_scalar()) argument.element = signature_.ElementOf(type);
  argument.is_dense =
      signature_.index_bits == 64 && !signature_.bare_pointers &&
      IsDenseLayout(type) &&
      (type.is_strided || signature_.ArgumentLayout(index).is_row_major());
  plan_.places.push_back(argument);
  if (index < signature_.input_count()) {
    const auto slot = static_cast<uint32_t>(index);
    plan_.arguments.push_back(
        {.slot = type.is_scalar() ? NativePlan::kNone : slot,
         .layout = signature_.ArgumentLayout(index)});
  }
  return absl::OkStatus();
}

void Planner::PlanOutputs() {
  size_t trailing = signature_.input_count();
  for (uint32_t i = 0; i < signature_.output_count(); ++i) {
    NativePlan::Result& result = plan_.results.emplace_back();
    if (!signature_.output_rules.empty()) {
      result.shape = signature_.output_rules[i];
    }
    const std::optional<int> inout = result.shape.inout();
    const size_t argument = inout ? static_cast<size_t>(*inout) : trailing++;
    if (signature_.output_rules.empty()) {
      result.shape =
          ShapeRule::OfShape(signature_.type.arguments[argument].shape);
    }
    if (inout) plan_.arguments[argument].inout = i;
    result.layout = signature_.ArgumentLayout(argument);
    plan_.places[argument].output = i;
  }
}

}  // namespace

std::vector<OperandRank> MemrefSignature::InputRanks() const {
  std::vector<OperandRank> ranks;
  for (size_t i = 0; i < input_count(); ++i) {
    const MemrefType& argument = type.arguments[i];
    const auto rank = static_cast<OperandRank>(argument.shape.size());
    ranks.push_back(argument.is_scalar()                           ? kNoTensor
                    : argument.kind == MemrefType::Kind::kUnranked ? kAnyRank
                                                                   : rank);
  }
  return ranks;
}

std::string MemrefSignature::ToString() const {
  std::string text = type.ToString();
  if (output_count() != 0) absl::StrAppend(&text, ", outputs: ");
  if (output_rules.empty() && outputs != 0) absl::StrAppend(&text, outputs);
  absl::StrAppend(&text,
                  absl::StrJoin(output_rules, ", ",
                                [](std::string* out, const ShapeRule& rule) {
                                  out->append(rule.ToString());
                                }));
  if (!layouts.empty()) {
    absl::StrAppend(
        &text, ", layouts: ",
        absl::StrJoin(layouts, ", ",
                      [](std::string* out, const TensorLayout& layout) {
                        out->append(layout.is_row_major() ? "row_major"
                                                          : layout.ToString());
                      }));
  }
  return absl::StrCat(text, equal.empty() ? "" : ",", equal.ToString());
}

std::string MemrefSignature::ImportConvention() const {
  std::string text = "0";
  for (size_t i = 0; i < input_count(); ++i)
    text += LetterOf(type.arguments[i]);
  if (input_count() == 0) text += 'v';
  text += '_';
  for (const MemrefType& result : type.results) text += LetterOf(result);
  text.append(output_count(), 'r');
  if (text.back() == '_') text += 'v';
  return text;
}

std::vector<std::string> MemrefSignature::DeclareOperands() const {
  std::vector<std::string> declared;
  for (size_t i = 0; i < input_count(); ++i) {
    const MemrefType& of = type.arguments[i];
    const std::string text =
        absl::StrCat(of.ShapePrefix(), hal::ElementTypeName(ElementOf(of)));
    declared.push_back(of.is_scalar() ? text
                                      : absl::StrCat("tensor<", text, ">"));
  }
  return declared;
}

absl::StatusOr<MemrefPlan> MemrefPlan::Create(
    const MemrefSignature& signature, const vm::CallingConvention& convention) {
  const std::string has = convention.ToString();
  const std::string wants = signature.ImportConvention();
  // Two fences before the '_' order the call.
  std::string with_fences = wants;
  const size_t arguments = with_fences.find('_');
  with_fences.insert(arguments, "rr");
  with_fences.erase(
      std::remove(with_fences.begin(), with_fences.begin() + arguments, 'v'),
      with_fences.begin() + arguments);
  if (has != wants && has != with_fences) {
    return absl::InvalidArgumentError(
        absl::StrCat("The import has the convention ", has, "; expected ",
                     wants, " for ", signature.type.ToString(), "."));
  }
  MemrefPlan plan;
  if (has != wants) {
    plan.wait_slot = static_cast<uint32_t>(signature.input_count());
  }
  plan.equal = signature.equal;
  RETURN_IF_ERROR(Planner(signature, plan).Plan());
  return plan;
}

}  // namespace eyrie::native
