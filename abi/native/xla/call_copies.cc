// Copies of a handler's arguments and results.
//
// An argument is copied if the handler's layout orders its elements
// differently, if the host cannot see its memory, or if a result is "inout"
// with it. A result is copied after the call if its layout differs.
// Tested by tools/native_test.sh, tools/vulkan_test.sh.
#include "abi/native/call_support.h"
#include "abi/native/strided_copy.h"
#include "abi/native/xla/call.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace eyrie::native {
namespace {

constexpr size_t kCopyAlignment = 64;

size_t ElementBytes(hal::ElementType element) {
  return hal::BitCount(element) / 8;
}

}  // namespace

absl::Status FfiCall::PrepareUnusual() {
  if (!planned_) {
    large_ = false;
    RETURN_IF_ERROR(parts_.plan.equal->Check({views_.data(), given_}));
    for (size_t i = 0; i < results_.size(); ++i) RETURN_IF_ERROR(PlanResult(i));
    planned_ = true;
  }
  for (size_t i = 0; i < results_.size(); ++i) RETURN_IF_ERROR(CreateResult(i));
  RETURN_IF_ERROR(PlanCopies());
  usual_ = copies_in_.empty() && copies_out_.empty();
  attended_ = large_ || !usual_;
  return parts_.plan.has_fences() ? absl::OkStatus() : CopyIn();
}

absl::Status FfiCall::PlanCopies() {
  copies_in_.clear();
  copies_out_.clear();
  uint64_t bytes = 0;
  for (size_t i = 0; i < given_; ++i) {
    if (views_[i] == nullptr || views_[i]->byte_length() == 0) continue;
    RETURN_IF_ERROR(PlanArgumentCopy(i, bytes));
  }
  for (size_t i = 0; i < results_.size(); ++i) {
    if (results_[i].kind != FfiResult::Kind::kBuffer) continue;
    RETURN_IF_ERROR(PlanResultCopy(i, bytes));
  }
  return PayForCopy(bytes, *parts_.state);
}

absl::Status FfiCall::PlanArgumentCopy(size_t index, uint64_t& bytes) {
  const hal::BufferView& view = *views_[index];
  const FfiImportPlan::Buffer& plan = parts_.plan.buffers[index];
  const bool moves = plan.operand->layout.Moves(view.shape());
  if (!moves && !plan.inout && view.buffer()->host_data() != nullptr) {
    return absl::OkStatus();
  }
  void* to = nullptr;
  if (plan.inout && !moves) {
    to = frame_.result(*plan.inout).data;
  } else {
    ASSIGN_OR_RETURN(to, context_.Allocate(view.byte_length(), kCopyAlignment));
  }
  frame_.arg(index).data = to;
  if (plan.inout) frame_.result(*plan.inout).data = to;
  copies_in_.push_back({index, static_cast<uint8_t*>(to)});
  bytes += view.byte_length();
  return absl::OkStatus();
}

absl::Status FfiCall::PlanResultCopy(size_t index, uint64_t& bytes) {
  const Result& result = results_[index];
  const FfiResult& plan = parts_.plan.results[index];
  if (!plan.layout.Moves(result.shape)) return absl::OkStatus();
  void*& data = frame_.result(index).data;
  if (!plan.shape.inout()) {
    ASSIGN_OR_RETURN(data, context_.Allocate(result.bytes, kCopyAlignment));
  }
  copies_out_.push_back({index, static_cast<const uint8_t*>(data)});
  bytes += result.bytes;
  return absl::OkStatus();
}

absl::Status FfiCall::CopyIn() {
  for (const ArgumentCopy& copy : copies_in_) {
    const hal::BufferView& view = *views_[copy.index];
    const TensorLayout& layout =
        parts_.plan.buffers[copy.index].operand->layout;
    RETURN_IF_ERROR(WithElements(view, [&](const uint8_t* elements) {
      CopyStrided(view.shape(), ElementBytes(view.element_type()), elements,
                  TensorLayout().StridesOf(view.shape()), copy.to,
                  layout.StridesOf(view.shape()));
    }));
  }
  return absl::OkStatus();
}

void FfiCall::CopyOut() {
  for (const ResultCopy& copy : copies_out_) {
    const Result& result = results_[copy.index];
    CopyStrided(result.shape, ElementBytes(result.element), copy.from,
                parts_.plan.results[copy.index].layout.StridesOf(result.shape),
                result.views[result.current]->buffer()->host_data(),
                TensorLayout().StridesOf(result.shape));
  }
}

void FfiCall::Attend(bool succeeded) {
  if (succeeded) CopyOut();
  for (Result& result : results_) {
    if (result.bytes > kMaxKept) result.views = {};
  }
}

}  // namespace eyrie::native
