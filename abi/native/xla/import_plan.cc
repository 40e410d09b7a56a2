#include "abi/native/xla/import_plan.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/counted.h"
#include "base/plain_text.h"
#include "base/status_macros.h"

namespace eyrie::native {
namespace {

constexpr uint32_t kFences = 2;

absl::Status Disagrees(const FfiDeclaration& declaration,
                       const vm::CallingConvention& convention,
                       absl::string_view how) {
  return absl::InvalidArgumentError(absl::StrCat(
      "The import has the convention ", convention.ToString(), ", but ", how,
      ": the manifest declares '", PlainName(declaration.name), "' as ",
      declaration.Describe(), "."));
}

// Assigns slots to the operands of a declaration, in order.
class Planner {
 public:
  Planner(const FfiDeclaration& declaration,
          const vm::CallingConvention& convention, FfiImportPlan& plan)
      : declaration_(declaration), convention_(convention), plan_(plan) {}

  absl::Status PlanOperands();
  absl::Status PlanResults();

 private:
  size_t slot_count() const { return convention_.argument_types().size(); }
  // Returns the number of operands for optional and rest arguments, without
  // fences, whose slots it assigns.
  absl::StatusOr<uint32_t> CountFree();
  absl::Status Take(const FfiOperand& operand);
  void AddArgument(const FfiOperand& operand, uint32_t slot) {
    plan_.operands.push_back(&operand);
    plan_.arguments.push_back(
        {.slot = slot,
         .optional = operand.presence == FfiOperand::Presence::kOptional,
         .layout = operand.layout});
  }
  absl::Status Disagreement(absl::string_view how) const {
    return Disagrees(declaration_, convention_, how);
  }

  const FfiDeclaration& declaration_;
  const vm::CallingConvention& convention_;
  FfiImportPlan& plan_;
  uint32_t next_ = 0;  // next slot
  uint32_t numbers_ = 0;
  uint32_t texts_ = 0;
};

absl::StatusOr<uint32_t> Planner::CountFree() {
  uint32_t required = 0;
  uint32_t optional = 0;
  bool rest = false;
  for (const FfiOperand& operand : declaration_.operands) {
    if (operand.letter() == 0) continue;
    switch (operand.presence) {
      case FfiOperand::Presence::kRequired:
        ++required;
        break;
      case FfiOperand::Presence::kOptional:
        ++optional;
        break;
      case FfiOperand::Presence::kRest:
        rest = true;
        break;
    }
  }
  const auto given = static_cast<uint32_t>(slot_count());
  const bool fences = declaration_.fences.value_or(!declaration_.takes_rest() &&
                                                   given == required + kFences);
  const uint32_t taken = required + (fences ? kFences : 0);
  if (given < taken || (!rest && given > taken + optional)) {
    return Disagreement(absl::StrCat("it has ", Counted(given, "operand")));
  }
  if (fences) plan_.wait_slot = given - kFences;
  return given - taken;
}

absl::Status Planner::Take(const FfiOperand& operand) {
  const char letter = operand.letter();
  if (letter == 0) {
    AddArgument(operand, NativePlan::kNone);
    return absl::OkStatus();
  }
  const uint32_t slot = next_++;
  const char has = LetterOf(convention_.argument_types()[slot]);
  if (has != letter) {
    return Disagreement(absl::StrCat("operand ", slot, " is '",
                                     absl::string_view(&has, 1), "', not '",
                                     absl::string_view(&letter, 1), "'"));
  }
  if (operand.kind == FfiOperand::Kind::kAttribute) {
    uint32_t& place = operand.type == FfiType::kNone ? texts_ : numbers_;
    plan_.scalars.push_back({slot, operand.type, operand.attribute, place++});
  } else {
    AddArgument(operand, slot);
  }
  return absl::OkStatus();
}

absl::Status Planner::PlanOperands() {
  ASSIGN_OR_RETURN(uint32_t free, CountFree());
  for (const FfiOperand& operand : declaration_.operands) {
    uint32_t count = 1;
    if (operand.presence == FfiOperand::Presence::kOptional) {
      count = free > 0 ? 1 : 0;
    } else if (operand.presence == FfiOperand::Presence::kRest) {
      count = free;
    }
    if (operand.presence != FfiOperand::Presence::kRequired) free -= count;
    for (uint32_t i = 0; i < count; ++i) RETURN_IF_ERROR(Take(operand));
  }
  for (; plan_.has_fences() && next_ < slot_count(); ++next_) {
    if (convention_.argument_types()[next_] != vm::ValueType::kRef) {
      return Disagreement("its last two operands are not fences");
    }
  }
  return absl::OkStatus();
}

absl::Status Planner::PlanResults() {
  const auto& types = convention_.result_types();
  for (const vm::ValueType type : types) {
    if (type != vm::ValueType::kRef) {
      return Disagreement("a result is not a buffer view");
    }
  }
  for (const FfiResult& result : declaration_.results) {
    uint32_t count = 1;
    if (result.rest) {
      if (types.size() < plan_.returned) break;  // too few: reported below
      count = static_cast<uint32_t>(types.size()) - plan_.returned;
    }
    for (uint32_t i = 0; i < count; ++i) {
      NativePlan::Result& planned = plan_.results.emplace_back(result);
      planned.shape = result.shape.ForLaterResult(static_cast<int>(i));
    }
    if (result.kind == FfiResult::Kind::kBuffer) plan_.returned += count;
  }
  if (plan_.returned != types.size()) {
    return Disagreement(
        absl::StrCat("it has ", Counted(types.size(), "result")));
  }
  for (uint32_t i = 0; i < plan_.results.size(); ++i) {
    const NativePlan::Result& result = plan_.results[i];
    if (result.kind == FfiResult::Kind::kToken) continue;
    const int last = result.shape.last_operand();
    if (last >= static_cast<int>(plan_.arguments.size())) {
      return Disagreement(
          absl::StrCat("a result follows argument ", last, " of it"));
    }
    if (result.shape.inout()) plan_.arguments[*result.shape.inout()].inout = i;
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<FfiImportPlan> FfiImportPlan::Create(
    const FfiDeclaration& declaration,
    const vm::CallingConvention& convention) {
  if (convention.is_variadic()) {
    return absl::UnimplementedError(absl::StrCat(
        "The import has the convention ", convention.ToString(),
        "; variadic imports of native functions are not supported."));
  }
  FfiImportPlan plan;
  plan.callee = "handler";
  plan.equal = declaration.equal;
  Planner planner(declaration, convention, plan);
  RETURN_IF_ERROR(planner.PlanOperands());
  RETURN_IF_ERROR(planner.PlanResults());
  return plan;
}

}  // namespace eyrie::native
