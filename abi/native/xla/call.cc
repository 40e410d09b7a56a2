#include "abi/native/xla/call.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "abi/native/call_support.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "hal/packed_elements.h"
#include "vm/object/buffer.h"

namespace eyrie::native {
namespace {

// Token buffers point here; they have no bytes.
constexpr int64_t kNoDims[1] = {};

// Reports whether two shapes are equal. Without a call, because most have few
// dimensions.
bool IsSame(std::span<const int64_t> a, std::span<const int64_t> b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i] != b[i]) return false;
  }
  return true;
}

// Reports whether the caller alone holds the view and its memory.
bool IsFree(const hal::BufferView& view) {
  return view.IsUnique() && view.buffer()->IsUnique() &&
         view.buffer()->HasOneOwner();
}

}  // namespace

FfiCall::FfiCall(FfiImportParts& parts)
    : parts_(parts),
      context_(parts.ffi, *parts.registry, parts.instantiated, parts.memory),
      frame_(parts.handlers, *parts.pack, context_, parts.plan.buffers.size(),
             parts.plan.results.size()),
      views_(parts.plan.buffers.size()),
      arguments_(parts.plan.buffers.size()),
      results_(parts.plan.results.size()),
      given_(views_.size()) {
  const std::span<const int64_t> no_dims(kNoDims, 0);
  for (size_t i = 0; i < views_.size(); ++i) {
    FfiFrame::Fill(frame_.arg(i), FfiType::kToken, nullptr, no_dims);
  }
  for (size_t i = 0; i < results_.size(); ++i) {
    FfiFrame::Fill(frame_.result(i), FfiType::kToken, nullptr, no_dims);
    results_[i].kind = parts.plan.results[i].kind;
  }
  for (const FfiImportPlan::Scalar& scalar : parts.plan.scalars) {
    const size_t place = parts.pack->IndexOf(scalar.attribute);
    if (scalar.type == FfiType::kNone) {
      frame_.AddText(place);
    } else {
      frame_.AddScalar(place, scalar.type);
    }
  }
}

absl::StatusOr<FfiType> FfiCall::CheckType(size_t index,
                                           const hal::BufferView& view) const {
  const FfiOperand& operand = *parts_.plan.buffers[index].operand;
  const hal::ElementType element = view.element_type();
  const FfiType type =
      operand.type != FfiType::kNone ? operand.type : FfiTypeOf(element);
  if (operand.type != FfiType::kNone && !IsTakenAs(element, operand.type)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "Argument ", index, " of the handler is ", view.ShapeAndType(),
        "; elements of ", InfoOf(operand.type).name, " are declared."));
  }
  if (type == FfiType::kNone) {
    return absl::UnimplementedError(absl::StrCat(
        "Argument ", index, " of the handler is ", view.ShapeAndType(),
        "; XLA FFI does not support this type, or stores it differently."));
  }
  // A type that the manifest names is one that the handler knows.
  if (operand.type == FfiType::kNone &&
      InfoOf(type).since > parts_.handlers.minor) {
    return absl::UnimplementedError(absl::StrCat(
        "Argument ", index, " of the handler is ", view.ShapeAndType(),
        "; the handler uses version 0.", parts_.handlers.minor,
        " of XLA FFI, which may not support this type. If the handler does, "
        "name the type in the manifest."));
  }
  return type;
}

absl::Status FfiCall::CheckDims(size_t index, const hal::BufferView& view,
                                FfiType type) const {
  const hal::TensorType& declared = parts_.plan.buffers[index].operand->tensor;
  if (declared.FitsShape(view.shape())) [[likely]]
    return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "Argument ", index, " of the handler is ", view.ShapeAndType(), "; ",
      declared.ShapeDifference(
          view.shape(),
          absl::StrCat(declared.ShapePrefix(), InfoOf(type).name))));
}

