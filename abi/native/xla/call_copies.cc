// Copies of a handler's arguments and results.
//
// An argument is copied if the handler's layout orders its elements
// differently, if the tensor packs several elements in a byte, if the host
// cannot see its memory, or if a result is "inout" with it and cannot take its
// memory. A result is copied after the call if its layout differs or its
// elements are packed. Elements that are packed and have another layout are
// copied twice. Tested by tools/native_test.sh, tools/vulkan_test.sh.
#include "abi/native/call_support.h"
#include "abi/native/strided_copy.h"
#include "abi/native/xla/call.h"
#include "base/status_macros.h"
#include "hal/packed_elements.h"

namespace eyrie::native {
namespace {

// Returns the bytes of an element in a handler's buffer.
size_t HandlerBytes(hal::ElementType element) {
  return hal::IsPacked(element) ? 1 : hal::BitCount(element) / 8;
}

}  // namespace

absl::Status FfiCall::PrepareUnusual(const vm::ModuleState& import,
                                     const vm::Slot* arguments) {
  if (!planned_) {
    large_ = false;
    RETURN_IF_ERROR(parts_.plan.equal->Check({views_.data(), given_}));
    for (size_t i = 0; i < results_.size(); ++i) RETURN_IF_ERROR(PlanResult(i));
    planned_ = true;
  }
  bool takes_arguments = false;
  for (size_t i = 0; i < results_.size(); ++i) {
    results_[i].is_argument = TakeArgument(i, import, arguments);
    takes_arguments |= results_[i].is_argument;
    if (!results_[i].is_argument) RETURN_IF_ERROR(CreateResult(i));
  }
  RETURN_IF_ERROR(PlanCopies());
  usual_ = copies_in_.empty() && copies_out_.empty() && !takes_arguments &&
           parts_.ffi.cuda == nullptr;
  attended_ = large_ || !usual_;
  return parts_.plan.has_fences() ? absl::OkStatus() : CopyIn();
}

bool FfiCall::TakeArgument(size_t index, const vm::ModuleState& import,
                           const vm::Slot* arguments) {
  const std::optional<int> inout = parts_.plan.results[index].shape.inout();
  if (!inout || parts_.ffi.cuda != nullptr) return false;
  const auto argument = static_cast<size_t>(*inout);
  const FfiImportPlan::Buffer& plan = parts_.plan.buffers[argument];
  if (argument >= given_ || plan.slot == FfiImportPlan::kNoSlot) return false;
  auto* const view = RefCast<hal::BufferView>(arguments[plan.slot].ref);
  if (plan.operand->layout.Moves(view->shape()) ||
      hal::IsPacked(view->element_type()) ||
      !IsGivenAway(import, plan.slot, *view, {views_.data(), given_})) {
    return false;
  }
  attended_ = true;  // drops the view, also if the call fails before it runs
  Result& result = results_[index];
  result.current = 0;
  result.views = {Ref<hal::BufferView>::Share(view), nullptr};
  frame_.result(index).data = view->buffer()->host_data();
  return true;
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
  for (size_t i = 0; parts_.ffi.cuda != nullptr && i < given_; ++i) {
    bytes += ArgumentBytes(i);
  }
  for (size_t i = 0; parts_.ffi.cuda != nullptr && i < results_.size(); ++i) {
    bytes += ResultBytes(i);
  }
  return parts_.state->WorkOnBytes(bytes);
}

absl::Status FfiCall::AddCopy(size_t index, const hal::BufferView& view,
                              bool moves, void*& elements,
                              std::vector<Copy>& copies, uint64_t& bytes) {
  const uint64_t size = static_cast<uint64_t>(view.element_count()) *
                        HandlerBytes(view.element_type());
  bytes += size;
  if (elements == nullptr) {
    ASSIGN_OR_RETURN(elements, context_.AllocateHost(size, kAlignment));
  }
  void* unpacked = nullptr;
  if (hal::IsPacked(view.element_type())) {
    unpacked = elements;
    if (moves) {
      bytes += size;
      ASSIGN_OR_RETURN(unpacked, context_.AllocateHost(size, kAlignment));
    }
  }
  copies.push_back({index, static_cast<uint8_t*>(elements),
                    static_cast<uint8_t*>(unpacked)});
  return absl::OkStatus();
}

absl::Status FfiCall::PlanArgumentCopy(size_t index, uint64_t& bytes) {
  const hal::BufferView& view = *views_[index];
  const FfiImportPlan::Buffer& plan = parts_.plan.buffers[index];
  const bool moves = plan.operand->layout.Moves(view.shape());
  const bool differs = moves || hal::IsPacked(view.element_type());
  // Memory of a device is always a copy.
  const bool is_written = plan.inout && parts_.ffi.cuda == nullptr &&
                          !results_[*plan.inout].is_argument;
  if (!differs && !is_written && view.buffer()->host_data() != nullptr) {
    return absl::OkStatus();
  }
  void* to = plan.inout && !differs ? frame_.result(*plan.inout).data : nullptr;
  RETURN_IF_ERROR(AddCopy(index, view, moves, to, copies_in_, bytes));
  frame_.arg(index).data = to;
  if (plan.inout) frame_.result(*plan.inout).data = to;
  return absl::OkStatus();
}

absl::Status FfiCall::PlanResultCopy(size_t index, uint64_t& bytes) {
  const Result& result = results_[index];
  const FfiResult& plan = parts_.plan.results[index];
  const bool moves = plan.layout.Moves(result.shape);
  if (result.bytes == 0 || !(moves || hal::IsPacked(result.element))) {
    return absl::OkStatus();
  }
  // Memory of an "inout" result is the argument's copy.
  void*& data = frame_.result(index).data;
  if (!plan.shape.inout()) data = nullptr;
  return AddCopy(index, *result.views[result.current], moves, data, copies_out_,
                 bytes);
}

absl::Status FfiCall::CopyIn() {
  for (const Copy& copy : copies_in_) {
    const hal::BufferView& view = *views_[copy.index];
    const TensorLayout& layout =
        parts_.plan.buffers[copy.index].operand->layout;
    RETURN_IF_ERROR(WithElements(view, [&](const uint8_t* elements) {
      if (copy.unpacked != nullptr) {
        // The handler's type says whether a signless element has a sign.
        const auto type = static_cast<FfiType>(frame_.arg(copy.index).type);
        hal::Unpack(InfoOf(type).element, elements,
                    {copy.unpacked, static_cast<size_t>(view.element_count())});
        if (copy.unpacked == copy.elements) return;
        elements = copy.unpacked;
      }
      CopyStrided(view.shape(), HandlerBytes(view.element_type()), elements,
                  TensorLayout().StridesOf(view.shape()), copy.elements,
                  layout.StridesOf(view.shape()));
    }));
  }
  return parts_.ffi.cuda == nullptr ? absl::OkStatus() : CopyToDevice();
}

uint64_t FfiCall::ArgumentBytes(size_t index) const {
  const hal::BufferView* const view = views_[index];
  if (view == nullptr) return 0;
  return static_cast<uint64_t>(view->element_count()) *
         HandlerBytes(view->element_type());
}

uint64_t FfiCall::ResultBytes(size_t index) const {
  const Result& result = results_[index];
  if (result.kind != FfiResult::Kind::kBuffer) return 0;
  const hal::BufferView& view = *result.views[result.current];
  return static_cast<uint64_t>(view.element_count()) *
         HandlerBytes(view.element_type());
}

void FfiCall::CopyOut() {
  for (const Copy& copy : copies_out_) {
    const Result& result = results_[copy.index];
    const hal::BufferView& view = *result.views[result.current];
    const TensorLayout& layout = parts_.plan.results[copy.index].layout;
    uint8_t* const data = view.buffer()->host_data();
    uint8_t* const to = copy.unpacked != nullptr ? copy.unpacked : data;
    if (to != copy.elements) {
      CopyStrided(result.shape, HandlerBytes(result.element), copy.elements,
                  layout.StridesOf(result.shape), to,
                  TensorLayout().StridesOf(result.shape));
    }
    if (copy.unpacked != nullptr) {
      hal::Pack(result.element,
                {copy.unpacked, static_cast<size_t>(view.element_count())},
                data);
    }
  }
}

void FfiCall::Attend(bool succeeded) {
  if (busy_) {
    parts_.ffi.cuda->Await().IgnoreError();
    busy_ = false;
  }
  if (succeeded) CopyOut();
  for (Result& result : results_) {
    if (result.bytes > kMaxKept || result.is_argument) result.views = {};
    result.is_argument = false;
  }
}

}  // namespace eyrie::native