absl::Status FfiCall::Learn(size_t index, const hal::BufferView& view) {
  Argument& argument = arguments_[index];
  argument.element = hal::ElementType::kNone;
  planned_ = usual_ = false;
  ASSIGN_OR_RETURN(const FfiType type, CheckType(index, view));
  RETURN_IF_ERROR(CheckDims(index, view, type));
  RETURN_IF_ERROR(parts_.plan.buffers[index].operand->layout.CheckRank(
      absl::StrCat("Argument ", index, " of the handler"),
      view.shape().size()));
  argument.element = view.element_type();
  argument.shape.assign(view.shape().begin(), view.shape().end());
  FfiFrame::Fill(frame_.arg(index), type, nullptr, argument.shape);
  return absl::OkStatus();
}

absl::Status FfiCall::SetBuffer(size_t index, const vm::Slot* arguments) {
  const uint32_t slot = parts_.plan.buffers[index].slot;
  if (slot == FfiImportPlan::kNoSlot) return absl::OkStatus();
  RefObject* const object = arguments[slot].ref;
  const auto* view = RefCast<hal::BufferView>(object);
  if (view == nullptr) [[unlikely]]
    return NoViewError(index, "handler", object);
  views_[index] = view;
  const Argument& known = arguments_[index];
  if (view->element_type() != known.element ||
      !IsSame(view->shape(), known.shape)) [[unlikely]] {
    RETURN_IF_ERROR(Learn(index, *view));
  }
  uint8_t* const data = view->buffer()->host_data();
  if (data == nullptr && view->byte_length() != 0) [[unlikely]]
    usual_ = false;
  frame_.arg(index).data = data;
  return absl::OkStatus();
}

absl::Status FfiCall::SetScalar(size_t index, const vm::Slot& slot) {
  const FfiImportPlan::Scalar& scalar = parts_.plan.scalars[index];
  if (scalar.type == FfiType::kNone) {
    auto* buffer = RefCast<vm::Buffer>(slot.ref);
    if (buffer == nullptr) {
      return absl::InvalidArgumentError(
          absl::StrCat("The attribute '", scalar.attribute,
                       "' of the handler is not a !vm.buffer."));
    }
    frame_.text(scalar.place) = {buffer->text().data(), buffer->text().size()};
    return absl::OkStatus();
  }
  uint64_t bits = 0;
  std::memcpy(&bits, &slot, sizeof(bits));
  if (scalar.type == FfiType::kPred) bits = static_cast<uint32_t>(bits) != 0;
  frame_.scalar(scalar.place) = bits;
  return absl::OkStatus();
}

absl::Status FfiCall::PlanResult(size_t index) {
  Result& result = results_[index];
  if (result.kind == FfiResult::Kind::kToken) return absl::OkStatus();
  result.views = {};
  result.element = hal::ElementType::kNone;
  RETURN_IF_ERROR(parts_.plan.results[index].shape.Apply(views_, result.element,
                                                         result.shape));
  RETURN_IF_ERROR(parts_.plan.results[index].layout.CheckRank(
      absl::StrCat("Result ", index, " of the handler"), result.shape.size()));
  int64_t count = 1;
  for (const int64_t dim : result.shape) {
    if (__builtin_mul_overflow(count, dim, &count)) count = -1;
  }
  const std::optional<uint64_t> bytes =
      hal::DenseByteLength(result.element, count);
  const FfiType type = FfiTypeOf(result.element);
  if (!bytes || type == FfiType::kNone) {
    return absl::InvalidArgumentError(absl::StrCat(
        "Result ", index, " of the handler has the sizes [",
        absl::StrJoin(result.shape, ", "), "], ",
        type == FfiType::kNone ? "of elements that XLA FFI does not support."
                               : "which exceed any memory."));
  }
  result.bytes = *bytes;
  if (result.kind == FfiResult::Kind::kTemporary &&
      hal::IsPacked(result.element)) {
    result.bytes = static_cast<uint64_t>(count);  // never packed
  }
  large_ |= *bytes > kMaxKept;
  FfiFrame::Fill(frame_.result(index), type, nullptr, result.shape);
  return absl::OkStatus();
}

absl::StatusOr<Ref<hal::BufferView>> FfiCall::NewView(
    const Result& result) const {
  ASSIGN_OR_RETURN(
      Ref<hal::Buffer> buffer,
      parts_.services->device->allocator().AllocateCharged(
          parts_.memory, "a result", parts_.result_params, result.bytes));
  ASSIGN_OR_RETURN(
      Ref<hal::BufferView> view,
      hal::BufferView::Create(std::move(buffer), result.shape, result.element));
  if (parts_.memory != nullptr) {
    ASSIGN_OR_RETURN(MemoryCharge charge,
                     MemoryCharge::Take(parts_.memory, sizeof(hal::BufferView),
                                        "a buffer view"));
    view->Hold(std::move(charge));
  }
  return view;
}

absl::Status FfiCall::CreateResult(size_t index) {
  Result& result = results_[index];
  if (result.kind == FfiResult::Kind::kToken) return absl::OkStatus();
  if (result.kind == FfiResult::Kind::kTemporary) {
    ASSIGN_OR_RETURN(frame_.result(index).data,
                     context_.Allocate(result.bytes, kAlignment));
    return absl::OkStatus();
  }
  // The one before the last first: the caller rarely holds that, too.
  const uint8_t last = result.current;
  result.current = last ^ 1;
  if (!result.views[last ^ 1] || !IsFree(*result.views[last ^ 1])) {
    if (result.views[last] && IsFree(*result.views[last])) {
      result.current = last;
    } else {
      ASSIGN_OR_RETURN(result.views[last ^ 1], NewView(result));
    }
  }
  frame_.result(index).data =
      result.views[result.current]->buffer()->host_data();
  return absl::OkStatus();
}

absl::Status FfiCall::Prepare(const vm::ModuleState& import,
                              const vm::Slot* arguments) {
  size_t count = views_.size();
  // Trailing optional arguments may be null.
  while (count > 0 &&
         parts_.plan.buffers[count - 1].operand->presence ==
             FfiOperand::Presence::kOptional &&
         arguments[parts_.plan.buffers[count - 1].slot].ref == nullptr) {
    views_[--count] = nullptr;
  }
  if (count != given_) {
    given_ = count;
    planned_ = usual_ = false;
    frame_.set_arg_count(count);
  }
  for (size_t i = 0; i < count; ++i) RETURN_IF_ERROR(SetBuffer(i, arguments));
  for (size_t i = 0; i < parts_.plan.scalars.size(); ++i) {
    RETURN_IF_ERROR(SetScalar(i, arguments[parts_.plan.scalars[i].slot]));
  }
  if (!usual_) [[unlikely]]
    return PrepareUnusual(import, arguments);
  for (size_t i = 0; i < results_.size(); ++i) RETURN_IF_ERROR(CreateResult(i));
  return absl::OkStatus();
}

void FfiCall::Retain(const vm::Slot* arguments) {
  for (const FfiImportPlan::Buffer& buffer : parts_.plan.buffers) {
    if (buffer.slot == FfiImportPlan::kNoSlot) continue;
    retained_.push_back(Ref<RefObject>::Share(arguments[buffer.slot].ref));
  }
  for (const FfiImportPlan::Scalar& scalar : parts_.plan.scalars) {
    if (scalar.type != FfiType::kNone) continue;
    retained_.push_back(Ref<RefObject>::Share(arguments[scalar.slot].ref));
  }
}

void FfiCall::ShareResults(vm::Slot* results) const {
  for (const Result& result : results_) {
    if (result.kind != FfiResult::Kind::kBuffer) continue;
    RefObject* const view = result.views[result.current].get();
    view->AddRef();
    (results++)->ref = view;
  }
}

void FfiCall::End(bool succeeded) {
  if (attended_) [[unlikely]]
    Attend(succeeded);
  const CudaDevice::Current current(parts_.ffi.cuda.get());
  context_.End();
  if (!retained_.empty()) [[unlikely]]
    retained_.clear();
}

}  // namespace eyrie::native
